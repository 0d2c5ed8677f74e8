import { behaviourApiVersion } from "../behaviours/behaviour.ts"
import { isBuiltInGroup, isCustomType } from "../kubernetes/customResources/customTypes.ts"
import { isFields } from "../kubernetes/meta/fields.ts"
import { servedKindOfObject, type ObjectTypeMeta } from "../kubernetes/meta/kinds.ts"

/** The type of an object that a cluster may serve, and on which nothing here acts; undefined for every other. */
export const skippedType = (
  value: unknown,
  { skipsRemoved }: { readonly skipsRemoved: boolean }
): ObjectTypeMeta | undefined => {
  const { apiVersion, kind } = isFields(value) ? value : {}
  if (typeof apiVersion !== "string" || typeof kind !== "string" || kind === "") return undefined
  const [, group] = /^([^/]+)\/[^/]+$/.exec(apiVersion) ?? []
  if (group === undefined || group === groupOf(behaviourApiVersion)) return undefined
  const type = { apiVersion, kind }
  return isCustomType(group, kind) || isOptional(type) || (skipsRemoved && isRemoved(type)) ? type : undefined
}

const groupOf = (apiVersion: string): string => apiVersion.split("/")[0] ?? ""

const workloadKinds: ReadonlySet<string> = new Set(["Deployment", "ReplicaSet", "StatefulSet", "DaemonSet"])

const isRemoved = (type: ObjectTypeMeta): boolean =>
  isUnservedPrerelease(type) && !isOptional(type) && !workloadKinds.has(type.kind)

/** A server of this release serves it only if its `--runtime-config` says so. */
const isOptional = (type: ObjectTypeMeta): boolean =>
  isUnservedPrerelease(type) && (optionalKinds[groupOf(type.apiVersion)] ?? []).includes(type.kind)

const isUnservedPrerelease = (type: ObjectTypeMeta): boolean => {
  const [group = "", version = ""] = type.apiVersion.split("/")
  return (
    (isBuiltInGroup(group) || group === "extensions") &&
    /^v\d+(alpha|beta)\d+$/.test(version) &&
    servedKindOfObject(type) === undefined
  )
}

/** Kinds that have alpha or beta versions in 1.36. Source: api/discovery/aggregated_v2.json. */
const optionalKinds: Readonly<Record<string, ReadonlyArray<string>>> = {
  "admissionregistration.k8s.io": ["MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding"],
  "certificates.k8s.io": ["ClusterTrustBundle", "PodCertificateRequest"],
  "coordination.k8s.io": ["LeaseCandidate"],
  "networking.k8s.io": ["IPAddress", "ServiceCIDR"],
  "resource.k8s.io": [
    "DeviceClass",
    "DeviceTaintRule",
    "ResourceClaim",
    "ResourceClaimTemplate",
    "ResourcePoolStatusRequest",
    "ResourceSlice"
  ],
  "scheduling.k8s.io": ["PodGroup", "Workload"],
  "storage.k8s.io": ["VolumeAttributesClass"],
  "storagemigration.k8s.io": ["StorageVersionMigration"]
}

/** At most one warning for each reason, which names all kinds. */
export const skippedTypeWarnings = (types: ReadonlyArray<ObjectTypeMeta>): ReadonlyArray<string> => [
  ...skippedWarning(
    types.filter((type) => !isUnservedPrerelease(type)),
    "no controller acts on custom resources here"
  ),
  ...skippedWarning(
    types.filter(isOptional),
    "release 1.36 serves that only if its --runtime-config says so"
  ),
  ...skippedWarning(types.filter(isRemoved), "release 1.36 does not serve that")
]

const skippedWarning = (types: ReadonlyArray<ObjectTypeMeta>, why: string): ReadonlyArray<string> => {
  const names = [...new Set(types.map(({ apiVersion, kind }) => `${kind} of ${apiVersion}`))]
  const verb = names.length === 1 ? "is" : "are"
  return names.length === 0 ? [] : [`${names.join(", ")} ${verb} left out: ${why}`]
}
