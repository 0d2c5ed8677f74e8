import { conditionOf } from "../../kubernetes/meta/conditions.ts"
import {
  probeFailsMillis,
  probeTiming,
  probeSucceedsMillis
} from "../../kubernetes/pods/containers/probes.ts"
import { formatDuration } from "../../kubernetes/meta/amounts/durations.ts"
import { isControlledBy, isWorkloadWithRevisions } from "./liveObjects.ts"
import { timestampMillis, floorToSecond } from "../../kubernetes/meta/amounts/timestamps.ts"
import { slowestReadyMillis } from "./measuredPods.ts"
import type { Pod, PodSpec, ReplicaSet } from "../../kubernetes/meta/objects.ts"
import type { LiveObjects, WorkloadWithRevisions } from "./liveObjects.ts"

/** A Pod is overdue when it is unready for far longer than ready Pods have taken. */
export const makeOverdueReason = (
  owner: ReplicaSet | WorkloadWithRevisions,
  { deployments, pods = [], readMillis }: Pick<LiveObjects, "deployments" | "pods" | "readMillis">
): ((pod: Pod) => string | undefined) => {
  const workload = isWorkloadWithRevisions(owner)
    ? owner
    : deployments.find((deployment) => isControlledBy(deployment)(owner))
  const slowestMillis = workload === undefined ? undefined : slowestReadyMillis(workload, pods)
  if (slowestMillis === undefined) return () => undefined
  const probeMillis = longestProbeMillis(owner.spec.template.spec?.containers ?? [])
  const waitMaxMillis = waitMinMillis + slowFactor * slowestMillis + probeMillis
  const comparison = `where others took ${formatDuration(slowestMillis)} at the most`
  return (pod) => {
    const runningMillis = readMillis - (runningSince(pod) ?? Infinity)
    return runningMillis > waitMaxMillis
      ? `Pods run for ${formatDuration(floorToSecond(runningMillis))} and are not ready, ${comparison}`
      : undefined
  }
}

/** How many times as long as the slowest ready Pod a Pod may take before it is overdue. */
const slowFactor = 5
/** Added to the limit, since the slowest ready Pod may have been ready at once. */
const waitMinMillis = 60_000

/** Unix milliseconds; undefined unless the unready containers run, for the first time. */
const runningSince = ({ status }: Pod): number | undefined => {
  const unready = (status.containerStatuses ?? []).filter(({ ready }) => !ready)
  const startedMillis = Math.max(
    ...unready.map(({ state }) => timestampMillis(state?.running?.startedAt ?? ""))
  )
  const isFirstRun = unready.every(({ lastState }) => lastState?.terminated === undefined)
  const unreadySinceMillis = timestampMillis(
    conditionOf(status.conditions, "Ready")?.lastTransitionTime ?? ""
  )
  return Number.isFinite(startedMillis) && isFirstRun && !(unreadySinceMillis > startedMillis)
    ? startedMillis
    : undefined
}

/** Times of probes count from the container's start. */
const containerStartMillis = 0

const longestProbeMillis = (containers: PodSpec["containers"]): number =>
  Math.max(
    0,
    ...containers.map(({ startupProbe, readinessProbe }) => {
      // The startup probe may pass at its last attempt.
      const [startup, readiness] = [probeTiming(startupProbe), probeTiming(readinessProbe)]
      return (
        (startup === undefined ? 0 : probeFailsMillis(startup, containerStartMillis)) +
        (readiness === undefined ? 0 : probeSucceedsMillis(readiness, containerStartMillis))
      )
    })
  )
