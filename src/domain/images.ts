import type * as Core from "kubernetes-types/core/v1.js"
import type { ContainerLife } from "./podLife.ts"

/**
 * Where a container's image comes from: its registry, or the node that has it; or from nowhere, because its name is no
 * name of an image, or because it may not be pulled and is not there.
 *
 * Source: pkg/kubelet/images/image_manager.go (EnsureImageExists), github.com/distribution/reference (regexp.go).
 */
export type ImageSource = "registry" | "node" | "invalidName" | "absent"

/** An image that may never be pulled is on its node, unless pulling it would fail. */
export const imageSource = (
  { imagePullPolicy }: Core.Container,
  isNameValid: boolean,
  life: ContainerLife
): ImageSource => {
  if (!isNameValid) return "invalidName"
  if (imagePullPolicy !== "Never") return "registry"
  return life.pullFailures > 0 ? "absent" : "node"
}

const label = "[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?"
const host = String.raw`(?:${label}(?:\.${label})*|\[[a-fA-F0-9:]+\])(?::[0-9]+)?`
const part = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*"
const tag = String.raw`:\w[\w.-]{0,127}`
const digest = "@[A-Za-z][A-Za-z0-9]*(?:[+._-][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}"
const reference = new RegExp(`^(?:${host}/)?${part}(?:/${part})*(?:${tag})?(?:${digest})?$`, "u")
const bareDigest = /^[a-f0-9]{64}$/u

export const isImageName = (image: string): boolean => reference.test(image) && !bareDigest.test(image)

/** What is said of an image that cannot be had: in the status, and as an event of this reason. */
export const imageProblem = (
  image: string
): { readonly reason: string; readonly eventReason: string; readonly message: string } => {
  const quoted = JSON.stringify(image)
  // A good name is refused for one reason alone: it may not be pulled.
  if (isImageName(image)) {
    const message = `Container image ${quoted} is not present with pull policy of Never`
    return { reason: "ErrImageNeverPull", eventReason: "ErrImageNeverPull", message }
  }
  const why = `invalid reference format${remoteName(image) === remoteName(image).toLowerCase() ? "" : uppercase(image)}`
  const message = `Failed to apply default image tag ${quoted}: couldn't parse image reference ${quoted}: ${why}`
  return { reason: "InvalidImageName", eventReason: "InspectFailed", message }
}

const uppercase = (image: string): string => `: repository name (${remoteName(image)}) must be lowercase`

/** The repository's name on its registry, which for a bare name is a folder of Docker's own. */
const remoteName = (image: string): string => {
  const slash = image.indexOf("/")
  const first = image.slice(0, Math.max(0, slash))
  const isHost = /[.:]/u.test(first) || first === "localhost" || first !== first.toLowerCase()
  const [remote = ""] = (isHost ? image.slice(slash + 1) : image).split(":")
  return isHost || slash >= 0 ? remote : `library/${remote}`
}
