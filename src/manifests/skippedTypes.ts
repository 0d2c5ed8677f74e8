import { behaviourApiVersion } from "../behaviours/behaviour.ts"
import { isBuiltInGroup, isCustomType } from "../kubernetes/customResources/customTypes.ts"
import { isFields } from "../kubernetes/meta/fields.ts"
import { servedKindOfObject, type ObjectTypeMeta } from "../kubernetes/meta/kinds.ts"

/** The type of a custom resource, or of an object that Kubernetes does not serve; undefined for every other. */
export const skippedType = (value: unknown): ObjectTypeMeta | undefined => {
  const { apiVersion, kind } = isFields(value) ? value : {}
  if (typeof apiVersion !== "string" || typeof kind !== "string" || kind === "") return undefined
  const [, group] = /^([^/]+)\/[^/]+$/.exec(apiVersion) ?? []
  if (group === undefined || group === groupOf(behaviourApiVersion)) return undefined
  const type = { apiVersion, kind }
  return isCustomType(group, kind) || isRemoved(type) ? type : undefined
}

const groupOf = (apiVersion: string): string => apiVersion.split("/")[0] ?? ""

const workloadKinds: ReadonlySet<string> = new Set(["Deployment", "ReplicaSet", "StatefulSet", "DaemonSet"])

/** A workload of a version that is no longer served is a mistake, since it never begins. */
const isRemoved = (type: ObjectTypeMeta): boolean => {
  const [group = "", version = ""] = type.apiVersion.split("/")
  return (
    (isBuiltInGroup(group) || group === "extensions") &&
    /^v\d+(alpha|beta)\d+$/.test(version) &&
    !workloadKinds.has(type.kind) &&
    servedKindOfObject(type) === undefined
  )
}

/** At most one warning of custom resources and one of removed versions, which name all kinds. */
export const skippedTypeWarnings = (types: ReadonlyArray<ObjectTypeMeta>): ReadonlyArray<string> => [
  ...skippedWarning(
    types.filter((type) => !isRemoved(type)),
    "no controller acts on custom resources here"
  ),
  ...skippedWarning(types.filter(isRemoved), "release 1.36 does not serve that")
]

const skippedWarning = (types: ReadonlyArray<ObjectTypeMeta>, why: string): ReadonlyArray<string> => {
  const names = [...new Set(types.map(({ apiVersion, kind }) => `${kind} of ${apiVersion}`))]
  const verb = names.length === 1 ? "is" : "are"
  return names.length === 0 ? [] : [`${names.join(", ")} ${verb} left out: ${why}`]
}
