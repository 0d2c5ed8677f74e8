import type { Kind } from "../../kubernetes/meta/kinds.ts"

/** A kind that occurs only as the body of a subresource and is never stored. */
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
/** Old clients still send `policy/v1beta1`. */
export const evictionV1beta1Kind = bodyKind("policy", "v1beta1", "Eviction")
export const tokenRequestKind = bodyKind("authentication.k8s.io", "v1", "TokenRequest")
