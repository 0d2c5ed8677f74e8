import wireTypes from "../../../generated/wireTypes.json" with { type: "json" }
import type { Kind } from "../../meta/kinds.ts"

/** `scripts/generate/wireTypes.ts` generates the table from the Kubernetes API's description. */
type FieldTypes = Readonly<Record<string, WireType>>

/**
 * `int32`, `int64`, `double`, `boolean`, `string`, `time`, `microTime`, `quantity`, `intOrString`,
 * `byte`, `any`, a struct's name, or one of these after `list:` or `map:`.
 */
export type WireType = string

const table: {
  /** The types of kinds and of bodies of subresources, by `group/version/kind`. */
  readonly roots: Readonly<Record<string, string>>
  readonly types: Readonly<Record<string, FieldTypes>>
} = wireTypes

type NamedType = Pick<Kind, "group" | "version" | "kind">

export const wireTypeOf = (kind: NamedType): string =>
  table.roots[`${kind.group}/${kind.version}/${kind.kind}`] ?? kind.kind

export const hasWireType = (kind: NamedType): boolean =>
  Object.hasOwn(table.roots, `${kind.group}/${kind.version}/${kind.kind}`)

export const structFieldsOf = (type: WireType): FieldTypes | undefined =>
  Object.hasOwn(table.types, type) ? table.types[type] : undefined

/** The Go name lacks the prefix that distinguishes API groups here. */
export const goStructOf = (type: WireType): string =>
  type.replace(/^(Authentication|Core|Discovery|Events|Rbac|Apiextensions)?V[12](?=[A-Z])/, "")

export const goTypeOf = (type: WireType): string => {
  if (type === "map:quantity") return "v1.ResourceList"
  if (type.startsWith("list:")) return `[]${goTypeOf(type.slice("list:".length))}`
  if (type.startsWith("map:")) return `map[string]${goTypeOf(type.slice("map:".length))}`
  const builtIn = goBuiltIns[type]
  if (builtIn !== undefined) return builtIn
  return `${type.startsWith("V2") ? "v2" : "v1"}.${goStructOf(type)}`
}

/** The decoders of times and int-or-strings name the type that they try first. */
const goBuiltIns: Readonly<Record<string, string>> = {
  int32: "int32",
  int64: "int64",
  double: "float64",
  boolean: "bool",
  string: "string",
  byte: "[]uint8",
  time: "string",
  microTime: "string",
  intOrString: "int32"
}

/** The table has only fields that are often given a wrong value. */
export const goStringTypeOf = (struct: string, field: string): string | undefined =>
  goStringTypes[`${struct}.${field}`]

const goStringTypes: Readonly<Record<string, string>> = {
  "Container.imagePullPolicy": "v1.PullPolicy",
  "Container.terminationMessagePolicy": "v1.TerminationMessagePolicy",
  "ContainerPort.protocol": "v1.Protocol",
  "DeleteOptions.propagationPolicy": "v1.DeletionPropagation",
  "DeploymentCondition.type": "v1.DeploymentConditionType",
  "DeploymentStrategy.type": "v1.DeploymentStrategyType",
  "HTTPGetAction.scheme": "v1.URIScheme",
  "LabelSelectorRequirement.operator": "v1.LabelSelectorOperator",
  "ObjectMeta.uid": "types.UID",
  "OwnerReference.uid": "types.UID",
  "PodCondition.status": "v1.ConditionStatus",
  "PodCondition.type": "v1.PodConditionType",
  "PodSpec.dnsPolicy": "v1.DNSPolicy",
  "PodSpec.restartPolicy": "v1.RestartPolicy",
  "PodStatus.phase": "v1.PodPhase",
  "Preconditions.uid": "types.UID",
  "ServicePort.protocol": "v1.Protocol",
  "ServiceSpec.type": "v1.ServiceType",
  "Toleration.effect": "v1.TaintEffect",
  "Toleration.operator": "v1.TolerationOperator"
}
