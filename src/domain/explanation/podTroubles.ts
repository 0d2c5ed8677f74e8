import { conditionOf } from "../conditions.ts"
import { containerTrouble } from "./containerTroubles.ts"
import { inWords } from "./waits.ts"
import { isReady } from "../pods.ts"
import { isTerminating } from "../ownerReferences.ts"
import { millisOf } from "../timestamps.ts"
import type { EventObject, Pod } from "../objects.ts"

/** What keeps one Pod from being available: `1 …` or `3 …` is put before it. Undefined where nothing does. */
export interface PodTrouble {
  /** Pods with the same one are told of in one sentence. */
  readonly kind: string
  /** With `plural`, of several. */
  readonly say: (plural: boolean) => string
  /** What is known of one of them only. */
  readonly more?: string
}

/** Why a Pod is not available, by what it and the events about it say. */
export const podTrouble = (
  pod: Pod,
  world: {
    readonly events: ReadonlyArray<EventObject>
    readonly minReadySeconds: number
    readonly nowMillis: number
  }
): PodTrouble | undefined => {
  const { nowMillis, minReadySeconds } = world
  if (isTerminating(pod)) return terminating(pod, nowMillis)
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
  if (!isReady(pod)) return containerTrouble(pod, { events, nowMillis }) ?? gated(pod)
  return counting(pod, minReadySeconds, nowMillis)
}

const said = (kind: string, say: PodTrouble["say"], more?: string): PodTrouble => ({
  kind,
  say,
  ...(more === undefined ? {} : { more })
})

const terminating = (pod: Pod, nowMillis: number): PodTrouble => {
  const { deletionTimestamp = "", finalizers = [] } = pod.metadata
  const left = millisOf(deletionTimestamp) - nowMillis
  const held = finalizers.length === 0 ? "" : `, held by finalizer ${finalizers.join(", ")}`
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
