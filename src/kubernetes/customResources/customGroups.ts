import { servedKinds } from "../meta/kinds.ts"

const builtInGroups: ReadonlySet<string> = new Set(servedKinds.map(({ group }) => group))

/**
 * `*.k8s.io` is reserved, except below a group such as `networking.k8s.io`. Source:
 * apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go.
 */
export const isCustomGroup = (group: string): boolean => {
  if (builtInGroups.has(group) || !group.includes(".")) return false
  const parentGroup = group.slice(group.indexOf(".") + 1)
  return !group.endsWith(".k8s.io") || builtInGroups.has(parentGroup)
}
