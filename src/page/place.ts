/** What is looked at. It stands in the address, so that going back and reloading keep it. */
export interface Place {
  readonly kind: PlaceKind
  /** "" for what is in none. */
  readonly namespace: string
  readonly name: string
}

export const placeKinds = ["Deployment", "ReplicaSet", "Pod", "Container", "Node"] as const
export type PlaceKind = (typeof placeKinds)[number]

export const placeHash = ({ kind, namespace, name }: Place): string =>
  `#/${[kind, namespace, name].map(encodeURIComponent).join("/")}`

/** Undefined for a fragment that says of nothing. */
export const placeIn = (hash: string): Place | undefined => {
  const [, stated = "", namespace, name] = hash.slice(1).split("/")
  const kind = placeKinds.find((it) => it === stated)
  if (kind === undefined || namespace === undefined || name === undefined) return undefined
  try {
    return { kind, namespace: decodeURIComponent(namespace), name: decodeURIComponent(name) }
  } catch {
    return undefined
  }
}
