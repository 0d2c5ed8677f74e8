import { areOf } from "./counts.ts"
import { conditionOf } from "../conditions.ts"
import { counted } from "../counted.ts"
import { evictedAtMillis, silenceOf } from "./silence.ts"
import { inWords } from "./waits.ts"
import { isFinished, isReady } from "../pods.ts"
import { isTerminating } from "../ownerReferences.ts"
import { shownName } from "../shownName.ts"
import type { Node, Pod } from "../objects.ts"
import type { Explained } from "./explained.ts"

export interface NodeSeen {
  readonly node: Node
  readonly pods: ReadonlyArray<Pod>
  readonly nowMillis: number
}

export const explainNode = ({ node, pods, nowMillis }: NodeSeen): Explained => {
  const name = `Node ${JSON.stringify(node.metadata.name)}`
  const problem = silenceOf(node)
  const isReadyNode = conditionOf(node.status.conditions, "Ready")?.status === "True"
  const unfinished = pods.filter((pod) => !isFinished(pod))
  const ready = unfinished.filter(isReady).length
  const terminating = unfinished.filter(isTerminating).length
  const isCordoned = node.spec.unschedulable === true
  const stateText = problem ?? (isReadyNode ? "is ready" : "has not said yet that it is ready")
  const podsText = ` and holds ${counted(unfinished.length, "Pod")}, of which ${ready} ${areOf(ready)} ready`
  return {
    state: problem !== undefined ? "silent" : isCordoned ? "cordoned" : isReadyNode ? "ready" : "waiting",
    isWell: problem === undefined && isReadyNode && !isCordoned,
    sentences: [
      `${name} ${stateText}${problem === undefined ? podsText : ""}.`,
      ...(problem === undefined
        ? []
        : [
            `It holds ${counted(unfinished.length, "Pod")}, of which ${ready} ${areOf(ready)} said to be ready.`
          ]),
      ...(isCordoned ? ["No new Pods come to it: it is cordoned (spec.unschedulable)."] : []),
      ...evictionSentences(node, unfinished, nowMillis),
      ...terminatingSentences(problem, terminating),
      ...nameSentences(unfinished)
    ],
    numbers: { pods: unfinished.length, ready, terminating, ...capacityOf(node) }
  }
}

const capacityOf = ({ status }: Node): Readonly<Record<string, number>> => {
  const podCapacity = Number(status.allocatable?.["pods"] ?? Number.NaN)
  return Number.isNaN(podCapacity) ? {} : { room: podCapacity }
}

/** The Pods that are evicted, and those that tolerate the taints for ever. */
const evictionSentences = (
  node: Node,
  pods: ReadonlyArray<Pod>,
  nowMillis: number
): ReadonlyArray<string> => {
  const times = pods.flatMap((pod) => (isTerminating(pod) ? [] : (evictedAtMillis(pod, node) ?? [])))
  const evictionTimes = times.filter((time) => time !== Infinity).sort((a, b) => a - b)
  const tolerating = times.length - evictionTimes.length
  const [first] = evictionTimes
  const last = evictionTimes.at(-1)
  const whenText = (millis: number): string =>
    millis > nowMillis ? `in ${inWords(millis - nowMillis)}` : "now"
  return [
    ...(first === undefined || last === undefined
      ? []
      : whenText(first) === whenText(last)
        ? [
            `${counted(evictionTimes.length, "Pod")} ${areOf(evictionTimes.length)} evicted ${whenText(first)}.`
          ]
        : [
            `${evictionTimes.length} Pods are evicted: the first ${whenText(first)}, the last ${whenText(last)}.`
          ]),
    ...(tolerating === 0
      ? []
      : [
          `${counted(tolerating, "Pod")} ${tolerating === 1 ? "stays" : "stay"}, whatever drives others away.`
        ])
  ]
}

/** Only the kubelet can report that a Pod has stopped. */
const terminatingSentences = (problem: string | undefined, count: number): ReadonlyArray<string> => {
  if (count === 0) return []
  const waitText = problem === undefined ? "" : ", and cannot go before it is heard of again or is deleted"
  return [`${counted(count, "Pod")} ${areOf(count)} terminating${waitText}.`]
}

const namesMax = 12

const nameSentences = (pods: ReadonlyArray<Pod>): ReadonlyArray<string> => {
  if (pods.length === 0) return []
  const names = pods.slice(0, namesMax).map(({ metadata }) => shownName(metadata))
  const more = pods.length - names.length
  return [`On it: ${names.join(", ")}${more > 0 ? ` and ${more} more` : ""}.`]
}
