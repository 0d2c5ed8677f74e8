import { actorKindList } from "../../machines/actorKinds.ts"
import { compareTexts } from "../kubernetes/meta/text/compareTexts.ts"
import type { ActorKind } from "../../machines/actorKinds.ts"
import type { KubeObject } from "../kubernetes/meta/objects.ts"
import type { StatusMessage } from "./statusMessage.ts"
import type { MomentOrLatest } from "./history/moment.ts"

export interface PageAddress {
  readonly kind: AddressKind
  /** "" for a cluster-scoped object. */
  readonly namespace: string
  /** `web-1/app` for a container. */
  readonly name: string
}

export type AddressKind = ActorKind["kind"]
const addressKinds = actorKindList.map(({ kind }) => kind)

export const isAddressKind = (kind: string): kind is AddressKind => addressKinds.some((it) => it === kind)

export const addressHash = ({ kind, namespace, name }: PageAddress): string =>
  `#/${[kind, namespace, name].map(encodeURIComponent).join("/")}`

export const addressInHash = (hash: string): PageAddress | undefined => {
  const [objectPart = ""] = hash.slice(1).split("@")
  const [, kind = "", namespace, name] = objectPart.split("/")
  if (!isAddressKind(kind) || namespace === undefined || name === undefined) return undefined
  try {
    return { kind, namespace: decodeURIComponent(namespace), name: decodeURIComponent(name) }
  } catch {
    return undefined
  }
}

export const pageHash = (address: PageAddress | undefined, moment: MomentOrLatest): string => {
  const objectHash = address === undefined ? "" : addressHash(address)
  return moment === undefined ? objectHash : `${objectHash === "" ? "#/" : objectHash}@${moment}`
}

/** Undefined for the latest moment. */
export const momentInHash = (hash: string): number | undefined => {
  const [, numberText] = /@(\d{1,15})$/.exec(hash) ?? []
  return numberText === undefined ? undefined : Number(numberText)
}

export const hashProblem = (hash: string): StatusMessage | undefined => {
  const [objectHash = "", ...moments] = hash.split("@")
  const isObjectHash =
    objectHash === "" || objectHash === "#" || objectHash === "#/" || addressInHash(hash) !== undefined
  if (isObjectHash && (moments.length === 0 || momentInHash(hash) !== undefined)) return undefined
  const kinds = addressKinds.join(", ")
  const text = isObjectHash
    ? `The address has no number after its @: ${hash}`
    : `The address names no object: ${objectHash}. The form is #/KIND/NAMESPACE/NAME, with one of ${kinds}`
  return { text, isError: true }
}

export const momentBeyondEndMessage: StatusMessage = {
  text: "The address names a moment that is not in this recording: the latest moment is shown",
  isError: true
}

/** The key of an object, `Pod default/web-1`, whichever uid it has. */
export const nameKey = ({ kind = "", namespace = "", name = "" }: Partial<NameParts>): string =>
  `${kind} ${namespace}/${name}`

interface NameParts {
  readonly kind: string
  readonly namespace: string
  readonly name: string
}

export const objectKey = ({ kind, metadata: { namespace = "", name } }: KubeObject): string =>
  nameKey({ kind, namespace, name })

export const addressedObjectKey = ({ kind, namespace, name }: PageAddress): string =>
  kind === "Container"
    ? nameKey({ kind: "Pod", namespace, name: name.split("/")[0] ?? "" })
    : nameKey({ kind: kind === "Steering" ? "Deployment" : kind, namespace, name })

interface NamespacedName {
  readonly namespace?: string
  readonly name: string
}

/** The order is the same in any locale. */
export const byNamespaceAndName = (a: NamespacedName, b: NamespacedName): number =>
  compareTexts(a.namespace ?? "", b.namespace ?? "") || compareTexts(a.name, b.name)
