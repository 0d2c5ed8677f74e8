import { conditionOf } from "../conditions.ts"
import { containerTrouble } from "./containerTroubles.ts"
import { inWords } from "./waits.ts"
import { isReady } from "../pods.ts"
import { isTerminating } from "../ownerReferences.ts"
import { millisOf } from "../timestamps.ts"
import { evictionText, silenceOf } from "./silence.ts"
import type { Node, Pod } from "../objects.ts"
import type { WholeEvent } from "../wholeEvent.ts"

/** What keeps one Pod from being available: `1 …` or `3 …` is put before it. Undefined where nothing does. */
export interface PodTrouble {
  /** Pods with the same one are told of in one sentence. */
  readonly kind: string
  /** With `plural`, of several. */
  readonly say: (plural: boolean) => string
  /** What is known of one of them only. */
  readonly more?: string
  /** How often it has come to that: of several Pods the one with the most tells what is known of one only. */
  readonly times?: number
  /** What is said of the container itself, where that is another thing than what is said of its Pod. */
  readonly own?: string
}

/** What is known beside the Pod. */
export interface PodWorld {
  readonly events: ReadonlyArray<WholeEvent>
  readonly minReadySeconds: number
  readonly nowMillis: number
  /** By name; one that is not there is not known. */
  readonly nodes: ReadonlyMap<string, Node>
}

export const nodesByName = (nodes: Iterable<Node>): ReadonlyMap<string, Node> =>
  new Map(Array.from(nodes, (node) => [node.metadata.name, node]))

/** Why a Pod is not available, by what it and the events about it say. */
export const podTrouble = (pod: Pod, world: PodWorld): PodTrouble | undefined => {
  const { nowMillis, minReadySeconds } = world
  const node = world.nodes.get(pod.spec.nodeName ?? "")
  if (isTerminating(pod)) return terminating(pod, node, nowMillis)
  const { phase, reason, message } = pod.status
  if (phase === "Failed" || phase === "Succeeded") {
    const why = [reason, message].filter((it) => it !== undefined).join(": ")
    return said(`over ${phase} ${why}`, (plural) =>
      phase === "Failed"
        ? `${plural ? "have" : "has"} failed${why === "" ? "" : ` (${why})`}`
        : `${plural ? "have" : "has"} come to an end and will not run again`
    )
  }
  if (pod.spec.nodeName === undefined) return homeless(pod)
  const events = world.events.filter(({ involvedObject }) => involvedObject.uid === pod.metadata.uid)
  if (!isReady(pod)) {
    return silent(pod, node, nowMillis) ?? containerTrouble(pod, { events, nowMillis }) ?? gated(pod)
  }
  return counting(pod, minReadySeconds, nowMillis)
}

const said = (kind: string, say: PodTrouble["say"], more?: string): PodTrouble => ({
  kind,
  say,
  ...(more === undefined ? {} : { more })
})

/** A node that does nothing for it explains all else: what its containers say is what they said before. */
const silent = (pod: Pod, node: Node | undefined, nowMillis: number): PodTrouble | undefined => {
  const silence = node === undefined ? undefined : silenceOf(node)
  if (node === undefined || silence === undefined) return undefined
  const { name } = node.metadata
  return said(
    `silent ${name}`,
    (plural) => `${plural ? "are" : "is"} on ${name}, which ${silence}`,
    evictionText(pod, node, nowMillis)
  )
}

/** Only the kubelet says that a Pod has stopped. */
const terminating = (pod: Pod, node: Node | undefined, nowMillis: number): PodTrouble => {
  const { deletionTimestamp = "", finalizers = [] } = pod.metadata
  const left = millisOf(deletionTimestamp) - nowMillis
  const held = finalizers.length === 0 ? "" : `, held by finalizer ${finalizers.join(", ")}`
  const silence = node === undefined ? undefined : silenceOf(node)
  if (node !== undefined && silence !== undefined) {
    const { name } = node.metadata
    return said(
      `terminating on ${name}${held}`,
      (plural) =>
        `${plural ? "are" : "is"} terminating${held} on ${name}, which ${silence}; ` +
        `${plural ? "they go" : "it goes"} when that is heard of again or is deleted`
    )
  }
  const wait = left > 0 ? `, at the most ${inWords(left)} more` : ""
  return said(`terminating${held}`, (plural) => `${plural ? "are" : "is"} terminating${held}`, wait)
}

const homeless = (pod: Pod): PodTrouble => {
  const scheduled = conditionOf(pod.status.conditions, "PodScheduled")
  if (scheduled?.status !== "False") {
    return said("unscheduled", (plural) => `${plural ? "have" : "has"} not been given a node yet`)
  }
  const { message = "", reason = "Unschedulable" } = scheduled
  const gates = pod.spec.schedulingGates?.map(({ name }) => name).join(", ")
  if (reason === "SchedulingGated") {
    return said(
      `gated ${gates}`,
      (plural) => `${plural ? "wait" : "waits"} for scheduling gate ${gates ?? ""}`
    )
  }
  const why = message.replace(/\.$/, "")
  return said(`homeless ${why}`, (plural) => `${plural ? "find" : "finds"} no node: ${why} (${reason})`)
}

/** Containers are ready and the Pod is not: somebody else has to say so. */
const gated = (pod: Pod): PodTrouble => {
  const missing = (pod.spec.readinessGates ?? [])
    .map(({ conditionType }) => conditionType)
    .filter((type) => conditionOf(pod.status.conditions, type)?.status !== "True")
  if (missing.length > 0) {
    return said(
      `readinessGates ${missing.join()}`,
      (plural) => `${plural ? "wait" : "waits"} for readiness gate ${missing.join(", ")}`
    )
  }
  const ready = conditionOf(pod.status.conditions, "Ready")
  const why = ready?.message ?? ready?.reason
  return said(
    `unready ${why}`,
    (plural) => `${plural ? "are" : "is"} not ready${why === undefined ? "" : `: ${why}`}`
  )
}

const counting = (pod: Pod, minReadySeconds: number, nowMillis: number): PodTrouble | undefined => {
  if (minReadySeconds === 0) return undefined
  const since = millisOf(conditionOf(pod.status.conditions, "Ready")?.lastTransitionTime ?? "")
  const left = since + minReadySeconds * 1000 - nowMillis
  if (!(left > 0)) return undefined
  return said(
    "counting",
    (plural) =>
      `${plural ? "are" : "is"} ready, and ${plural ? "count" : "counts"} as available after ` +
      `${minReadySeconds}s of that (minReadySeconds)`,
    `, in ${inWords(left)}`
  )
}
