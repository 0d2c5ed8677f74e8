import { servedKinds } from "../kinds.ts"

const ownGroups: ReadonlySet<string> = new Set(servedKinds.map(({ group }) => group))

/**
 * Whether only a definition could bring kinds of a group: a domain, which is none of Kubernetes' own. `*.k8s.io` is
 * Kubernetes' own, but for what lies below another group of its own, as `gateway.networking.k8s.io` does.
 *
 * Source: staging/src/k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go (spec.group).
 */
export const isCustomGroup = (group: string): boolean => {
  if (ownGroups.has(group) || !group.includes(".")) return false
  const above = group.slice(group.indexOf(".") + 1)
  return !group.endsWith(".k8s.io") || ownGroups.has(above)
}
