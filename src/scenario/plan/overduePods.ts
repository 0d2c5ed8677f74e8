import { conditionOf } from "../../domain/conditions.ts"
import { failsAt, probeTiming, succeedsAt } from "../../domain/probes.ts"
import { formatDuration } from "../../domain/durations.ts"
import { isOwnedBy } from "./liveObjects.ts"
import { millisOf, secondsFloor } from "../../domain/timestamps.ts"
import { slowestReady } from "./measuredPods.ts"
import type { Pod, PodSpec, ReplicaSet } from "../../domain/objects.ts"
import type { LiveObjects } from "./liveObjects.ts"

/**
 * Why a Pod of a ReplicaSet is not waited for any more, though no deadline has passed: it runs for several times as
 * long as any of its Deployment took that is ready, beside what its own probes may take. Undefined for any other.
 */
export const overdueIn = (
  replicaSet: ReplicaSet,
  { deployments, pods = [], readMillis }: Pick<LiveObjects, "deployments" | "pods" | "readMillis">
): ((pod: Pod) => string | undefined) => {
  const deployment = deployments.find((it) => isOwnedBy(it)(replicaSet))
  const slowest = deployment === undefined ? undefined : slowestReady(deployment, pods)
  if (slowest === undefined) return () => undefined
  const probed = longestProbed(replicaSet.spec.template.spec?.containers ?? [])
  const mostMillis = leastMillis + severalTimes * slowest + probed
  const others = `where others took ${formatDuration(slowest)} at the most`
  return (pod) => {
    const ranMillis = readMillis - (waitedForSince(pod) ?? Infinity)
    return ranMillis > mostMillis
      ? `Pods run for ${formatDuration(secondsFloor(ranMillis))} and are not ready, ${others}`
      : undefined
  }
}

const severalTimes = 5
/** A new version may well be slower than one that was ready in no time. */
const leastMillis = 60_000

/** Since when all of a Pod runs that has never been ready; undefined where not all does, and for any other. */
const waitedForSince = ({ status }: Pod): number | undefined => {
  const unready = (status.containerStatuses ?? []).filter(({ ready }) => !ready)
  const since = Math.max(...unready.map(({ state }) => millisOf(state?.running?.startedAt ?? "")))
  const isFirstRun = unready.every(({ lastState }) => lastState?.terminated === undefined)
  // One that was ready before has lost that after it began to run.
  const notReadySince = millisOf(conditionOf(status.conditions, "Ready")?.lastTransitionTime ?? "")
  return Number.isFinite(since) && isFirstRun && !(notReadySince > since) ? since : undefined
}

/** How long the probes of a Pod may keep it from being ready, though it answers. */
const longestProbed = (containers: PodSpec["containers"]): number =>
  Math.max(
    0,
    ...containers.map(({ startupProbe, readinessProbe }) => {
      const [startup, readiness] = [probeTiming(startupProbe), probeTiming(readinessProbe)]
      return (
        (startup === undefined ? 0 : failsAt(startup, 0)) +
        (readiness === undefined ? 0 : succeedsAt(readiness, 0))
      )
    })
  )
