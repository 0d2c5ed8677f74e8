import { behaviourApiVersion } from "../behaviours/behaviour.ts"
import { isCustomGroup } from "../kubernetes/customResources/customGroups.ts"
import { isFields } from "../kubernetes/meta/fields.ts"
import type { ObjectTypeMeta } from "../kubernetes/meta/kinds.ts"

/** The type of a custom resource; undefined for every other object. */
export const customResourceType = (value: unknown): ObjectTypeMeta | undefined => {
  const { apiVersion, kind } = isFields(value) ? value : {}
  if (typeof apiVersion !== "string" || typeof kind !== "string" || kind === "") return undefined
  const [, group] = /^([^/]+)\/[^/]+$/.exec(apiVersion) ?? []
  if (group === undefined || group === groupOf(behaviourApiVersion)) return undefined
  return isCustomGroup(group) ? { apiVersion, kind } : undefined
}

const groupOf = (apiVersion: string): string => apiVersion.split("/")[0] ?? ""

/** At most one warning, which names all kinds. */
export const skippedTypeWarnings = (kinds: ReadonlyArray<ObjectTypeMeta>): ReadonlyArray<string> => {
  const names = [...new Set(kinds.map(({ apiVersion, kind }) => `${kind} of ${apiVersion}`))]
  const verb = names.length === 1 ? "is" : "are"
  return names.length === 0
    ? []
    : [`${names.join(", ")} ${verb} left out: no controller acts on custom resources here`]
}
