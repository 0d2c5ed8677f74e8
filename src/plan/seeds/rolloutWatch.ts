import { evictingTaintOf } from "./evictingTaint.ts"
import { isPodReady, unschedulableCondition } from "../../kubernetes/pods/podState.ts"
import { controllerOf } from "../../kubernetes/meta/ownerReferences.ts"
import { isEvictedByTaint, isPreempted } from "../../kubernetes/pods/disruptionTarget.ts"
import { isTerminating } from "../../kubernetes/meta/deletion.ts"
import { objectKeyOf } from "../../kubernetes/meta/objects.ts"
import { isEqualIgnoringEmpty } from "../../kubernetes/validation/structuralSharing.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { isWorkloadResource } from "../../kubernetes/apps/workloadStatus.ts"
import { rolloutState } from "./rolloutState.ts"
import { findWorkload, podOwnersOf, workloadReference } from "../workloads.ts"
import { podsOfWorkload } from "../../store/ownerLookup.ts"
import type { Pod } from "../../kubernetes/meta/objects.ts"
import type { EvictingTaint } from "./evictingTaint.ts"
import type { PodTimesRecorder } from "./podTimes.ts"
import type { Change, ClusterView } from "../../store/objectStore.ts"
import type { RolloutState } from "./rolloutState.ts"
import type { Workload } from "../../kubernetes/apps/workloadStatus.ts"
import type { WorkloadId, WorkloadReference } from "../workloads.ts"

interface RolloutEnd {
  completeMillis?: number
  failedMillis?: number
}

export interface RolloutWatch {
  readonly begin: (workloads: ReadonlyArray<WorkloadReference>) => void
  readonly observe: (change: Change, atMillis: number) => void
  /** For a workload that is complete although no write has changed it. */
  readonly markComplete: (id: WorkloadId, atMillis: number) => void
  readonly markFailed: (id: WorkloadId, atMillis: number) => void
  /** A rollout that was complete stays `complete`, whatever happens to its Pods. */
  readonly stateOf: (workload: WorkloadReference) => RolloutState
  readonly endOf: (id: WorkloadId) => Readonly<RolloutEnd>
  /** A Pod of the workload that fits no node, after Pods of higher priority have preempted others. */
  readonly displacedPodOf: (workload: WorkloadReference) => Pod | undefined
  readonly evictingTaintOf: (ownerUid: string) => EvictingTaint | undefined
  /** The last state of a workload, also after its deletion. */
  readonly lastSeen: (id: WorkloadId) => Workload | undefined
}

/** A Pod that was ready for longer than this has started well, even if it fails later. */
const earlyFailureMaxMillis = 60_000

export const makeRolloutWatch = (
  view: Pick<ClusterView["Service"], "get" | "controlled">,
  {
    podTimes,
    onComplete
  }: { readonly podTimes: PodTimesRecorder; readonly onComplete: (id: WorkloadId) => void }
): RolloutWatch => {
  let watchedIds: ReadonlySet<WorkloadId> = new Set()
  let ends = new Map<WorkloadId, RolloutEnd>()
  let createdTimes = new Map<string, number>()
  let readyTimes = new Map<string, number>()
  let lastSeen = new Map<WorkloadId, Workload>()
  let preemptedOwners = new Set<string>()
  let evictingTaints = new Map<string, EvictingTaint>()

  const observePod = (pod: Pod, type: Change["type"], atMillis: number): void => {
    const { uid } = pod.metadata
    const ownerUid = controllerOf(pod)?.uid ?? ""
    if (isPreempted(pod)) preemptedOwners.add(ownerUid)
    const taint = isEvictedByTaint(pod) ? evictingTaintOf(view, [pod]) : undefined
    if (taint !== undefined) evictingTaints.set(ownerUid, taint)
    if (type === "ADDED") createdTimes.set(uid, atMillis)
    if (type === "DELETED" || isTerminating(pod)) {
      createdTimes.delete(uid)
      readyTimes.delete(uid)
      return
    }
    const createdMillis = createdTimes.get(uid)
    if (createdMillis === undefined) return
    const readyMillis = readyTimes.get(uid)
    if (isPodReady(pod) && readyMillis === undefined) {
      readyTimes.set(uid, atMillis)
      podTimes.record(pod, { readyMillis: atMillis - createdMillis })
    }
    if (isPodReady(pod) || readyMillis === undefined) return
    createdTimes.delete(uid)
    const readyForMillis = atMillis - readyMillis
    if (readyForMillis <= earlyFailureMaxMillis)
      podTimes.record(pod, { readyBeforeFailureMillis: readyForMillis })
  }
  const markComplete = (id: WorkloadId, atMillis: number): void => {
    const end = ends.get(id) ?? {}
    if (end.completeMillis !== undefined) return
    ends.set(id, { ...end, completeMillis: atMillis })
    onComplete(id)
  }
  return {
    begin: (workloads) => {
      watchedIds = new Set(workloads.map(({ id }) => id))
      ends = new Map()
      createdTimes = new Map()
      readyTimes = new Map()
      lastSeen = new Map()
      preemptedOwners = new Set()
      evictingTaints = new Map()
    },
    observe: ({ resource, type, object, old }, atMillis) => {
      if (resource === resources.pods) observePod(object as Pod, type, atMillis)
      if (!isWorkloadResource(resource) || type === "DELETED") return
      const reference = workloadReference(resource, objectKeyOf(object))
      const { id } = reference
      if (!watchedIds.has(id)) return
      lastSeen.set(id, object as Workload)
      if (old?.metadata.generation !== object.metadata.generation) {
        const { failedMillis } = ends.get(id) ?? {}
        ends.delete(id)
        // The steering sets annotations, which also raise the generation.
        if (
          failedMillis !== undefined &&
          isEqualIgnoringEmpty((old as Workload).spec, (object as Workload).spec)
        )
          ends.set(id, { failedMillis })
      }
      const end: RolloutEnd = ends.get(id) ?? {}
      if (end.completeMillis !== undefined) return
      const state = rolloutState(view, reference)
      if (state === "failed") end.failedMillis ??= atMillis
      // The status of an earlier missed deadline stays until the controller sees the new spec.
      else if (end.failedMillis === atMillis) delete end.failedMillis
      ends.set(id, end)
      if (state === "complete") markComplete(id, atMillis)
    },
    markComplete,
    markFailed: (id, atMillis) => ends.set(id, { ...ends.get(id), failedMillis: atMillis }),
    stateOf: (workload) =>
      ends.get(workload.id)?.completeMillis === undefined ? rolloutState(view, workload) : "complete",
    endOf: (id) => ends.get(id) ?? {},
    evictingTaintOf: (ownerUid) => evictingTaints.get(ownerUid),
    displacedPodOf: ({ resource, key }) => {
      const workload = preemptedOwners.size === 0 ? undefined : findWorkload(view, { resource, key })
      if (workload === undefined) return undefined
      const owners = podOwnersOf(view, resource, workload)
      return owners.some(({ metadata }) => preemptedOwners.has(metadata.uid))
        ? podsOfWorkload(view, resource, workload).find((pod) => unschedulableCondition(pod))
        : undefined
    },
    lastSeen: (id) => lastSeen.get(id)
  }
}
