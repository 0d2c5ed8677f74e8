import * as Effect from "effect/Effect"
import { allContainerStatuses, restartCountOf } from "../kubernetes/pods/podState.ts"
import { hasProgressDeadline, progressingCondition } from "../kubernetes/apps/progress.ts"
import { isManagedElsewhere } from "../kubernetes/batch/jobs/jobState.ts"
import { podsOfWorkload } from "../store/ownerLookup.ts"
import { resources } from "../kubernetes/meta/kinds.ts"
import { toObjectKey } from "../kubernetes/meta/objects.ts"
import { lossAfterCompletion } from "./lossAfterCompletion.ts"
import { watchFuture } from "./futureWatch.ts"
import type { ClusterView } from "../store/objectStore.ts"
import type { Deployment, Pod } from "../kubernetes/meta/objects.ts"
import type { Job } from "../kubernetes/batch/jobs/jobTypes.ts"
import type { Future } from "./forecast.ts"
import type { FutureWatch } from "./futureWatch.ts"
import type { Workload, WorkloadResource } from "../kubernetes/apps/workloadStatus.ts"

/** Only `until` moves its clock. */
export interface ForkedCluster {
  readonly view: ClusterView["Service"]
  readonly nowMillis: () => number
  readonly isAtRest: () => boolean
  /** Asks `condition` before each instant; returns false at the limit. */
  readonly until: (condition: (nextMillis: number) => boolean, limitMillis?: number) => Effect.Effect<boolean>
  readonly fetch: (path: string, init?: RequestInit) => Effect.Effect<Response>
}

export interface ForecastTarget {
  readonly resource: WorkloadResource
  readonly namespace: string
  readonly name: string
}

export interface PlayLimits {
  readonly horizonMillis: number
  readonly changesMax: number
}

/** How long a complete rollout is followed further: a node may have been lost just before. */
const completeFollowedMillis = 60_000

/**
 * How long a complete rollout with restarted containers is followed further: they may crash again. Source:
 * pkg/kubelet/kuberuntime/kuberuntime_manager.go (doBackOff).
 */
const restartedFollowedMillis = 600_000

export const playFuture = (
  fork: ForkedCluster,
  { resource, namespace, name }: ForecastTarget,
  { horizonMillis, changesMax }: PlayLimits
): Effect.Effect<Future> =>
  Effect.gen(function* () {
    const { view, nowMillis } = fork
    const startMillis = nowMillis()
    const watch = watchFuture({ view, nowMillis, resource, key: toObjectKey(namespace, name) })
    const unsubscribe = view.subscribe(watch.onChange)
    let ended: Future["ended"] = "horizon"
    const isOver = (): boolean => {
      if (watch.changeCount() >= changesMax) ended = "changesMax"
      else if (isSettled(fork, watch, resource, toObjectKey(namespace, name))) ended = "settled"
      else return false
      return true
    }
    yield* Effect.ensuring(fork.until(isOver, horizonMillis), Effect.sync(unsubscribe))
    return {
      ...outcomeOf(watch, ended),
      endMillis: ended === "horizon" ? startMillis + horizonMillis : nowMillis(),
      ended,
      milestones: watch.milestones,
      counts: watch.counts,
      availableMin: Math.min(...watch.counts.map(({ available }) => available)),
      changes: watch.changeCount()
    }
  })

const isSettled = (
  fork: ForkedCluster,
  watch: FutureWatch,
  resource: WorkloadResource,
  key: string
): boolean => {
  const state = watch.status()?.state
  if (state === undefined) return true
  const workload = fork.view.get(resource, key)
  if (state === "complete") {
    const hasCrashed =
      workload !== undefined &&
      resource !== resources.jobs &&
      podsOfWorkload(fork.view, resource, workload).some((pod) => restartCountOf(pod) > 0)
    const completeForMillis = fork.nowMillis() - watch.stateSinceMillis()
    // A cluster counts as at rest while containers run that will crash later.
    return hasCrashed
      ? completeForMillis >= restartedFollowedMillis
      : fork.isAtRest() || completeForMillis >= completeFollowedMillis
  }
  if (workload === undefined || !fork.isAtRest()) return false
  // A cluster counts as at rest while containers back off, which may still recover.
  if (podsOfWorkload(fork.view, resource, workload).some(isBackingOff)) return false
  return state === "failed" || !(hasRunningDeadline(resource, workload) || mayJobEnd(resource, workload))
}

const backOffReasons = ["CrashLoopBackOff", "ImagePullBackOff", "ErrImagePull"]

const isBackingOff = (pod: Pod): boolean =>
  allContainerStatuses(pod).some(({ state }) => backOffReasons.includes(state?.waiting?.reason ?? ""))

/** While the Pods of a Job run, the cluster counts as at rest. */
const mayJobEnd = (resource: WorkloadResource, workload: Workload): boolean =>
  resource === resources.jobs &&
  (workload as Job).spec.suspend !== true &&
  !isManagedElsewhere(workload as Job)

const hasRunningDeadline = (resource: WorkloadResource, workload: Workload): boolean => {
  if (resource !== resources.deployments) return false
  const deployment = workload as Deployment
  return (
    deployment.spec.paused !== true &&
    hasProgressDeadline(deployment) &&
    progressingCondition(deployment)?.reason !== "NewReplicaSetAvailable"
  )
}

const outcomeOf = (
  watch: FutureWatch,
  ended: Future["ended"]
): Pick<Future, "outcome" | "message" | "outcomeMillis"> => {
  const status = watch.status()
  const outcomeMillis = watch.stateSinceMillis()
  if (status === undefined) return { outcome: "deleted", message: "object has been deleted", outcomeMillis }
  const { state, message } = status
  // A rollout that loses its Pods after each completion does not stay complete.
  const isUnsteady =
    state === "complete" && ended !== "settled" && lossAfterCompletion(watch.milestones) !== undefined
  if (state === "waiting" || isUnsteady) return { outcome: "unfinished", message, outcomeMillis: undefined }
  // A container that crashes again and again after it was ready misses one deadline after another.
  const missed = watch.milestones.find(({ kind }) => kind === "deadlineMissed")
  return {
    outcome: state,
    message,
    outcomeMillis: state === "failed" ? (missed?.millis ?? outcomeMillis) : outcomeMillis
  }
}
