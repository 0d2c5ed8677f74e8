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

/** What any client can read of a node. */
export interface NodeSeen {
  readonly node: Node
  /** Those that are bound to it. */
  readonly pods: ReadonlyArray<Pod>
  readonly nowMillis: number
}

/** Says whether a node is heard of and takes Pods, which are on it, and when those are driven away. */
export const explainNode = ({ node, pods, nowMillis }: NodeSeen): Explained => {
  const name = `Node ${JSON.stringify(node.metadata.name)}`
  const silence = silenceOf(node)
  const isHeard = conditionOf(node.status.conditions, "Ready")?.status === "True"
  const there = pods.filter((pod) => !isFinished(pod))
  const ready = there.filter(isReady).length
  const terminating = there.filter(isTerminating).length
  const isCordoned = node.spec.unschedulable === true
  const head = silence ?? (isHeard ? "is ready" : "has not said yet that it is ready")
  const held = ` and holds ${counted(there.length, "Pod")}, of which ${ready} ${areOf(ready)} ready`
  return {
    state: silence !== undefined ? "silent" : isCordoned ? "cordoned" : isHeard ? "ready" : "waiting",
    isWell: silence === undefined && isHeard && !isCordoned,
    sentences: [
      `${name} ${head}${silence === undefined ? held : ""}.`,
      ...(silence === undefined
        ? []
        : [`It holds ${counted(there.length, "Pod")}, of which ${ready} ${areOf(ready)} said to be ready.`]),
      ...(isCordoned ? ["No new Pods come to it: it is cordoned (spec.unschedulable)."] : []),
      ...evictionSentences(node, there, nowMillis),
      ...terminatingSentences(silence, terminating),
      ...nameSentences(there)
    ],
    numbers: { pods: there.length, ready, terminating, ...roomOf(node) }
  }
}

const roomOf = ({ status }: Node): Readonly<Record<string, number>> => {
  const room = Number(status.allocatable?.["pods"] ?? Number.NaN)
  return Number.isNaN(room) ? {} : { room }
}

/** Of those that are driven away, and of those that stay all the same. */
const evictionSentences = (
  node: Node,
  pods: ReadonlyArray<Pod>,
  nowMillis: number
): ReadonlyArray<string> => {
  const times = pods.flatMap((pod) => (isTerminating(pod) ? [] : (evictedAtMillis(pod, node) ?? [])))
  const driven = times.filter((time) => time !== Infinity).sort((a, b) => a - b)
  const stay = times.length - driven.length
  const [first] = driven
  const last = driven.at(-1)
  const inText = (millis: number): string =>
    millis > nowMillis ? `in ${inWords(millis - nowMillis)}` : "now"
  return [
    ...(first === undefined || last === undefined
      ? []
      : inText(first) === inText(last)
        ? [`${counted(driven.length, "Pod")} ${areOf(driven.length)} evicted ${inText(first)}.`]
        : [`${driven.length} Pods are evicted: the first ${inText(first)}, the last ${inText(last)}.`]),
    ...(stay === 0
      ? []
      : [`${counted(stay, "Pod")} ${stay === 1 ? "stays" : "stay"}, whatever drives others away.`])
  ]
}

/** Only a kubelet says that a Pod has stopped. */
const terminatingSentences = (silence: string | undefined, count: number): ReadonlyArray<string> => {
  if (count === 0) return []
  const how = silence === undefined ? "" : ", and cannot go before it is heard of again or is deleted"
  return [`${counted(count, "Pod")} ${areOf(count)} terminating${how}.`]
}

/** More names than this are no longer read. */
const namesMax = 12

const nameSentences = (pods: ReadonlyArray<Pod>): ReadonlyArray<string> => {
  if (pods.length === 0) return []
  const names = pods.slice(0, namesMax).map(({ metadata }) => shownName(metadata))
  const more = pods.length - names.length
  return [`On it: ${names.join(", ")}${more > 0 ? ` and ${more} more` : ""}.`]
}
