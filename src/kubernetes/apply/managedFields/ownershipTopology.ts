import { structFieldsOf, hasWireType, wireTypeOf, type WireType } from "../../admission/decoding/wireTypes.ts"
import { additionalPropertiesSchema, type OpenApiSchema } from "../../customResources/openApiSchema.ts"
import { elementPrefixLength } from "./pathElements.ts"
import type { Kind } from "../../meta/kinds.ts"

/**
 * Which parts of an object can have owners of their own: fields, map entries and elements of keyed lists. Anything
 * else is owned as a whole.
 * Source: the listType, listMapKey, mapType and structType markers in k8s.io/api and
 * apimachinery/pkg/apis/meta/v1/types.go.
 */
export type OwnershipTopology =
  | { readonly type: "atomic" }
  | {
      readonly type: "struct"
      readonly fields: ReadonlyMap<string, OwnershipTopology>
      /** Fields that are no pointers in Go and thus always present: an empty one gives no ownership. */
      readonly alwaysPresent: ReadonlySet<string>
      /** The topology of fields that are not listed; if undefined, such fields are errors. */
      readonly undeclared?: OwnershipTopology
    }
  | { readonly type: "map"; readonly values: OwnershipTopology }
  | { readonly type: "listMap"; readonly keys: ReadonlyArray<string>; readonly elements: OwnershipTopology }
  | { readonly type: "set" }
  /** Without a schema: maps are divided, lists are atomic. */
  | { readonly type: "deduced" }

/** The topology of a kind's objects; a custom resource's schema defines it. */
export const ownershipTopologyOf = (kind: Kind): OwnershipTopology => {
  const present = topologiesByKind.get(kind)
  if (present !== undefined) return present
  const topology = hasWireType(kind) ? topologyOfType(wireTypeOf(kind)) : customTopology(kind.custom?.schema)
  topologiesByKind.set(kind, topology)
  return topology
}

const topologiesByKind = new WeakMap<Kind, OwnershipTopology>()

const atomic: OwnershipTopology = { type: "atomic" }
const deduced: OwnershipTopology = { type: "deduced" }
const set: OwnershipTopology = { type: "set" }

const customTopology = (schema: OpenApiSchema = {}): OwnershipTopology => ({
  type: "struct",
  fields: new Map([
    ...schemaTopologies(schema),
    ["apiVersion", atomic],
    ["kind", atomic],
    ["metadata", topologyOfType("ObjectMeta")]
  ]),
  alwaysPresent: new Set(["metadata"]),
  undeclared: deduced
})

/**
 * Source: apiextensions-apiserver/pkg/controller/openapi/builder (types for server-side apply),
 * sigs.k8s.io/structured-merge-diff/schema.
 */
const topologyOfSchema = (schema: OpenApiSchema | undefined): OwnershipTopology => {
  if (schema === undefined) return deduced
  switch (schema.type) {
    case "array":
      return topologyOfList(schema)
    case "object":
      return topologyOfObject(schema)
    default:
      return schema["x-kubernetes-preserve-unknown-fields"] === true ? deduced : atomic
  }
}

const topologyOfList = (schema: OpenApiSchema): OwnershipTopology => {
  const { "x-kubernetes-list-type": type, "x-kubernetes-list-map-keys": keys = [], items } = schema
  if (type === "set") return { type: "set" }
  if (type !== "map") return atomic
  return { type: "listMap", keys: keys.toSorted(), elements: topologyOfSchema(items) }
}

const topologyOfObject = (schema: OpenApiSchema): OwnershipTopology => {
  if (schema["x-kubernetes-map-type"] === "atomic") return atomic
  const values = additionalPropertiesSchema(schema)
  if (values !== undefined) return { type: "map", values: topologyOfSchema(values) }
  return {
    type: "struct",
    fields: schemaTopologies(schema),
    alwaysPresent: new Set(),
    undeclared: deduced
  }
}

export const schemaTopologies = ({
  properties = {}
}: OpenApiSchema): ReadonlyMap<string, OwnershipTopology> =>
  new Map(Object.entries(properties).map(([name, schema]) => [name, topologyOfSchema(schema)] as const))

/** Built on first use, because structs refer to each other in cycles. */
const topologies = new WeakMap<object, OwnershipTopology>()

