import * as Effect from "effect/Effect"
import { defaultSchedulerName, isPodFinished } from "../kubernetes/pods/podState.ts"
import { isTerminating } from "../kubernetes/meta/deletion.ts"
import { objectKeyOf } from "../kubernetes/meta/objects.ts"
import { hasSchedulingGates } from "../kubernetes/pods/schedulingGates.ts"
import { priorityOf } from "../kubernetes/scheduling/victims.ts"
import { resources } from "../kubernetes/meta/kinds.ts"
import { runInformer } from "../runtime/workers/informer.ts"
import { noSnapshotParts } from "../runtime/snapshotParts.ts"
import { makeMailbox } from "../runtime/workers/mailbox.ts"
import { processMailbox } from "../runtime/workers/worker.ts"
import { controllerTurnOrder } from "../runtime/reconciler/controllerTurnOrder.ts"
import {
  boundPodChange,
  mayFitAfterNodeChange,
  mayFitAfterPodChange,
  mayFitAfterStorageChange
} from "../kubernetes/scheduling/queueingHints.ts"
import { makeAssumedPods } from "./assumedPods.ts"
import { makeNominatedPods } from "./nominatedPods.ts"
import { makePlacementIndex } from "./placementIndex.ts"
import { makePodPlacement } from "./podPlacement.ts"
import { makeSchedulingRequests } from "./schedulingRequests.ts"
import { bindToNode, clearNomination, preemptVictims, reportUnschedulable } from "./schedulingWrites.ts"
import { bindVolumes, storageResources } from "./volumePlacements.ts"
import { usesClaims } from "../kubernetes/storage/podClaims.ts"
import { makeUnschedulablePods } from "./unschedulablePods.ts"
import type { Scope } from "effect/Scope"
import type { Key, Node, Pod } from "../kubernetes/meta/objects.ts"
import type { WaitingPod } from "../kubernetes/scheduling/queueingHints.ts"
import type { Kernel } from "../runtime/time/kernel.ts"
import type { Change } from "../store/objectStore.ts"
import type { ControllerServices } from "../controllers/controllerServices.ts"
import type { PodScheduler, SchedulingRequests } from "./schedulingRequests.ts"
import type { FailedPlacement } from "./podPlacement.ts"

interface SchedulerOptions {
  readonly requests?: SchedulingRequests
  /** Chooses among `count` equally good nodes. */
  readonly drawNodeIndex?: (pod: Pod, count: number) => number
}

/**
 * A Pod that fits nowhere is tried at the next change that may help: upstream, too, takes Pods out of back-off while
 * its active queue is empty.
 * Source: pkg/scheduler/schedule_one.go, pkg/scheduler/backend/queue (scheduling_queue.go, active_queue.go;
 * SchedulerPopFromBackoffQ).
 */
