import { isOrAre } from "./rolloutCounts.ts"
import { isNodeReady } from "../../kubernetes/core/nodeStatus.ts"
import { countText } from "../../kubernetes/meta/text/countText.ts"
import { evictionMillis, nodeProblem } from "./nodeProblem.ts"
import { durationText } from "./retriesText.ts"
import { isPodFinished, isPodReady } from "../../kubernetes/pods/podState.ts"
import { isTerminating } from "../../kubernetes/meta/deletion.ts"
import { displayName } from "../../kubernetes/meta/text/displayName.ts"
import type { Node, Pod } from "../../kubernetes/meta/objects.ts"
import type { StateExplanation } from "./stateExplanation.ts"

export interface ExplainNodeInput {
  readonly node: Node
  readonly pods: ReadonlyArray<Pod>
  readonly nowMillis: number
}

/** The state is `silent` also if the kubelet reports that the node is not ready. */
export const explainNode = ({ node, pods, nowMillis }: ExplainNodeInput): StateExplanation => {
  const name = `Node ${JSON.stringify(node.metadata.name)}`
  const problem = nodeProblem(node)
  const isReadyNode = isNodeReady(node)
  const unfinished = pods.filter((pod) => !isPodFinished(pod))
  const ready = unfinished.filter(isPodReady).length
  const terminating = unfinished.filter(isTerminating).length
  const isCordoned = node.spec.unschedulable === true
  const stateText = problem ?? (isReadyNode ? "is ready" : "has not said yet that it is ready")
  const podsText = ` and holds ${countText(unfinished.length, "Pod")}, of which ${ready} ${isOrAre(ready)} ready`
  return {
    state: problem !== undefined ? "silent" : isCordoned ? "cordoned" : isReadyNode ? "ready" : "waiting",
    isWell: problem === undefined && isReadyNode && !isCordoned,
    sentences: [
      `${name} ${stateText}${problem === undefined ? podsText : ""}.`,
      ...(problem === undefined
        ? []
        : [
            `It holds ${countText(unfinished.length, "Pod")}, of which ${ready} ${isOrAre(ready)} said to be ready.`
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

const evictionSentences = (
  node: Node,
  pods: ReadonlyArray<Pod>,
  nowMillis: number
): ReadonlyArray<string> => {
  const times = pods.flatMap((pod) => (isTerminating(pod) ? [] : (evictionMillis(pod, node) ?? [])))
  const evictionTimes = times.filter((time) => time !== Infinity).sort((a, b) => a - b)
  const toleratingCount = times.length - evictionTimes.length
  const [firstMillis] = evictionTimes
  const lastMillis = evictionTimes.at(-1)
  const whenText = (millis: number): string =>
    millis > nowMillis ? `in ${durationText(millis - nowMillis)}` : "now"
  return [
    ...(firstMillis === undefined || lastMillis === undefined
      ? []
      : whenText(firstMillis) === whenText(lastMillis)
        ? [
            `${countText(evictionTimes.length, "Pod")} ${isOrAre(evictionTimes.length)} evicted ${whenText(firstMillis)}.`
          ]
        : [
            `${evictionTimes.length} Pods are evicted: the first ${whenText(firstMillis)}, the last ${whenText(lastMillis)}.`
          ]),
    ...(toleratingCount === 0
      ? []
      : [
          `${countText(toleratingCount, "Pod")} ${toleratingCount === 1 ? "tolerates the taints and stays" : "tolerate the taints and stay"}.`
        ])
  ]
}

/** Only the kubelet can report that a terminating Pod has stopped. */
const terminatingSentences = (problem: string | undefined, count: number): ReadonlyArray<string> => {
  if (count === 0) return []
  const waitText = problem === undefined ? "" : ", and cannot go before it is heard of again or is deleted"
  return [`${countText(count, "Pod")} ${isOrAre(count)} terminating${waitText}.`]
}

const namesMax = 12

const nameSentences = (pods: ReadonlyArray<Pod>): ReadonlyArray<string> => {
  if (pods.length === 0) return []
  const names = pods.slice(0, namesMax).map(({ metadata }) => displayName(metadata))
  const more = pods.length - names.length
  return [`On it: ${names.join(", ")}${more > 0 ? ` and ${more} more` : ""}.`]
}
