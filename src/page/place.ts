import { compareTexts } from "../kubernetes/meta/text/compareTexts.ts"
import type { KubeObject } from "../kubernetes/meta/objects.ts"
import type { Said } from "./said.ts"

/** What is looked at. It stands in the address, so that going back and reloading keep it. */
export interface Place {
  readonly kind: PlaceKind
  /** "" for what is in none. */
  readonly namespace: string
  /** A container is called by its Pod and its own name, `web-1/app`. */
  readonly name: string
}

const placeKinds = ["Deployment", "ReplicaSet", "Pod", "Container", "Node"] as const
export type PlaceKind = (typeof placeKinds)[number]

export const placeHash = ({ kind, namespace, name }: Place): string =>
  `#/${[kind, namespace, name].map(encodeURIComponent).join("/")}`

/** Undefined for a fragment that says of nothing. */
export const placeIn = (hash: string): Place | undefined => {
  const [address = ""] = hash.slice(1).split("@")
  const [, stated = "", namespace, name] = address.split("/")
  const kind = placeKinds.find((it) => it === stated)
  if (kind === undefined || namespace === undefined || name === undefined) return undefined
  try {
    return { kind, namespace: decodeURIComponent(namespace), name: decodeURIComponent(name) }
  } catch {
    return undefined
  }
}

/** What the address says: what is looked at, and as it was when. */
export const addressOf = (place: Place | undefined, moment: number | undefined): string => {
  const where = place === undefined ? "" : placeHash(place)
  return moment === undefined ? where : `${where === "" ? "#/" : where}@${moment}`
}

/** The number behind the `@` of an address; undefined for now. */
export const momentIn = (hash: string): number | undefined => {
  const [, stated] = /@(\d{1,15})$/.exec(hash) ?? []
  return stated === undefined ? undefined : Number(stated)
}

/** What is to be said of an address that names something else than a place and a moment. */
export const strangeIn = (hash: string): Said | undefined => {
  const [where = "", ...moments] = hash.split("@")
  const isPlace = where === "" || where === "#" || where === "#/" || placeIn(hash) !== undefined
  if (isPlace && (moments.length === 0 || momentIn(hash) !== undefined)) return undefined
  const kinds = placeKinds.join(", ")
  const text = isPlace
    ? `The address has no number of a moment behind its @: ${hash}`
    : `The address names nothing that can be looked at: ${where}. It would be #/KIND/NAMESPACE/NAME with one of ${kinds}`
  return { text, refused: true }
}

/** What is to be said of an address that is of a moment beyond all that are known. */
export const beyond: Said = {
  text: "The address is of a moment that never came here: what is shown is the latest",
  refused: true
}

/** By this a thing is found that is called so. */
export const keyOf = ({ kind = "", namespace = "", name = "" }: Partial<Named>): string =>
  `${kind} ${namespace}/${name}`

interface Named {
  readonly kind: string
  readonly namespace: string
  readonly name: string
}

export const objectKey = ({ kind, metadata: { namespace = "", name } }: KubeObject): string =>
  keyOf({ kind, namespace, name })

/** The object that a place is, or that it is a part of. */
export const placeKey = ({ kind, namespace, name }: Place): string =>
  kind === "Container"
    ? keyOf({ kind: "Pod", namespace, name: name.split("/")[0] ?? "" })
    : keyOf({ kind, namespace, name })

interface InNamespace {
  readonly namespace?: string
  readonly name: string
}

/** Orders by namespace, then by name, the same in every language. */
export const byNamespaceAndName = (a: InNamespace, b: InNamespace): number =>
  compareTexts(a.namespace ?? "", b.namespace ?? "") || compareTexts(a.name, b.name)
