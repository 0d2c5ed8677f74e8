import { servedKinds } from "../meta/kinds.ts"

const builtInGroups: ReadonlySet<string> = new Set(servedKinds.map(({ group }) => group))
const builtInKindNames: ReadonlySet<string> = new Set(servedKinds.map(({ kind }) => kind))

/**
 * A built-in kind in an unknown group of `*.k8s.io`, such as `autoscaling.k8s.io`, is a mistake. Source:
 * apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go.
 */
export const isCustomType = (group: string, kind: string): boolean => {
  if (isBuiltInGroup(group) || !group.includes(".")) return false
  const parentGroup = group.slice(group.indexOf(".") + 1)
  return !group.endsWith(".k8s.io") || isBuiltInGroup(parentGroup) || !builtInKindNames.has(kind)
}

export const isBuiltInGroup = (group: string): boolean => builtInGroups.has(group)
