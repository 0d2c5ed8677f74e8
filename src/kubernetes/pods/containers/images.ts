import { goQuote } from "../../meta/text/goQuote.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { ContainerLife } from "../podLife.ts"

/**
 * `absent`: the image is not on the node and must not be pulled. Source: image_manager.go
 * (EnsureImageExists).
 */
export type ImageSource = "registry" | "node" | "invalidName" | "absent"

/** An image with pull policy Never counts as on its node, unless the behaviour makes pulls fail. */
export const imageSource = (
  { imagePullPolicy }: Core.Container,
  isNameValid: boolean,
  { life, isOnNode }: { readonly life: ContainerLife; readonly isOnNode: boolean }
): ImageSource => {
  if (!isNameValid) return "invalidName"
  if (imagePullPolicy === "Always") return "registry"
  if (isOnNode) return "node"
  if (imagePullPolicy !== "Never") return "registry"
  return life.pullFailures > 0 ? "absent" : "node"
}

/** The registry only says that the image has not changed. */
const presentImagePullMillisMax = 500

export const pullMillisOf = ({ pullMillis }: ContainerLife, isOnNode: boolean): number =>
  isOnNode ? Math.min(pullMillis, presentImagePullMillisMax) : pullMillis

/** `nginx`, `nginx:latest` and `docker.io/library/nginx` are the same image. */
export const isSameImage = (one: string, other: string): boolean =>
  one === other || canonicalImage(one) === canonicalImage(other)

const canonicalImage = (image: string): string =>
  withTag(image.replace(/^docker\.io\//u, "").replace(/^library\//u, ""))

export const withTag = (image: string): string =>
  image.lastIndexOf(":") <= image.lastIndexOf("/") ? `${image}:latest` : image

export const imagesText = ({
  spec: { template }
}: {
  readonly spec: { readonly template: { readonly spec?: Core.PodSpec } }
}): string => (template.spec?.containers ?? []).map(({ image = "no image" }) => image).join(", ")

const label = "[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?"
const host = String.raw`(?:${label}(?:\.${label})*|\[[a-fA-F0-9:]+\])(?::[0-9]+)?`
const pathPart = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*"
const tag = String.raw`:\w[\w.-]{0,127}`
const digest = "@[A-Za-z][A-Za-z0-9]*(?:[+._-][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}"
const reference = new RegExp(`^(?:${host}/)?${pathPart}(?:/${pathPart})*(?:${tag})?(?:${digest})?$`, "u")
/** Refused as an image's name, since it could be an image ID. */
const bareDigest = /^[a-f0-9]{64}$/u

export const isImageName = (image: string): boolean => reference.test(image) && !bareDigest.test(image)

export const imageProblem = (
  image: string
): { readonly reason: string; readonly eventReason: string; readonly message: string } => {
  const quoted = goQuote(image)
  if (isImageName(image)) {
    const message = `Container image ${quoted} is not present with pull policy of Never`
    return { reason: "ErrImageNeverPull", eventReason: "ErrImageNeverPull", message }
  }
  const isLowercase = remoteName(image) === remoteName(image).toLowerCase()
  const parseError = `invalid reference format${isLowercase ? "" : uppercaseErrorText(image)}`
  const message = `Failed to apply default image tag ${quoted}: couldn't parse image reference ${quoted}: ${parseError}`
  return { reason: "InvalidImageName", eventReason: "InspectFailed", message }
}

const uppercaseErrorText = (image: string): string =>
  `: repository name (${remoteName(image)}) must be lowercase`

const remoteName = (image: string): string => {
  const slash = image.indexOf("/")
  const firstPart = image.slice(0, Math.max(0, slash))
  const isHost = /[.:]/u.test(firstPart) || firstPart === "localhost" || firstPart !== firstPart.toLowerCase()
  const [remote = ""] = (isHost ? image.slice(slash + 1) : image).split(":")
  return isHost || slash >= 0 ? remote : `library/${remote}`
}
