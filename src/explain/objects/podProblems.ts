import { conditionOf } from "../../kubernetes/meta/conditions.ts"
import { claimDetail, volumeProblem } from "./claimProblems.ts"
import { containerProblem } from "./containerProblems.ts"
import { durationText } from "./retriesText.ts"
import { defaultSchedulerName, isPodReady, isTerminalPhase } from "../../kubernetes/pods/podState.ts"
import { trackingFinalizer } from "../../kubernetes/batch/jobs/jobPods.ts"
import { foregroundFinalizer, isTerminating, orphanFinalizer } from "../../kubernetes/meta/deletion.ts"
import { timestampMillis } from "../../kubernetes/meta/amounts/timestamps.ts"
import { withoutPreemptionText } from "../../kubernetes/scheduling/placementSentences.ts"
import { timeUntilEvictionText, nodeProblem } from "./nodeProblem.ts"
import type { PodProblem } from "./stateExplanation.ts"
import type { Node, Pod } from "../../kubernetes/meta/objects.ts"
import type { NormalizedEvent } from "../../kubernetes/meta/normalizeEvent.ts"

export interface PodEnvironment {
  readonly events: ReadonlyArray<NormalizedEvent>
  readonly minReadySeconds: number
  readonly nowMillis: number
  readonly nodes: ReadonlyMap<string, Node>
}

export const nodesByName = (nodes: Iterable<Node>): ReadonlyMap<string, Node> =>
  new Map(Array.from(nodes, (node) => [node.metadata.name, node]))

/** The problem that explains the others: that of the Pod's node comes before that of a container. */
export const podProblem = (pod: Pod, environment: PodEnvironment): PodProblem | undefined => {
  const { nowMillis, minReadySeconds } = environment
  const node = environment.nodes.get(pod.spec.nodeName ?? "")
  if (isTerminating(pod)) return terminatingProblem(pod, node, nowMillis)
  const { phase, reason, message } = pod.status
  if (isTerminalPhase(phase)) {
    const why = [reason, message].filter((it) => it !== undefined).join(": ")
    return makeProblem(`over ${phase} ${why}`, (plural) =>
      phase === "Failed"
        ? `${plural ? "have" : "has"} failed${why === "" ? "" : ` (${why})`}`
        : `${plural ? "have" : "has"} come to an end and will not run again`
    )
  }
  if (pod.spec.nodeName === undefined) return withClaimDetail(schedulingProblem(pod), pod, environment.events)
  const events = environment.events.filter(({ involvedObject }) => involvedObject.uid === pod.metadata.uid)
  if (!isPodReady(pod)) {
    return (
      unhealthyNodeProblem(pod, node, nowMillis) ??
      volumeProblem(pod, events) ??
      containerProblem(pod, { events, nowMillis }) ??
      readinessGateProblem(pod)
    )
  }
  return minReadyProblem(pod, minReadySeconds, nowMillis)
}

const makeProblem = (
  groupKey: string,
  predicate: PodProblem["predicate"],
  more: Pick<PodProblem, "detail" | "endsByItself"> = {}
): PodProblem => ({ groupKey, predicate, endsByItself: false, ...more })

const withClaimDetail = (problem: PodProblem, pod: Pod, events: PodEnvironment["events"]): PodProblem => {
  const detail = claimDetail(pod, events)
  return detail === "" ? problem : { ...problem, detail: `${problem.detail ?? ""}${detail}` }
}

/** An unhealthy node comes first, because the container statuses may be stale. */
const unhealthyNodeProblem = (
  pod: Pod,
  node: Node | undefined,
  nowMillis: number
): PodProblem | undefined => {
  const nodeText = node === undefined ? undefined : nodeProblem(node)
  if (node === undefined || nodeText === undefined) return undefined
  const { name } = node.metadata
  return makeProblem(`silent ${name}`, (plural) => `${plural ? "are" : "is"} on ${name}, which ${nodeText}`, {
    detail: timeUntilEvictionText(pod, node, nowMillis)
  })
}

