import { fieldsOf, isDescribed, rootTypeOf, type WireType } from "../admission/wireTypes.ts"
import { fieldsOfSchema } from "../customResources/shape.ts"
import type { Schema } from "../customResources/schema.ts"
import type { Kind } from "../kinds.ts"

/**
 * What of an object can have an owner of its own: a field, an entry of a map, an element of a list that has a
 * key. Everything else is owned as a whole.
 *
 * Source: the listType, listMapKey, mapType and structType markers in staging/src/k8s.io/api and
 * staging/src/k8s.io/apimachinery/pkg/apis/meta/v1/types.go. For container ports and topology spread
 * constraints the keys are others than a strategic merge patch knows.
 */
export type Shape =
  /** One value: a scalar, or a map or list that has one owner. */
  | { readonly type: "atomic" }
  /** A map with fields that are known by name. */
  | {
      readonly type: "struct"
      readonly fields: ReadonlyMap<string, Shape>
      /** Fields that in Go are there even with nothing in them, so that nobody comes to own them by that. */
      readonly alwaysThere: ReadonlySet<string>
      /** What a field is that is not among them, where there may be others. */
      readonly others?: Shape
    }
  | { readonly type: "map"; readonly values: Shape }
  /** A list of maps that are told apart by the values of some fields. */
  | { readonly type: "listMap"; readonly keys: ReadonlyArray<string>; readonly elements: Shape }
  /** A list of plain values in which each counts once. */
  | { readonly type: "set" }
  /** Something of which nothing is known: its maps are maps, its lists are one value. */
  | { readonly type: "deduced" }

/** The shape of the objects of a kind. Of a custom resource its schema tells it. */
export const shapeOf = (kind: Kind): Shape =>
  isDescribed(kind) ? shapeOfType(rootTypeOf(kind)) : customShape(kind.custom?.schema)

const atomic: Shape = { type: "atomic" }
const deduced: Shape = { type: "deduced" }
const set: Shape = { type: "set" }

const customShape = (schema: Schema = {}): Shape => ({
  type: "struct",
  fields: new Map([
    ...fieldsOfSchema(schema),
    ["apiVersion", atomic],
    ["kind", atomic],
    ["metadata", shapeOfType("ObjectMeta")]
  ]),
  alwaysThere: new Set(["metadata"]),
  others: deduced
})

/** Structs are shaped once, when they are first asked for: their fields refer to each other in circles. */
const shapes = new WeakMap<object, Shape>()

const shapeOfType = (type: WireType): Shape => {
  if (type === "any") return deduced
  if (type.startsWith("map:")) return { type: "map", values: shapeOfType(type.slice("map:".length)) }
  const types = fieldsOf(type)
  if (types === undefined || atomicStructs.has(type)) return atomic
  return shapes.get(types) ?? shapeOfStruct(type, types)
}

const shapeOfStruct = (type: WireType, types: Readonly<Record<string, WireType>>): Shape => {
  const fields = new Map<string, Shape>()
  // A struct may hold itself, so it is known before its fields are looked at.
  const shape: Shape = { type: "struct", fields, alwaysThere: alwaysThereIn(type) }
  shapes.set(types, shape)
  for (const [field, fieldType] of Object.entries(types))
    fields.set(field, shapeOfField(type, field, fieldType))
  return shape
}

/** What a key field counts as where an element leaves it out. */
export const defaultOfKey = (field: string): string | number =>
  field === "protocol" ? "TCP" : field === "containerPort" || field === "port" ? 0 : ""

const shapeOfField = (struct: WireType, field: string, type: WireType): Shape => {
  const rule = ruleOf(struct, field)
  if (rule === "atomic") return atomic
  if (rule === "set") return set
  if (rule === undefined || !type.startsWith("list:")) return shapeOfType(type)
  const elements = shapeOfType(type.slice("list:".length))
  return { type: "listMap", keys: rule, elements }
}

/** The keys of a list's elements in alphabetical order, or what else a field is. */
type Rule = ReadonlyArray<string> | "set" | "atomic"

export const ruleOf = (struct: WireType, field: string): Rule | undefined => {
  const ofStruct = Object.hasOwn(rules, struct) ? rules[struct] : undefined
  if (ofStruct !== undefined && Object.hasOwn(ofStruct, field)) return ofStruct[field]
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

const structFields: Readonly<Record<string, ReadonlyArray<string>>> = {
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

/** What is called so is no pointer anywhere. */
const alwaysThereIn = (struct: WireType): ReadonlySet<string> =>
  new Set([
    "metadata",
    "spec",
    "status",
    ...((Object.hasOwn(structFields, struct) ? structFields[struct] : undefined) ?? [])
  ])

/** The shape of a field of a struct or a map. */
export const fieldShape = (shape: Shape, name: string): Shape => {
  if (shape.type === "struct") return shape.fields.get(name) ?? shape.others ?? deduced
  return shape.type === "map" ? shape.values : deduced
}

/** The shape of a part of a value, and whether the part is a field known by name. */
export const partShape = (
  shape: Shape,
  element: string
): { readonly shape: Shape; readonly named: boolean } => {
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