/** The topology of a built-in type: a struct of the API, `map:` or `list:` with another type, or a scalar. */
const topologyOfType = (type: WireType): OwnershipTopology => {
  if (type === "any") return deduced
  if (type.startsWith("map:")) return { type: "map", values: topologyOfType(type.slice("map:".length)) }
  const types = structFieldsOf(type)
  if (types === undefined || atomicStructs.has(type)) return atomic
  return topologies.get(types) ?? topologyOfStruct(type, types)
}

const topologyOfStruct = (type: WireType, types: Readonly<Record<string, WireType>>): OwnershipTopology => {
  const fields = new Map<string, OwnershipTopology>()
  const topology: OwnershipTopology = { type: "struct", fields, alwaysPresent: alwaysPresentIn(type) }
  topologies.set(types, topology)
  for (const [field, fieldType] of Object.entries(types))
    fields.set(field, topologyOfField(type, field, fieldType))
  return topology
}

/** The value of a key field that an element of a list leaves out. */
export const defaultKeyValue = (field: string): string | number =>
  field === "protocol" ? "TCP" : field === "containerPort" || field === "port" ? 0 : ""

const topologyOfField = (struct: WireType, field: string, type: WireType): OwnershipTopology => {
  const rule = topologyRuleOf(struct, field)
  if (rule === "atomic") return atomic
  if (rule === "set") return set
  if (rule === undefined || !type.startsWith("list:")) return topologyOfType(type)
  const elements = topologyOfType(type.slice("list:".length))
  return { type: "listMap", keys: rule, elements }
}

/** How a field is owned: as a list with these key fields, as a set, or as a whole. */
type TopologyRule = ReadonlyArray<string> | "set" | "atomic"

export const topologyRuleOf = (struct: WireType, field: string): TopologyRule | undefined => {
  const structRules = Object.hasOwn(rulesByStruct, struct) ? rulesByStruct[struct] : undefined
  if (structRules !== undefined && Object.hasOwn(structRules, field)) return structRules[field]
  return field === "conditions" && struct.endsWith("Status") ? ["type"] : undefined
}

export const atomicStructs: ReadonlySet<WireType> = new Set([
  "ConfigMapKeySelector",
  "CoreV1EndpointPort",
  "CrossVersionObjectReference",
  "DiscoveryV1EndpointPort",
  "EndpointAddress",
  "FileKeySelector",
  "LabelSelector",
  "LocalObjectReference",
  "MatchResources",
  "NamedRuleWithOperations",
  "NodeSelector",
  "NodeSelectorTerm",
  "ObjectFieldSelector",
  "ObjectReference",
  "OwnerReference",
  "ParamKind",
  "ParamRef",
  "RbacV1Subject",
  "ResourceFieldSelector",
  "RoleRef",
  "ScopeSelector",
  "SecretKeySelector",
  "SecretReference",
  "ServiceBackendPort",
  "TopologySelectorTerm",
  "TypedLocalObjectReference"
])

const containerRules: Readonly<Record<string, TopologyRule>> = {
  env: ["name"],
  ports: ["containerPort", "protocol"],
  volumeDevices: ["devicePath"],
  volumeMounts: ["mountPath"]
}

