import { structFieldsOf, hasWireType, wireTypeOf, type WireType } from "../../admission/decoding/wireTypes.ts"
import { valuesSchema, type OpenApiSchema } from "../../customResources/openApiSchema.ts"
import type { Kind } from "../../meta/kinds.ts"

/**
 * Which parts of an object can have owners of their own: fields, map entries and elements of keyed lists. Anything
 * else is owned as a whole.
 * Source: the listType, listMapKey, mapType and structType markers in staging/src/k8s.io/api and
 * staging/src/k8s.io/apimachinery/pkg/apis/meta/v1/types.go. Container ports and topology spread constraints have
 * other keys than in strategic merge patches.
 */
export type Topology =
  | { readonly type: "atomic" }
  | {
      readonly type: "struct"
      readonly fields: ReadonlyMap<string, Topology>
      /** Fields that are no pointers in Go and thus always present: an empty one gives no ownership. */
      readonly alwaysThere: ReadonlySet<string>
      readonly others?: Topology
    }
  | { readonly type: "map"; readonly values: Topology }
  | { readonly type: "listMap"; readonly keys: ReadonlyArray<string>; readonly elements: Topology }
  | { readonly type: "set" }
  /** Without a schema: maps are divided, lists are atomic. */
  | { readonly type: "deduced" }

/** The topology of a kind's objects; a custom resource's schema defines it. */
export const topologyOf = (kind: Kind): Topology =>
  hasWireType(kind) ? shapeOfType(wireTypeOf(kind)) : customShape(kind.custom?.schema)

const atomic: Topology = { type: "atomic" }
const deduced: Topology = { type: "deduced" }
const set: Topology = { type: "set" }

const customShape = (schema: OpenApiSchema = {}): Topology => ({
  type: "struct",
  fields: new Map([
    ...schemaTopologies(schema),
    ["apiVersion", atomic],
    ["kind", atomic],
    ["metadata", shapeOfType("ObjectMeta")]
  ]),
  alwaysThere: new Set(["metadata"]),
  others: deduced
})

/**
 * Source: staging/src/k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder (types for server-side apply),
 * sigs.k8s.io/structured-merge-diff/schema.
 */
const shapeOfSchema = (schema: OpenApiSchema | undefined): Topology => {
  if (schema === undefined) return deduced
  switch (schema.type) {
    case "array":
      return shapeOfList(schema)
    case "object":
      return shapeOfObject(schema)
    default:
      return schema["x-kubernetes-preserve-unknown-fields"] === true ? deduced : atomic
  }
}

const shapeOfList = (schema: OpenApiSchema): Topology => {
  const { "x-kubernetes-list-type": type, "x-kubernetes-list-map-keys": keys = [], items } = schema
  if (type === "set") return { type: "set" }
  if (type !== "map") return atomic
  return { type: "listMap", keys: keys.toSorted(), elements: shapeOfSchema(items) }
}

const shapeOfObject = (schema: OpenApiSchema): Topology => {
  if (schema["x-kubernetes-map-type"] === "atomic") return atomic
  const values = valuesSchema(schema)
  if (values !== undefined) return { type: "map", values: shapeOfSchema(values) }
  return {
    type: "struct",
    fields: schemaTopologies(schema),
    alwaysThere: new Set(),
    others: deduced
  }
}

export const schemaTopologies = ({ properties = {} }: OpenApiSchema): ReadonlyMap<string, Topology> =>
  new Map(Object.entries(properties).map(([name, schema]) => [name, shapeOfSchema(schema)] as const))

/** Built on first use, because structs refer to each other in cycles. */
const shapes = new WeakMap<object, Topology>()

const shapeOfType = (type: WireType): Topology => {
  if (type === "any") return deduced
  if (type.startsWith("map:")) return { type: "map", values: shapeOfType(type.slice("map:".length)) }
  const types = structFieldsOf(type)
  if (types === undefined || atomicStructs.has(type)) return atomic
  return shapes.get(types) ?? shapeOfStruct(type, types)
}

