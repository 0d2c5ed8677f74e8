import { heartbeatMillis } from "../../machines/node.ts"
import { labelValueProblems, qualifiedNameProblems } from "../kubernetes/validation/nameRules.ts"
import { isFields } from "../kubernetes/meta/fields.ts"
import { parseQuantity } from "../kubernetes/meta/amounts/quantity.ts"
import { showValue, unknownOptionProblems } from "../options/invalidOptions.ts"
import type { OptionNames } from "../options/invalidOptions.ts"
import type { NodeShape } from "./bootstrap.ts"

export interface NodeSettings extends NodeShape {
  /** Seconds without a heartbeat after which a node is lost: 50 by default, 40 before Kubernetes 1.32. */
  readonly lostAfterSeconds?: number
}

export interface NodesOptions extends NodeSettings {
  readonly count: number
}

const optionNames: OptionNames<NodesOptions> = {
  count: true,
  pods: true,
  cpu: true,
  memory: true,
  labels: true,
  lostAfterSeconds: true
}

const nodesMax = 5000

export const nodeOptionProblems = (nodes: NodesOptions): ReadonlyArray<string> => [
  ...countProblems("nodes", nodes.count, nodesMax),
  ...unknownOptionProblems(nodes, { of: "nodes", names: Object.keys(optionNames) }),
  ...(nodes.pods === undefined ? [] : countProblems("nodes.pods", nodes.pods, Number.MAX_SAFE_INTEGER)),
  ...amountProblems("nodes.cpu", nodes.cpu, '"4" or "500m"'),
  ...amountProblems("nodes.memory", nodes.memory, '"8Gi"'),
  ...labelsProblems(nodes.labels),
  ...lostAfterProblems(nodes)
]

export const countProblems = (name: string, count: unknown, max: number): ReadonlyArray<string> =>
  typeof count === "number" && Number.isInteger(count) && count >= 0 && count <= max
    ? []
    : [`${name} must be an integer from 0 to ${max}, not ${showValue(count)}`]

const amountProblems = (name: string, amount: string | undefined, example: string): ReadonlyArray<string> => {
  if (amount === undefined) return []
  const quantity = parseQuantity(amount)
  return quantity !== undefined && quantity.nanos >= 0n
    ? []
    : [`${name} must be a quantity from 0 on, such as ${example}, not ${showValue(amount)}`]
}

const labelsProblems = (labels: NodeSettings["labels"] = {}): ReadonlyArray<string> =>
  isFields(labels)
    ? Object.entries(labels).flatMap(([key, value]: [string, unknown]) => [
        ...qualifiedNameProblems(key).map((problem) => `nodes.labels: ${showValue(key)}: ${problem}`),
        ...(typeof value === "string" ? labelValueProblems(value) : ["must be a text"]).map(
          (problem) => `nodes.labels: ${showValue(value)}: ${problem}`
        )
      ])
    : [`nodes.labels must be an object, not ${showValue(labels)}`]

/** With a limit below the interval of heartbeats, nodes would be lost again and again. */
const lostAfterProblems = ({ lostAfterSeconds }: NodeSettings): ReadonlyArray<string> => {
  const leastSeconds = heartbeatMillis / 1000
  const isValid =
    lostAfterSeconds === undefined || (lostAfterSeconds > leastSeconds && Number.isFinite(lostAfterSeconds))
  return isValid
    ? []
    : [
        `nodes.lostAfterSeconds must be above ${leastSeconds}, the seconds between two heartbeats, not ${showValue(lostAfterSeconds)}`
      ]
}
