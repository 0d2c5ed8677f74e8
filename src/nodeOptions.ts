import { heartbeatMillis } from "../machines/node.ts"
import { labelValueProblems, qualifiedNameProblems } from "./domain/admission/names.ts"
import { isFields } from "./domain/fields.ts"
import { parseQuantity } from "./domain/quantity.ts"
import { spelt, unknownOptions } from "./invalidOptions.ts"
import type { NamesOf } from "./invalidOptions.ts"
import type { NodeShape } from "./bootstrap.ts"

export interface NodesSetting extends NodeShape {
  /** Seconds without a heartbeat after which a node is lost: 50 by default, 40 before Kubernetes 1.32. */
  readonly lostAfterSeconds?: number
}

export interface Nodes extends NodesSetting {
  readonly count: number
}

const optionNames: NamesOf<Nodes> = {
  count: true,
  pods: true,
  cpu: true,
  memory: true,
  labels: true,
  lostAfterSeconds: true
}

const nodesMax = 5000

export const nodesProblems = (nodes: Nodes): ReadonlyArray<string> => [
  ...countProblems("nodes", nodes.count, nodesMax),
  ...unknownOptions(nodes, { of: "nodes", names: Object.keys(optionNames) }),
  ...(nodes.pods === undefined ? [] : countProblems("nodes.pods", nodes.pods, Number.MAX_SAFE_INTEGER)),
  ...amountProblems("nodes.cpu", nodes.cpu, '"4" or "500m"'),
  ...amountProblems("nodes.memory", nodes.memory, '"8Gi"'),
  ...labelsProblems(nodes.labels),
  ...lostAfterProblems(nodes)
]

export const countProblems = (name: string, count: unknown, max: number): ReadonlyArray<string> =>
  typeof count === "number" && Number.isInteger(count) && count >= 0 && count <= max
    ? []
    : [`${name} must be an integer from 0 to ${max}, not ${spelt(count)}`]

const amountProblems = (name: string, amount: string | undefined, example: string): ReadonlyArray<string> => {
  if (amount === undefined) return []
  const quantity = parseQuantity(amount)
  return quantity !== undefined && quantity.nanos >= 0n
    ? []
    : [`${name} must be a quantity from 0 on, such as ${example}, not ${spelt(amount)}`]
}

const labelsProblems = (labels: NodesSetting["labels"] = {}): ReadonlyArray<string> =>
  isFields(labels)
    ? Object.entries(labels).flatMap(([key, value]: [string, unknown]) => [
        ...qualifiedNameProblems(key).map((problem) => `nodes.labels: ${spelt(key)}: ${problem}`),
        ...(typeof value === "string" ? labelValueProblems(value) : ["must be a text"]).map(
          (problem) => `nodes.labels: ${spelt(value)}: ${problem}`
        )
      ])
    : [`nodes.labels must be an object, not ${spelt(labels)}`]

/** With a limit below the interval of heartbeats, nodes would be lost again and again. */
const lostAfterProblems = ({ lostAfterSeconds }: NodesSetting): ReadonlyArray<string> => {
  const leastSeconds = heartbeatMillis / 1000
  const isValid =
    lostAfterSeconds === undefined || (lostAfterSeconds > leastSeconds && Number.isFinite(lostAfterSeconds))
  return isValid
    ? []
    : [
        `nodes.lostAfterSeconds must be above ${leastSeconds}, the seconds between two heartbeats, not ${spelt(lostAfterSeconds)}`
      ]
}