export const runScheduler = Effect.fnUntraced(function* (
  services: ControllerServices,
  kernel: Kernel,
  { requests = makeSchedulingRequests(), drawNodeIndex }: SchedulerOptions = {}
): Effect.fn.Return<PodScheduler, never, Scope> {
  const { view, snapshotParts = noSnapshotParts } = services
  const mailbox = yield* makeMailbox({ kernel, turnOrder: controllerTurnOrder.scheduler, snapshotParts })
  const unschedulable = makeUnschedulablePods()
  snapshotParts.registerPart("waiting", unschedulable)
  const assumed = makeAssumedPods(services)
  snapshotParts.registerPart("assumed", assumed)
  const nominated = makeNominatedPods(view)
  snapshotParts.registerPart("nominated", nominated)
  const index = makePlacementIndex(view, assumed)
  const placement = makePodPlacement({ view, index, nominated, drawNodeIndex })
  snapshotParts.registerPart("search", placement)

  const offer = (key: Key): void => {
    const pod = view.get(resources.pods, key)
    mailbox.offer(key, { turnOrder: turnOrderOf(pod) })
  }
  const tryNext = (): void => {
    const key = unschedulable.next()
    if (key !== undefined) offer(key)
  }

  const attempt = Effect.fnUntraced(function* (key: Key) {
    const pod = view.get(resources.pods, key)
    if (pod !== undefined && hasSchedulingGates(pod)) return tryNext()
    if (pod === undefined || !isSchedulable(pod)) {
      unschedulable.remove(key)
      nominated.forget(key)
      // A Pod that a late view does not show yet is tried when it is added.
      if (pod !== undefined) requests.pendingKeys.delete(key)
      return tryNext()
    }
    const waiting = assumed.forget(key)
    const result = placement.place(pod)
    if (waiting !== undefined && (!result.found || result.node.metadata.name !== waiting.spec.nodeName))
      retryAfterPod(waiting, undefined)
    if (!result.found) {
      unschedulable.add(key, result.podWithNomination, result.filters)
      tryNext()
      return yield* preemptAndReport(pod, result)
    }
    unschedulable.remove(key)
    const { name } = result.node.metadata
    // The Pod keeps its place, and is tried again when its claims are bound.
    if (usesClaims(pod.spec) && (yield* bindVolumes(services, pod, result.node))) {
      assumed.assume(pod, name)
      return tryNext()
    }
    yield* Effect.ensuring(bindToNode(services, pod, name), Effect.sync(tryNext))
    nominated.forget(key)
    assumed.assume(pod, name)
    requests.pendingKeys.delete(key)
  })

  const preemptAndReport = Effect.fnUntraced(function* (pod: Pod, failure: FailedPlacement) {
    const { message, preemption, nomination } = failure
    if (preemption !== undefined) {
      const { nodeName, victims } = preemption
      const lowerPods = nominated.on(nodeName).filter((other) => priorityOf(other) < priorityOf(pod))
      nominated.set(pod, nodeName)
      yield* Effect.forEach(lowerPods, (other) => clearNomination(services, other), { discard: true })
      lowerPods.forEach((other) => offer(objectKeyOf(other)))
      yield* preemptVictims(services, victims, { preemptor: pod, nodeName })
    } else if (nomination === "none") nominated.forget(objectKeyOf(pod))
    yield* reportUnschedulable(services, pod, { message, nomination })
  })

  const isBusy = (): boolean =>
    requests.pendingKeys.size > 0 || !unschedulable.isEmpty() || !assumed.isEmpty()

  const onPod = ({ type, object, old }: Change): void => {
    const [pod, oldPod] = [object as Pod, old as Pod | undefined]
    const next = type === "DELETED" ? undefined : pod
    const before = type === "DELETED" ? (oldPod ?? pod) : oldPod
    index.updatePod(before, next)
    if (!isBusy()) return
    const key = objectKeyOf(pod)
    const mayFitNow = type === "ADDED" || hasOtherRequirements(pod, oldPod)
    if (requests.pendingKeys.has(key) && mayFitNow) offer(key)
    if (next === undefined || isPodFinished(next)) {
      requests.pendingKeys.delete(key)
      unschedulable.remove(key)
      nominated.forget(key)
      tryNext()
    } else if (!nominated.isEmpty()) {
      nominated.set(next, next.spec.nodeName === undefined ? next.status.nominatedNodeName : undefined)
    }
    const released = assumed.release(key)
    if (unschedulable.isEmpty()) return
    // An assumed Pod that the view shows elsewhere has left the assumed node.
    const isLost = released !== undefined && next?.spec.nodeName !== released.spec.nodeName
    retryAfterPod(isLost ? released : before, next)
  }
  const retryAfterPod = (before: Pod | undefined, next: Pod | undefined): void => {
    const change = boundPodChange(before, next)
    if (change !== undefined) retry((waiting) => mayFitAfterPodChange(waiting, change, index))
  }
  /** Also tries Pods that have a node and wait for their claims. */
  const onStorage = (change: Change): void => {
    if (change.type === "DELETED" || requests.pendingKeys.size === 0) return
    if (change.resource === resources.persistentVolumeClaims) {
      for (const pod of view.claimPods.using(objectKeyOf(change.object))) {
        const key = objectKeyOf(pod)
        if (requests.pendingKeys.has(key) && !unschedulable.has(key)) offer(key)
      }
    }
    if (!unschedulable.isEmpty()) retry((waiting) => mayFitAfterStorageChange(waiting, change))
  }
  const onNode = (change: Change): void => {
    index.updateNode(change)
    const { type, object, old } = change
    if (unschedulable.isEmpty()) return
    const nodeChange = { node: object as Node, old: old as Node | undefined, isDeleted: type === "DELETED" }
    retry((waiting) => mayFitAfterNodeChange(waiting, nodeChange))
  }
  const retry = (mayFit: (waiting: WaitingPod) => boolean): void => {
    const mustWake = unschedulable.retry((key, filters) => {
      const pod = view.get(resources.pods, key)
      return pod !== undefined && mayFit({ pod, filters })
    })
    if (mustWake) tryNext()
  }
  const onChange = (change: Change): void => {
    if (change.resource === resources.pods) onPod(change)
    else if (change.resource === resources.nodes) onNode(change)
    else onStorage(change)
  }

  yield* processMailbox({ mailbox, attempt, delayMillis: errorBackOffMillis, snapshotParts })
  yield* runInformer(services, onChange, {
    resources: [resources.pods, resources.nodes, ...storageResources]
  })
  // A snapshot restores the mailbox and the nominations; a restart does not.
  if (!snapshotParts.isRestored) {
    for (const key of requests.pendingKeys) {
      const pod = view.get(resources.pods, key)
      if (pod !== undefined) nominated.set(pod, pod.status.nominatedNodeName)
      offer(key)
    }
  }
  const scheduler: PodScheduler = { request: offer }
  requests.attachScheduler(scheduler)
  return scheduler
})

/**
 * `pod-initial-backoff-seconds` and `pod-max-backoff-seconds`: the wait after an attempt that failed with an error.
 */
const errorBackOffMillis = (failures: number): number => Math.min(10_000, 1000 * 2 ** Math.min(failures, 4))

/**
 * At one instant Pods of higher priority go first. Priorities are within ±2.2 thousand million, so the divisor keeps
 * the turn orders between those of other controllers.
 * Source: pkg/scheduler/framework/plugins/queuesort/priority_sort.go.
 */
const turnOrderOf = (pod: Pod | undefined): number =>
  controllerTurnOrder.scheduler - (pod === undefined ? 0 : priorityOf(pod) / 500_000_000)

/** Source: pkg/scheduler/scheduler.go (newPodInformer). */
const isSchedulable = (pod: Pod): boolean =>
  pod.spec.nodeName === undefined &&
  !isTerminating(pod) &&
  !isPodFinished(pod) &&
  (pod.spec.schedulerName ?? defaultSchedulerName) === defaultSchedulerName

const hasOtherRequirements = (pod: Pod, old: Pod | undefined): boolean =>
  old !== undefined &&
  pod.spec.nodeName === undefined &&
  !hasSchedulingGates(pod) &&
  (pod.spec !== old.spec || pod.metadata.labels !== old.metadata.labels)
