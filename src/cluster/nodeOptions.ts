import { heartbeatMillis } from "../../machines/node.ts"
import { labelValueProblems, qualifiedNameProblems } from "../kubernetes/validation/nameRules.ts"
import { isFields } from "../kubernetes/meta/fields.ts"
import { parseQuantity } from "../kubernetes/meta/amounts/quantity.ts"
import { integerUpTo, mustBe, formatOptionValue, unknownOptionProblems } from "../options/invalidOptions.ts"
import type { OptionCheck, OptionChecks } from "../options/invalidOptions.ts"
import type { NodeShape } from "./bootstrap.ts"

export interface NodeSettings extends NodeShape {
  /** Seconds without a heartbeat after which a node is lost: 50 by default, 40 before Kubernetes 1.32. */
  readonly lostAfterSeconds?: number
}

export interface NodesOptions extends NodeSettings {
  readonly count: number
}

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

/** With a limit below the interval of heartbeats, nodes would be lost again and again. */
const lostAfterSecondsMin = heartbeatMillis / 1000

const nodesMax = 5000

const checks: OptionChecks<NodesOptions> = {
  count: integerUpTo(nodesMax),
  pods: integerUpTo(Number.MAX_SAFE_INTEGER),
  cpu: quantityCheck('"4" or "500m"'),
  memory: quantityCheck('"8Gi"'),
  labels: labelsProblems,
  lostAfterSeconds: mustBe(
    `above ${lostAfterSecondsMin}, the seconds between two heartbeats`,
    (seconds) => (seconds as number) > lostAfterSecondsMin && Number.isFinite(seconds)
  )
}

export const nodeOptionProblems = (nodes: NodesOptions): ReadonlyArray<string> => {
  // `nodes` may be given as a number: a wrong count is a problem of `nodes`.
  const { count, ...shapeChecks } = checks
  return [
    ...count("nodes", nodes.count),
    ...unknownOptionProblems(nodes, { of: "nodes", names: Object.keys(checks) }),
    ...Object.entries(shapeChecks).flatMap(([name, check]) =>
      check(`nodes.${name}`, nodes[name as keyof NodesOptions])
    )
  ]
}
