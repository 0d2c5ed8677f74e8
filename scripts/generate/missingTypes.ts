/**
 * Types of fields that the models lack: they say `string` for quantities and for maps of base64 text, and `any` for
 * types that decode themselves. Fields are named `Type.field`, types as in `src/generated/wireTypes.json`.
 *
 * Source: staging/src/k8s.io/api/core/v1/types.go and its like in the other groups (the types).
 */
const quantityFields: ReadonlySet<string> = new Set([
  "CSIStorageCapacity.capacity",
  "CSIStorageCapacity.maximumVolumeSize",
  "CapacityRequestPolicy.default",
  "CapacityRequestPolicy.validValues",
  "CapacityRequestPolicyRange.max",
  "CapacityRequestPolicyRange.min",
  "CapacityRequestPolicyRange.step",
  "CapacityRequirements.requests",
  "ContainerStatus.allocatedResources",
  "Counter.value",
  "DeviceCapacity.value",
  "DeviceRequestAllocationResult.consumedCapacity",
  "EmptyDirVolumeSource.sizeLimit",
  "LimitRangeItem.default",
  "LimitRangeItem.defaultRequest",
  "LimitRangeItem.max",
  "LimitRangeItem.maxLimitRequestRatio",
  "LimitRangeItem.min",
  "NodeAllocatableResourceClaimStatus.resources",
  "NodeAllocatableResourceMapping.allocationMultiplier",
  "NodeStatus.allocatable",
  "NodeStatus.capacity",
  "Overhead.podFixed",
  "PersistentVolumeClaimStatus.allocatedResources",
  "PersistentVolumeClaimStatus.capacity",
  "PersistentVolumeSpec.capacity",
  "PodSpec.overhead",
  "PodStatus.allocatedResources",
  "ResourceFieldSelector.divisor",
  "ResourceQuotaSpec.hard",
  "ResourceQuotaStatus.hard",
  "ResourceQuotaStatus.used",
  "ResourceRequirements.limits",
  "ResourceRequirements.requests",
  "V2HPAScalingRules.tolerance",
  "V2MetricTarget.averageValue",
  "V2MetricTarget.value",
  "V2MetricValueStatus.averageValue",
  "V2MetricValueStatus.value",
  "VolumeResourceRequirements.limits",
  "VolumeResourceRequirements.requests"
])

const byteFields: ReadonlySet<string> = new Set(["Secret.data", "ConfigMap.binaryData"])

export const isQuantity = (field: string): boolean => quantityFields.has(field)
export const isBytes = (field: string): boolean => byteFields.has(field)

const schemas = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1"
const meta = "io.k8s.apimachinery.pkg.apis.meta.v1"
const raw = "io.k8s.apimachinery.pkg.runtime.RawExtension"

const anyFields: Readonly<Record<string, string>> = {
  "CustomResourceSubresources.status": `${schemas}.CustomResourceSubresourceStatus`,
  "JSONSchemaProps.default": `${schemas}.JSON`,
  "JSONSchemaProps.enum": `${schemas}.JSON`,
  "JSONSchemaProps.additionalItems": `${schemas}.JSONSchemaPropsOrBool`,
  "JSONSchemaProps.additionalProperties": `${schemas}.JSONSchemaPropsOrBool`,
  "JSONSchemaProps.dependencies": `${schemas}.JSONSchemaPropsOrStringArray`,
  "JSONSchemaProps.example": `${schemas}.JSON`,
  "JSONSchemaProps.items": `${schemas}.JSONSchemaPropsOrArray`,
  "ManagedFieldsEntry.fieldsV1": `${meta}.FieldsV1`
}

/** Fields that are not listed hold any object. */
export const anySchemaOf = (field: string): string => anyFields[field] ?? raw
