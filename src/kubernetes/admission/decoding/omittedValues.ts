import { numberedFieldsOf, type NumberedField } from "./fieldNumbers.ts"
import type { WireType } from "./wireTypes.ts"

/** Zero, or an empty list or map, of a struct's field that has `omitempty` and is no pointer in Go. */
export const isOmittedValue = (
  value: unknown,
  { struct, field, type }: { readonly struct: WireType; readonly field: string; readonly type: WireType }
): boolean => {
  const isZero = value === "" || value === 0 || value === false
  if (!isZero && !isEmptyCollection(value, type)) return false
  return fieldOf(struct, field)?.keepsZero === false && !shownWhenEmpty.has(`${struct}.${field}`)
}

const isEmptyCollection = (value: unknown, type: WireType): boolean =>
  Array.isArray(value)
    ? value.length === 0
    : typeof value === "object" &&
      value !== null &&
      type.startsWith("map:") &&
      Object.keys(value).length === 0

/** Lists and maps without `omitempty`. */
const shownWhenEmpty: ReadonlySet<string> = new Set(
  `CSINodeDriver.topologyKeys CSINodeSpec.drivers CephFSPersistentVolumeSource.monitors
  CephFSVolumeSource.monitors ClusterRole.rules CounterSet.counters CustomResourceDefinitionSpec.versions
  CustomResourceDefinitionStatus.conditions CustomResourceDefinitionStatus.storedVersions
  DeviceCounterConsumption.counters Endpoint.addresses EndpointSlice.endpoints EndpointSlice.ports
  HTTPIngressRuleValue.paths LimitRangeSpec.limits MutatingWebhook.admissionReviewVersions
  NodeSelector.nodeSelectorTerms NonResourcePolicyRule.nonResourceURLs NonResourcePolicyRule.verbs
  PodFailurePolicy.rules PodFailurePolicyOnExitCodesRequirement.values PodSpec.containers
  PolicyRule.verbs PolicyRulesWithSubjects.subjects ProjectedVolumeSource.sources
  RBDPersistentVolumeSource.monitors RBDVolumeSource.monitors ResourcePolicyRule.apiGroups
  ResourcePolicyRule.resources ResourcePolicyRule.verbs Role.rules SuccessPolicy.rules
  TopologySelectorLabelRequirement.values ValidatingWebhook.admissionReviewVersions
  WebhookConversion.conversionReviewVersions`.split(/\s+/)
)

const fieldOf = (struct: string, name: string): NumberedField | undefined => {
  let fields = fieldsByStruct.get(struct)
  if (fields === undefined) fieldsByStruct.set(struct, (fields = new Map(fieldsByNameOf(struct))))
  return fields.get(name)
}

const fieldsByStruct = new Map<string, ReadonlyMap<string, NumberedField>>()

/** A struct's own fields come last, since they win over inlined ones. */
const fieldsByNameOf = (struct: string): ReadonlyArray<readonly [name: string, NumberedField]> => {
  const fields = [...(numberedFieldsOf(struct)?.values() ?? [])]
  return [
    ...fields.filter(({ isInlined }) => isInlined).flatMap(({ name }) => fieldsByNameOf(name)),
    ...fields.filter(({ isInlined }) => !isInlined).map((field) => [field.name, field] as const)
  ]
}
