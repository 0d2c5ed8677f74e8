import * as Effect from "effect/Effect"
import { isPodFinished } from "../kubernetes/pods/podState.ts"
import { isTerminating } from "../kubernetes/meta/ownerReferences.ts"
import { objectKeyOf } from "../kubernetes/meta/objects.ts"
import { withPodCondition } from "../kubernetes/pods/podConditions.ts"
import { choosePodNode } from "../kubernetes/scheduling/placement.ts"
import { hasSchedulingGates } from "../kubernetes/pods/schedulingGates.ts"
import { resources } from "../kubernetes/meta/kinds.ts"
import { runInformer } from "../runtime/workers/informer.ts"
import { noSnapshotMemory, setPart } from "../runtime/snapshotMemory.ts"
import { makeMailbox } from "../runtime/workers/mailbox.ts"
import { processMailbox } from "../runtime/workers/worker.ts"
import { makeAssumedPods } from "./assumedPods.ts"
import { makeUnschedulablePods } from "./unschedulablePods.ts"
import { makesRoom, opensSchedulingGates } from "../controllers/changeFilters.ts"
import { controllerRanks } from "../runtime/reconciler/controllerRanks.ts"
import type { Scope } from "effect/Scope"
import type { Key, Pod } from "../kubernetes/meta/objects.ts"
import type { Kernel } from "../runtime/time/kernel.ts"
import type { SnapshotMemory } from "../runtime/snapshotMemory.ts"
import type { StoreError } from "../store/storeErrors.ts"
import type { Change } from "../store/objectStore.ts"
import type { ControllerServices } from "../controllers/controllerServices.ts"

/** The source of its Events. */
const component = "default-scheduler"
/** The `spec.schedulerName` of its Pods. */
const schedulerName = "default-scheduler"

interface PodScheduler {
  readonly request: (key: Key) => void
}

/** Requests to schedule Pods. They outlive a scheduler that is restarted. */
export interface SchedulingRequests extends PodScheduler {
  /** Keys of Pods that were requested and are not bound yet. */
  readonly pendingKeys: Set<Key>
  /** From now on requests go to this scheduler. */
  readonly attachScheduler: (scheduler: PodScheduler) => void
}

export const makeSchedulingRequests = (memory: SnapshotMemory = noSnapshotMemory): SchedulingRequests => {
  const pendingKeys = new Set<Key>()
  let scheduler: PodScheduler | undefined
  memory.registerPart("requests", setPart(pendingKeys))
  return {
    pendingKeys,
    request: (key) => {
      pendingKeys.add(key)
      scheduler?.request(key)
    },
    attachScheduler: (next) => {
      scheduler = next
    }
  }
}

/**
 * Starts the scheduler. A Pod that fits nowhere waits until a node, or the load on a node, changes.
 *
 * Source: pkg/scheduler/schedule_one.go, pkg/scheduler/backend/queue/scheduling_queue.go.
 */
export const runScheduler = Effect.fnUntraced(function* (
  services: ControllerServices,
  kernel: Kernel,
  requests: SchedulingRequests = makeSchedulingRequests()
): Effect.fn.Return<PodScheduler, never, Scope> {
  const { view, memory = noSnapshotMemory } = services
  const mailbox = yield* makeMailbox({ kernel, rank: controllerRanks.scheduler, memory })
  const unschedulable = makeUnschedulablePods()
  memory.registerPart("waiting", unschedulable)
  const assumed = makeAssumedPods(services)
  memory.registerPart("assumed", assumed)

  const tryNext = (): void => {
    const key = unschedulable.next()
    if (key !== undefined) mailbox.offer(key)
  }

  const attempt = Effect.fnUntraced(function* (key: Key) {
    const pod = view.get(resources.pods, key)
    if (pod !== undefined && hasSchedulingGates(pod)) return tryNext()
    if (pod === undefined || !isSchedulable(pod)) {
      unschedulable.remove(key)
      // A Pod that a late view does not show yet is tried when it is added.
      if (pod !== undefined) requests.pendingKeys.delete(key)
      return tryNext()
    }
    const placement = choosePodNode(pod, view.all(resources.nodes), assumed.load)
    if (!placement.found) {
      unschedulable.add(key, pod.spec)
      tryNext()
      return yield* reportUnschedulable(services, pod, placement.message)
    }
    unschedulable.remove(key)
    const { name } = placement.node.metadata
    yield* Effect.ensuring(bind(services, pod, name), Effect.sync(tryNext))
    assumed.assume(pod, name)
    requests.pendingKeys.delete(key)
  })

  /** Whether changes of Pods may matter: otherwise they are not looked at. */
  const isBusy = (): boolean =>
    requests.pendingKeys.size > 0 || !unschedulable.isEmpty() || !assumed.isEmpty()
  const onPod = (change: Change): boolean => {
    const { type, object } = change
    const key = objectKeyOf(object)
    if (requests.pendingKeys.has(key) && (type === "ADDED" || opensSchedulingGates(change)))
      mailbox.offer(key)
    if (type === "DELETED" || isPodFinished(object as Pod)) {
      requests.pendingKeys.delete(key)
      unschedulable.remove(key)
      tryNext()
    }
    return assumed.release(key)
  }

  const onChange = (change: Change): void => {
    const hasFreedResources = isBusy() && change.resource === resources.pods && onPod(change)
    if (!unschedulable.isEmpty() && (hasFreedResources || makesRoom(change)) && unschedulable.retryAll())
      tryNext()
  }

  yield* processMailbox({ mailbox, attempt, delayMillis: () => backOffMillis, memory })
  yield* runInformer(services, onChange, { resources: [resources.pods, resources.nodes] })
  // After a restart, what was requested before is tried again. A snapshot has the mailbox itself.
  if (memory.isNew) requests.pendingKeys.forEach((key) => mailbox.offer(key))
  const scheduler: PodScheduler = { request: (key) => mailbox.offer(key) }
  requests.attachScheduler(scheduler)
  return scheduler
})

/** `pod-initial-backoff-seconds`. */
const backOffMillis = 1000

/** Source: pkg/scheduler/scheduler.go (newPodInformer). */
const isSchedulable = (pod: Pod): boolean =>
  pod.spec.nodeName === undefined &&
  !isTerminating(pod) &&
  !isPodFinished(pod) &&
  (pod.spec.schedulerName ?? schedulerName) === schedulerName

const bind = (services: ControllerServices, pod: Pod, nodeName: string): Effect.Effect<void, StoreError> => {
  const { store, events } = services
  const message = `Successfully assigned ${objectKeyOf(pod)} to ${nodeName}`
  const bound = store.bind({ key: objectKeyOf(pod), uid: pod.metadata.uid, nodeName })
  return Effect.andThen(
    bound,
    events.record({
      component,
      about: pod,
      event: { eventType: "Normal", reason: "Scheduled", message }
    })
  )
}

const reportUnschedulable = (
  { store, events, nowMillis }: ControllerServices,
  pod: Pod,
  message: string
): Effect.Effect<void, StoreError> => {
  const condition = { status: "False", reason: "Unschedulable", message } as const
  const conditions = withPodCondition(pod, "PodScheduled", condition, nowMillis())
  const event = { eventType: "Warning", reason: "FailedScheduling", message } as const
  return Effect.andThen(
    store.updateStatus({ ...pod, status: { ...pod.status, conditions } } as Pod),
    events.record({ component, about: pod, event })
  )
}
