import * as Effect from "effect/Effect"
import { isFinished } from "../domain/pods.ts"
import { isSameValue } from "../domain/sameness.ts"
import { isTerminating } from "../domain/ownerReferences.ts"
import { keyOf } from "../domain/objects.ts"
import { withPodCondition } from "../domain/podConditions.ts"
import { place } from "../domain/placement.ts"
import { isGated } from "../domain/schedulingGates.ts"
import { resources } from "../domain/kinds.ts"
import { inform } from "../runtime/informer.ts"
import { noMemory } from "../runtime/memory.ts"
import { makeMailbox } from "../runtime/mailbox.ts"
import { workOff } from "../runtime/workers.ts"
import { makeAssumedPods } from "./assumedPods.ts"
import { makeUnschedulablePods } from "./unschedulablePods.ts"
import { ranks } from "./services.ts"
import type { Scope } from "effect/Scope"
import type { Key, Node, Pod } from "../domain/objects.ts"
import type { Kernel } from "../runtime/kernel.ts"
import type { Memory } from "../runtime/memory.ts"
import type { StoreError } from "../store/errors.ts"
import type { Change } from "../store/objectStore.ts"
import type { ControllerServices } from "./services.ts"

const component = "default-scheduler"
const schedulerName = "default-scheduler"

interface PodScheduler {
  readonly request: (key: Key) => void
}

/** Requests to schedule Pods. They outlive a scheduler that is restarted. */
export interface PlacementRequests extends PodScheduler {
  readonly open: Set<Key>
  readonly serve: (scheduler: PodScheduler) => void
}

export const makePlacementRequests = (memory: Memory = noMemory): PlacementRequests => {
  const open = new Set<Key>()
  let scheduler: PodScheduler | undefined
  memory.carry<ReadonlyArray<Key>>("requests", {
    save: () => [...open],
    restore: (keys) => keys.forEach((key) => open.add(key))
  })
  return {
    open,
    request: (key) => {
      open.add(key)
      scheduler?.request(key)
    },
    serve: (next) => {
      scheduler = next
    }
  }
}

/**
 * Starts the scheduler. A Pod that fits nowhere waits until a node, or the load on a node, changes.
 *
 * Source: pkg/scheduler/schedule_one.go, pkg/scheduler/backend/queue/scheduling_queue.go.
 */
export const makeScheduler = Effect.fnUntraced(function* (
  services: ControllerServices,
  kernel: Kernel,
  requests: PlacementRequests = makePlacementRequests()
): Effect.fn.Return<PodScheduler, never, Scope> {
  const { view, memory = noMemory } = services
  const mailbox = yield* makeMailbox({ kernel, rank: ranks.scheduler, memory })
  const unschedulable = makeUnschedulablePods()
  memory.carry("waiting", unschedulable)
  const assumed = makeAssumedPods(services)
  memory.carry("assumed", assumed)

  const tryNext = (): void => {
    const key = unschedulable.next()
    if (key !== undefined) mailbox.offer(key)
  }

  const attempt = Effect.fnUntraced(function* (key: Key) {
    const pod = view.get(resources.pods, key)
    if (pod !== undefined && isGated(pod)) return tryNext()
    if (pod === undefined || !isSchedulable(pod)) {
      unschedulable.remove(key)
      if (pod !== undefined) requests.open.delete(key)
      return tryNext()
    }
    const placement = place(pod, view.all(resources.nodes), assumed.load)
    if (!placement.found) {
      unschedulable.add(key, pod.spec)
      tryNext()
      return yield* reportUnschedulable(services, pod, placement.message)
    }
    unschedulable.remove(key)
    const { name } = placement.node.metadata
    yield* Effect.ensuring(bind(services, pod, name), Effect.sync(tryNext))
    assumed.assume(pod, name)
    requests.open.delete(key)
  })

  const isBusy = (): boolean => requests.open.size > 0 || !unschedulable.isEmpty() || !assumed.isEmpty()
  const onPod = (change: Change): boolean => {
    const { type, object } = change
    const key = keyOf(object)
    if (requests.open.has(key) && (type === "ADDED" || opensGates(change))) mailbox.offer(key)
    if (type === "DELETED" || isFinished(object as Pod)) {
      requests.open.delete(key)
      unschedulable.remove(key)
      tryNext()
    }
    return assumed.release(key)
  }

  yield* workOff({ mailbox, attempt, delayMillis: () => backOffMillis, memory })
  yield* inform(services, (change) => {
    const hasFreed = isBusy() && change.resource === resources.pods && onPod(change)
    if (!unschedulable.isEmpty() && (hasFreed || makesRoom(change)) && unschedulable.retryAll()) tryNext()
  })
  if (memory.isNew) requests.open.forEach((key) => mailbox.offer(key))
  const scheduler: PodScheduler = { request: (key) => mailbox.offer(key) }
  requests.serve(scheduler)
  return scheduler
})

/** `pod-initial-backoff-seconds`. */
const backOffMillis = 1000

/** Source: pkg/scheduler/scheduler.go (newPodInformer). */
const isSchedulable = (pod: Pod): boolean =>
  pod.spec.nodeName === undefined &&
  !isTerminating(pod) &&
  !isFinished(pod) &&
  (pod.spec.schedulerName ?? schedulerName) === schedulerName

const opensGates = ({ object, old }: Change): boolean =>
  old !== undefined && isGated(old as Pod) && !isGated(object as Pod)

/** Whether an unschedulable Pod may fit now: a node was added or changed, or a Pod on one ended. */
const makesRoom = ({ resource, type, object, old }: Change): boolean => {
  if (resource === resources.nodes) {
    const [node, oldNode] = [object as Node, old as Node | undefined]
    if (type === "DELETED") return false
    return oldNode === undefined || !isSameValue(placementFacts(node), placementFacts(oldNode))
  }
  if (resource !== resources.pods) return false
  const pod = object as Pod
  if (pod.spec.nodeName === undefined) return false
  return type === "DELETED" || (isFinished(pod) && old !== undefined && !isFinished(old as Pod))
}

const placementFacts = ({ spec, metadata, status }: Node): object => ({
  spec,
  labels: metadata.labels,
  allocatable: status.allocatable,
  conditions: (status.conditions ?? []).map(({ type, status: state }) => ({ type, state }))
})

const bind = (services: ControllerServices, pod: Pod, nodeName: string): Effect.Effect<void, StoreError> => {
  const { store, events } = services
  const message = `Successfully assigned ${keyOf(pod)} to ${nodeName}`
  const bound = store.bind({ key: keyOf(pod), uid: pod.metadata.uid, nodeName })
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