const shapeOfStruct = (type: WireType, types: Readonly<Record<string, WireType>>): Topology => {
  const fields = new Map<string, Topology>()
  const shape: Topology = { type: "struct", fields, alwaysThere: alwaysPresentIn(type) }
  shapes.set(types, shape)
  for (const [field, fieldType] of Object.entries(types))
    fields.set(field, shapeOfField(type, field, fieldType))
  return shape
}

/** The value of a key field that an element omits. */
export const defaultKeyValue = (field: string): string | number =>
  field === "protocol" ? "TCP" : field === "containerPort" || field === "port" ? 0 : ""

const shapeOfField = (struct: WireType, field: string, type: WireType): Topology => {
  const rule = topologyRuleOf(struct, field)
  if (rule === "atomic") return atomic
  if (rule === "set") return set
  if (rule === undefined || !type.startsWith("list:")) return shapeOfType(type)
  const elements = shapeOfType(type.slice("list:".length))
  return { type: "listMap", keys: rule, elements }
}

type Rule = ReadonlyArray<string> | "set" | "atomic"

export const topologyRuleOf = (struct: WireType, field: string): Rule | undefined => {
  const structRules = Object.hasOwn(rules, struct) ? rules[struct] : undefined
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
  "NodeSelector",
  "NodeSelectorTerm",
  "ObjectFieldSelector",
  "ObjectReference",
  "OwnerReference",
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

const containerRules: Readonly<Record<string, Rule>> = {
  env: ["name"],
  ports: ["containerPort", "protocol"],
  volumeDevices: ["devicePath"],
  volumeMounts: ["mountPath"]
}

const rules: Readonly<Record<string, Readonly<Record<string, Rule>>>> = {
  Container: containerRules,
  ContainerStatus: { allocatedResourcesStatus: ["name"], volumeMounts: ["mountPath"] },
  Endpoint: { addresses: "set" },
  EphemeralContainer: containerRules,
  JobStatus: { conditions: "atomic" },
  NodeSpec: { podCIDRs: "set" },
  NodeStatus: { addresses: ["type"] },
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
  ResourceRequirements: { claims: ["name"] },
  ResourceStatus: { resources: ["resourceID"] },
  ServiceAccount: { secrets: ["name"] },
  ServiceSpec: { ports: ["port", "protocol"], selector: "atomic" },
  UncountedTerminatedPods: { failed: "set", succeeded: "set" }
}

const alwaysPresentFields: Readonly<Record<string, ReadonlyArray<string>>> = {
  Container: ["resources"],
  CoreV1Event: ["source"],
  CronJobSpec: ["jobTemplate"],
  DaemonSetSpec: ["template", "updateStrategy"],
  DeploymentSpec: ["strategy", "template"],
  EphemeralContainer: ["resources"],
  IngressStatus: ["loadBalancer"],
  JobSpec: ["template"],
  NodeDaemonEndpoints: ["kubeletEndpoint"],
  NodeStatus: ["daemonEndpoints", "nodeInfo"],
  PersistentVolumeClaimSpec: ["resources"],
  PodSpec: ["containers"],
  PodTemplate: ["template"],
  ReplicaSetSpec: ["template"],
  ServiceStatus: ["loadBalancer"],
  StatefulSetSpec: ["template", "updateStrategy"],
  V2HorizontalPodAutoscalerSpec: ["scaleTargetRef"]
}

/** Fields with these names are never pointers in Go. */
const alwaysPresentIn = (struct: WireType): ReadonlySet<string> =>
  new Set([
    "metadata",
    "spec",
    "status",
    ...((Object.hasOwn(alwaysPresentFields, struct) ? alwaysPresentFields[struct] : undefined) ?? [])
  ])

export const fieldTopology = (shape: Topology, name: string): Topology => {
  if (shape.type === "struct") return shape.fields.get(name) ?? shape.others ?? deduced
  return shape.type === "map" ? shape.values : deduced
}

export const partTopology = (
  shape: Topology,
  element: string
): { readonly shape: Topology; readonly named: boolean } => {
  switch (shape.type) {
    case "struct": {
      const field = shape.fields.get(element.slice(2))
      return { shape: field ?? shape.others ?? deduced, named: field !== undefined }
    }
    case "map":
      return { shape: shape.values, named: false }
    case "listMap":
      return { shape: shape.elements, named: false }
    default:
      return { shape: deduced, named: false }
  }
}