/** Only the kubelet can report that a Pod has stopped, and only a client removes a finalizer. */
const terminatingProblem = (pod: Pod, node: Node | undefined, nowMillis: number): PodProblem => {
  const { deletionTimestamp = "", finalizers = [] } = pod.metadata
  const remainingMillis = timestampMillis(deletionTimestamp) - nowMillis
  const finalizersText = finalizers.length === 0 ? "" : `, held by finalizer ${finalizers.join(", ")}`
  const nodeText = node === undefined ? undefined : nodeProblem(node)
  if (node !== undefined && nodeText !== undefined) {
    const { name } = node.metadata
    return makeProblem(
      `terminating on ${name}${finalizersText}`,
      (plural) =>
        `${plural ? "are" : "is"} terminating${finalizersText} on ${name}, which ${nodeText}; ` +
        `${plural ? "they go" : "it goes"} when that is heard of again or is deleted`
    )
  }
  const waitText = remainingMillis > 0 ? `, at the most ${durationText(remainingMillis)} more` : ""
  return makeProblem(
    `terminating${finalizersText}`,
    (plural) => `${plural ? "are" : "is"} terminating${finalizersText}`,
    { detail: waitText, endsByItself: finalizers.every(isRemovedByControllers) }
  )
}

const isRemovedByControllers = (finalizer: string): boolean => controllerFinalizers.has(finalizer)
const controllerFinalizers: ReadonlySet<string> = new Set([
  trackingFinalizer,
  foregroundFinalizer,
  orphanFinalizer
])

const schedulingProblem = (pod: Pod): PodProblem => {
  const scheduled = conditionOf(pod.status.conditions, "PodScheduled")
  if (scheduled?.status !== "False") {
    const { schedulerName = defaultSchedulerName } = pod.spec
    return schedulerName === defaultSchedulerName
      ? makeProblem("unscheduled", (plural) => `${plural ? "have" : "has"} not been given a node yet`, {
          endsByItself: true
        })
      : makeProblem(
          `unscheduled by ${schedulerName}`,
          (plural) =>
            `${plural ? "wait" : "waits"} for scheduler ${JSON.stringify(schedulerName)} to give ${plural ? "them nodes" : "it a node"}`
        )
  }
  const { message = "", reason = "Unschedulable" } = scheduled
  const gates = pod.spec.schedulingGates?.map(({ name }) => name).join(", ")
  if (reason === "SchedulingGated") {
    return makeProblem(
      `gated ${gates}`,
      (plural) => `${plural ? "wait" : "waits"} for scheduling gate ${gates ?? ""}`
    )
  }
  const why = withoutPreemptionText(message).replace(/\.$/, "")
  return makeProblem(
    `unschedulable ${why}`,
    (plural) => `${plural ? "find" : "finds"} no node: ${why} (${reason})`
  )
}

const readinessGateProblem = (pod: Pod): PodProblem => {
  const missing = (pod.spec.readinessGates ?? [])
    .map(({ conditionType }) => conditionType)
    .filter((type) => conditionOf(pod.status.conditions, type)?.status !== "True")
  if (missing.length > 0) {
    return makeProblem(
      `readinessGates ${missing.join()}`,
      (plural) => `${plural ? "wait" : "waits"} for readiness gate ${missing.join(", ")}`
    )
  }
  const ready = conditionOf(pod.status.conditions, "Ready")
  const why = ready?.message ?? ready?.reason
  return makeProblem(
    `unready ${why}`,
    (plural) => `${plural ? "are" : "is"} not ready${why === undefined ? "" : `: ${why}`}`
  )
}

const minReadyProblem = (pod: Pod, minReadySeconds: number, nowMillis: number): PodProblem | undefined => {
  if (minReadySeconds === 0) return undefined
  const readyMillis = timestampMillis(conditionOf(pod.status.conditions, "Ready")?.lastTransitionTime ?? "")
  const remainingMillis = readyMillis + minReadySeconds * 1000 - nowMillis
  if (!(remainingMillis > 0)) return undefined
  return makeProblem(
    "minReadySeconds",
    (plural) =>
      `${plural ? "are" : "is"} ready, and ${plural ? "count" : "counts"} as available after ` +
      `${minReadySeconds}s of that (minReadySeconds)`,
    { detail: `, in ${durationText(remainingMillis)}`, endsByItself: true }
  )
}
