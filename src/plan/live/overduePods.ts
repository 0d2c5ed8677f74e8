import { conditionOf } from "../../kubernetes/meta/conditions.ts"
import {
  probeFailsMillis,
  probeTiming,
  probeSucceedsMillis
} from "../../kubernetes/pods/containers/probes.ts"
import { formatDuration } from "../../kubernetes/meta/amounts/durations.ts"
import { isReplicaSetOf } from "./liveObjects.ts"
import { timestampMillis, floorToSecond } from "../../kubernetes/meta/amounts/timestamps.ts"
import { slowestReadyMillis } from "./measuredPods.ts"
import type { Pod, PodSpec, ReplicaSet } from "../../kubernetes/meta/objects.ts"
import type { LiveObjects } from "./liveObjects.ts"

/**
 * Returns why a Pod counts as failing although no deadline was missed: it runs several times longer than the slowest
 * ready Pod of its Deployment took, plus the time that its own probes may take. Undefined for other Pods.
 */
export const makeOverdueReason = (
  replicaSet: ReplicaSet,
  { deployments, pods = [], readMillis }: Pick<LiveObjects, "deployments" | "pods" | "readMillis">
): ((pod: Pod) => string | undefined) => {
  const deployment = deployments.find((it) => isReplicaSetOf(it)(replicaSet))
  const slowestMillis = deployment === undefined ? undefined : slowestReadyMillis(deployment, pods)
  if (slowestMillis === undefined) return () => undefined
  const probeMillis = longestProbeMillis(replicaSet.spec.template.spec?.containers ?? [])
  const waitMaxMillis = waitMinMillis + slowFactor * slowestMillis + probeMillis
  const comparison = `where others took ${formatDuration(slowestMillis)} at the most`
  return (pod) => {
    const runningMillis = readMillis - (runningSince(pod) ?? Infinity)
    return runningMillis > waitMaxMillis
      ? `Pods run for ${formatDuration(floorToSecond(runningMillis))} and are not ready, ${comparison}`
      : undefined
  }
}

/** How many times longer than the slowest ready Pod a Pod may run before it counts as failing. */
const slowFactor = 5
/** At least this long, in case the other version was ready immediately. */
const waitMinMillis = 60_000

/** When the last container of a never ready Pod started; undefined unless all of its containers run. */
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

const longestProbeMillis = (containers: PodSpec["containers"]): number =>
  Math.max(
    0,
    ...containers.map(({ startupProbe, readinessProbe }) => {
      // The startup probe may be unanswered up to its last attempt; the readiness probe is then answered at once.
      const [startup, readiness] = [probeTiming(startupProbe), probeTiming(readinessProbe)]
      return (
        (startup === undefined ? 0 : probeFailsMillis(startup, 0)) +
        (readiness === undefined ? 0 : probeSucceedsMillis(readiness, 0))
      )
    })
  )
