import type { Kind } from "../domain/kinds.ts"

/** Kinds that are only ever sent below an object, and stored nowhere. */
const bodyKind = (group: string, version: string, kind: string): Kind => ({
  group,
  version,
  kind,
  plural: `${kind.toLowerCase()}s`,
  singular: kind.toLowerCase(),
  namespaced: true,
  shortNames: [],
  categories: [],
  verbs: [],
  subresources: []
})

export const scaleKind = bodyKind("autoscaling", "v1", "Scale")
export const bindingKind = bodyKind("", "v1", "Binding")
export const evictionKind = bodyKind("policy", "v1", "Eviction")
/** The same in the version before, which is still understood where it is sent. */
export const oldEvictionKind = bodyKind("policy", "v1beta1", "Eviction")
