import { servedKinds } from "../meta/kinds.ts"

const builtInGroups: ReadonlySet<string> = new Set(servedKinds.map(({ group }) => group))

/**
 * Whether only a CustomResourceDefinition can define kinds of the group. `*.k8s.io` is reserved for Kubernetes,
 * except below one of its groups, for example `gateway.networking.k8s.io`.
 * Source: staging/src/k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go (spec.group).
 */
export const isCustomGroup = (group: string): boolean => {
  if (builtInGroups.has(group) || !group.includes(".")) return false
  const parentGroup = group.slice(group.indexOf(".") + 1)
  return !group.endsWith(".k8s.io") || builtInGroups.has(parentGroup)
}
