import { heartbeatMillis } from "../../machines/node.ts"
import { labelValueProblems, qualifiedNameProblems } from "../kubernetes/validation/nameRules.ts"
import { isFields } from "../kubernetes/meta/fields.ts"
import { parseQuantity } from "../kubernetes/meta/amounts/quantity.ts"
import { integerUpTo, mustBe, formatOptionValue, unknownOptionProblems } from "../options/invalidOptions.ts"
import type { OptionCheck, OptionChecks } from "../options/invalidOptions.ts"
import { decodeObject } from "../kubernetes/admission/decoding/decodeObject.ts"
import { groupResourceOf, resources } from "../kubernetes/meta/kinds.ts"
import { invalidObject } from "../store/storeRefusals.ts"
import { validateCreate, withDefaults } from "../kubernetes/admission/admit.ts"
import type { NodeShape, NodesToRegister } from "./nodeDrafts.ts"

export interface NodeSettings extends NodeShape {
  /** Seconds without a heartbeat after which a node is lost; 50 by default. */
  readonly lostAfterSeconds?: number
}

export interface NodesOptions extends NodeSettings, NodesToRegister {}

const quantityCheck = (example: string): OptionCheck =>
  mustBe(`a quantity from 0 on, such as ${example}`, (amount) => {
    const { nanos = -1n } = parseQuantity(amount as string) ?? {}
    return nanos >= 0n
  })

const labelsProblems: OptionCheck = (name, labels) => {
  if (labels === undefined) return []
  if (!isFields(labels)) return [`${name} must be an object, not ${formatOptionValue(labels)}`]
  return Object.entries(labels).flatMap(([key, value]) => [
    ...qualifiedNameProblems(key).map((problem) => `${name}: ${formatOptionValue(key)}: ${problem}`),
    ...(typeof value === "string" ? labelValueProblems(value) : ["must be a text"]).map(
      (problem) => `${name}: ${formatOptionValue(value)}: ${problem}`
    )
  ])
}

const amountsProblems: OptionCheck = (name, amounts) => {
  if (amounts === undefined) return []
  if (!isFields(amounts)) return [`${name} must be an object, not ${formatOptionValue(amounts)}`]
  return Object.entries(amounts).flatMap(([key, amount]) => [
    ...qualifiedNameProblems(key).map((problem) => `${name}: ${formatOptionValue(key)}: ${problem}`),
    ...quantityCheck('4 or "200Gi"')(`${name}[${formatOptionValue(key)}]`, amount)
  ])
}

const labelValueCheck: OptionCheck = (name, value) => {
  if (value === undefined) return []
  if (typeof value !== "string") return [`${name} must be a text, not ${formatOptionValue(value)}`]
  return labelValueProblems(value).map((problem) => `${name}: ${formatOptionValue(value)}: ${problem}`)
}

const zonesProblems: OptionCheck = (name, zones) => {
  if (zones === undefined) return []
  if (!Array.isArray(zones) || zones.length === 0)
    return [`${name} must be a list of zones, not ${formatOptionValue(zones)}`]
  return zones.flatMap((zone, index) => labelValueCheck(`${name}[${index}]`, zone))
}

const nodeObjectsProblems: OptionCheck = (_name, objects) => {
  if (!Array.isArray(objects)) return []
  const names = new Set<string>()
  return objects.flatMap((object: unknown, index) => {
    const problem = nodeObjectProblem(object, names)
    return problem === undefined ? [] : [`nodes[${index}]: ${problem}`]
  })
}

const nodeObjectProblem = (object: unknown, names: Set<string>): string | undefined => {
  const decoded = decodeObject(object, { strict: true })
  if (!decoded.ok) return decoded.message
  const { kind } = decoded
  if (groupResourceOf(kind) !== resources.nodes) return `${kind.kind} is no Node`
  const { name = "" } = decoded.object.metadata
  if (names.has(name)) return `another Node is called ${formatOptionValue(name)}`
  names.add(name)
  const errors = validateCreate(kind, withDefaults(kind, decoded.object))
  return errors.length === 0 ? undefined : invalidObject(kind, name, errors).message
}

/** With a limit below the interval of heartbeats, nodes would be lost again and again. */
const lostAfterSecondsMin = heartbeatMillis / 1000

const nodesMax = 5000

const checks: OptionChecks<NodesOptions> = {
  count: integerUpTo(nodesMax),
  pods: integerUpTo(Number.MAX_SAFE_INTEGER),
  cpu: quantityCheck('"4" or "500m"'),
  memory: quantityCheck('"8Gi"'),
  resources: amountsProblems,
  zones: zonesProblems,
  region: labelValueCheck,
  instanceType: labelValueCheck,
  labels: labelsProblems,
  objects: nodeObjectsProblems,
  lostAfterSeconds: mustBe(
    `above ${lostAfterSecondsMin}, the seconds between two heartbeats`,
    (seconds) => (seconds as number) > lostAfterSecondsMin && Number.isFinite(seconds)
  )
}

export const nodeOptionProblems = (nodes: NodesOptions): ReadonlyArray<string> => {
  const { count: countCheck, ...shapeChecks } = checks
  return [
    ...countCheck("nodes", nodes.count),
    ...unknownOptionProblems(nodes, { owner: "nodes", names: Object.keys(checks) }),
    ...Object.entries(shapeChecks).flatMap(([name, check]) =>
      check(`nodes.${name}`, nodes[name as keyof NodesOptions])
    )
  ]
}