const rulesByStruct: Readonly<Record<string, Readonly<Record<string, TopologyRule>>>> = {
  AllocatedDeviceStatus: { conditions: ["type"] },
  CSIDriverSpec: { volumeLifecycleModes: "set" },
  CSINodeSpec: { drivers: ["name"] },
  Container: containerRules,
  ContainerStatus: { allocatedResourcesStatus: ["name"], volumeMounts: ["mountPath"] },
  Endpoint: { addresses: "set" },
  EphemeralContainer: containerRules,
  JobStatus: { conditions: "atomic" },
  MutatingAdmissionPolicySpec: { matchConditions: ["name"] },
  MutatingWebhook: { matchConditions: ["name"] },
  MutatingWebhookConfiguration: { webhooks: ["name"] },
  NodeSpec: { podCIDRs: "set" },
  NodeStatus: { addresses: ["type"] },
  NonResourcePolicyRule: { nonResourceURLs: "set", verbs: "set" },
  ObjectMeta: { finalizers: "set", ownerReferences: ["uid"] },
  PodFailurePolicyOnExitCodesRequirement: { values: "set" },
  PodSpec: {
    containers: ["name"],
    ephemeralContainers: ["name"],
    hostAliases: ["ip"],
    imagePullSecrets: ["name"],
    initContainers: ["name"],
    nodeSelector: "atomic",
    resourceClaims: ["name"],
    schedulingGates: ["name"],
    topologySpreadConstraints: ["topologyKey", "whenUnsatisfiable"],
    volumes: ["name"]
  },
  PodStatus: { podIPs: ["ip"], resourceClaimStatuses: ["name"] },
  ReplicationControllerSpec: { selector: "atomic" },
  ResourceClaimStatus: { devices: ["device", "driver", "pool", "shareID"], reservedFor: ["uid"] },
  ResourcePolicyRule: { apiGroups: "set", namespaces: "set", resources: "set", verbs: "set" },
  ResourceRequirements: { claims: ["name"] },
  ResourceStatus: { resources: ["resourceID"] },
  Scheduling: { nodeSelector: "atomic" },
  ServiceAccount: { secrets: ["name"] },
  ServiceSpec: { ports: ["port", "protocol"], selector: "atomic" },
  UncountedTerminatedPods: { failed: "set", succeeded: "set" },
  ValidatingAdmissionPolicyBindingSpec: { validationActions: "set" },
  ValidatingAdmissionPolicySpec: { matchConditions: ["name"], variables: ["name"] },
  ValidatingWebhook: { matchConditions: ["name"] },
  ValidatingWebhookConfiguration: { webhooks: ["name"] }
}

const alwaysPresentFields: Readonly<Record<string, ReadonlyArray<string>>> = {
  AllocationResult: ["devices"],
  Container: ["resources"],
  CoreV1Event: ["source"],
  CronJobSpec: ["jobTemplate"],
  DaemonSetSpec: ["template", "updateStrategy"],
  DeploymentSpec: ["strategy", "template"],
  EphemeralContainer: ["resources"],
  FlowSchemaSpec: ["priorityLevelConfiguration"],
  IngressStatus: ["loadBalancer"],
  JobSpec: ["template"],
  LimitedPriorityLevelConfiguration: ["limitResponse"],
  MutatingWebhook: ["clientConfig"],
  NodeDaemonEndpoints: ["kubeletEndpoint"],
  NodeStatus: ["daemonEndpoints", "nodeInfo"],
  PersistentVolumeClaimSpec: ["resources"],
  PodSpec: ["containers"],
  PodTemplate: ["template"],
  ReplicaSetSpec: ["template"],
  ResourceClaimSpec: ["devices"],
  ResourceSliceSpec: ["pool"],
  ServiceStatus: ["loadBalancer"],
  StatefulSetSpec: ["template", "updateStrategy"],
  V2HorizontalPodAutoscalerSpec: ["scaleTargetRef"],
  ValidatingWebhook: ["clientConfig"],
  VolumeAttachmentSpec: ["source"]
}

/** Fields named `metadata`, `spec` and `status` are never pointers in Go; the other ones are in the table. */
const alwaysPresentIn = (struct: WireType): ReadonlySet<string> =>
  new Set([
    "metadata",
    "spec",
    "status",
    ...((Object.hasOwn(alwaysPresentFields, struct) ? alwaysPresentFields[struct] : undefined) ?? [])
  ])

export const fieldTopology = (topology: OwnershipTopology, name: string): OwnershipTopology => {
  if (topology.type === "struct") return topology.fields.get(name) ?? topology.undeclared ?? deduced
  return topology.type === "map" ? topology.values : deduced
}

/**
 * The topology of a part, by its path element. `isDeclaredField`: whether the part is a field that its struct lists.
 */
export const partTopology = (
  topology: OwnershipTopology,
  element: string
): { readonly topology: OwnershipTopology; readonly isDeclaredField: boolean } => {
  switch (topology.type) {
    case "struct": {
      const field = topology.fields.get(element.slice(elementPrefixLength))
      return { topology: field ?? topology.undeclared ?? deduced, isDeclaredField: field !== undefined }
    }
    case "map":
      return { topology: topology.values, isDeclaredField: false }
    case "listMap":
      return { topology: topology.elements, isDeclaredField: false }
    default:
      return { topology: deduced, isDeclaredField: false }
  }
}
