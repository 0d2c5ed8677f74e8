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
import { ranks } from "./services.ts"
import type { Scope } from "effect/Scope"
import type { Key, Node, Pod, PodSpec } from "../domain/objects.ts"
import type { Kernel } from "../runtime/kernel.ts"
import type { Memory } from "../runtime/memory.ts"
import type { StoreError } from "../store/errors.ts"
import type { Change } from "../store/objectStore.ts"
import type { ControllerServices } from "./services.ts"

const component = "default-scheduler"
const schedulerName = "default-scheduler"

/** Places Pods on nodes, one at a time; what does not fit waits until a node or the load on one changes. */
interface PodScheduler {
  readonly request: (key: Key) => void
}

/** Who asks for Pods to be placed, and whoever places them at the moment. */
export interface PlacementRequests extends PodScheduler {
  /** Keys that were asked for and are not placed yet. */
  readonly open: Set<Key>
  /** Takes the place of the scheduler before, and takes over what that one has left. */
  readonly serve: (scheduler: PodScheduler) => void
}

/** Requests outlive a scheduler, as Pods without a node do. */
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
 * Source: pkg/scheduler/schedule_one.go, pkg/scheduler/backend/queue/scheduling_queue.go.
 */
export const makeScheduler = Effect.fnUntraced(function* (
  services: ControllerServices,
  kernel: Kernel,
  requests: PlacementRequests = makePlacementRequests()
): Effect.fn.Return<PodScheduler, never, Scope> {
  const { view, memory = noMemory } = services
  const mailbox = yield* makeMailbox({ kernel, rank: ranks.scheduler, memory })
  const waiting = makeWaitingRoom()
  memory.carry("waiting", waiting)
  const assumed = makeAssumedPods(services)
  memory.carry("assumed", assumed)

  const tryNext = (): void => {
    const key = waiting.next()
    if (key !== undefined) mailbox.offer(key)
  }

  const attempt = Effect.fnUntraced(function* (key: Key) {
    const pod = view.get(resources.pods, key)
    // One that is gated is left alone, and asked for until its gates are open.
    if (pod !== undefined && isGated(pod)) return tryNext()
    if (pod === undefined || !isSchedulable(pod)) {
      waiting.leave(key)
      // One that is not to be seen may only not be seen yet.
      if (pod !== undefined) requests.open.delete(key)
      return tryNext()
    }
    const placement = place(pod, view.all(resources.nodes), assumed.load)
    if (!placement.found) {
      waiting.enter(key, pod.spec)
      tryNext()
      return yield* sayUnschedulable(services, pod, placement.message)
    }
    waiting.leave(key)
    const { name } = placement.node.metadata
    yield* Effect.ensuring(bind(services, pod, name), Effect.sync(tryNext))
    assumed.assume(pod, name)
    requests.open.delete(key)
  })

  /** Whether anybody is asked for, waits, or is bound and not seen there yet. */
  const isBusy = (): boolean => requests.open.size > 0 || !waiting.isEmpty() || !assumed.isEmpty()
  /** Answers whether the room that was taken for a Pod is free again. */
  const onPod = (change: Change): boolean => {
    const { type, object } = change
    const key = keyOf(object)
    if (requests.open.has(key) && (type === "ADDED" || opensGates(change))) mailbox.offer(key)
    if (type === "DELETED" || isFinished(object as Pod)) {
      requests.open.delete(key)
      waiting.leave(key)
      tryNext()
    }
    return assumed.release(key)
  }

  // Whatever changed a Pod meanwhile is reason enough to look at it once more.
  yield* workOff({ mailbox, attempt, delayMillis: () => backOffMillis, memory })
  yield* inform(services, (change) => {
    const isFree = isBusy() && change.resource === resources.pods && onPod(change)
    if (!waiting.isEmpty() && (isFree || makesRoom(change)) && waiting.open()) tryNext()
  })
  if (memory.isNew) requests.open.forEach((key) => mailbox.offer(key))
  const scheduler: PodScheduler = { request: (key) => mailbox.offer(key) }
  requests.serve(scheduler)
  return scheduler
})

/** The first wait of a Pod whose placing was refused (pod-initial-backoff-seconds). */
const backOffMillis = 1000

/**
 * Pods that fit nowhere, those that ask for the same together: when one of them still does not fit, neither do the
 * others, and nobody else waits for them.
 */
const makeWaitingRoom = () => {
  /** By what they ask for, those who came first in front. */
  const groups = new Map<string, Set<Key>>()
  const specs = new Map<Key, string>()
  /** Groups that may try again since something last moved. */
  const hopeful = new Set<string>()
  let called: Key | undefined

  const leave = (key: Key): void => {
    if (called === key) called = undefined
    const spec = specs.get(key)
    if (spec === undefined) return
    specs.delete(key)
    const group = groups.get(spec)
    group?.delete(key)
    if (group?.size !== 0) return
    groups.delete(spec)
    hopeful.delete(spec)
  }
  return {
    leave,
    enter: (key: Key, wanted: PodSpec): void => {
      const spec = specText(wanted)
      if (called === key) called = undefined
      hopeful.delete(spec)
      if (specs.get(key) === spec) return
      leave(key)
      specs.set(key, spec)
      const group = groups.get(spec)
      if (group === undefined) groups.set(spec, new Set([key]))
      else group.add(key)
    },
    isEmpty: () => specs.size === 0,
    /** Lets everybody hope again; answers whether somebody must be called, since nobody is on the way. */
    open: (): boolean => {
      for (const spec of groups.keys()) hopeful.add(spec)
      return called === undefined
    },
    /** Calls the next who may try, one at a time. */
    next: (): Key | undefined => {
      if (called !== undefined) return undefined
      const [spec] = hopeful
      const [key] = (spec === undefined ? undefined : groups.get(spec)) ?? []
      called = key
      return key
    },
    save: (): WaitingState => ({
      groups: Array.from(groups, ([spec, keys]) => ({ spec, keys: [...keys] })),
      hopeful: [...hopeful],
      ...(called === undefined ? {} : { called })
    }),
    restore: (state: WaitingState): void => {
      for (const { spec, keys } of state.groups) {
        groups.set(spec, new Set(keys))
        for (const key of keys) specs.set(key, spec)
      }
      for (const spec of state.hopeful) hopeful.add(spec)
      called = state.called
    }
  }
}

interface WaitingState {
  readonly groups: ReadonlyArray<{ readonly spec: string; readonly keys: ReadonlyArray<Key> }>
  readonly hopeful: ReadonlyArray<string>
  readonly called?: Key
}

/** What Pods ask for, as one may compare it: those of one ReplicaSet share their spec, others may ask for the same. */
const specTexts = new WeakMap<PodSpec, string>()
const specText = (spec: PodSpec): string => {
  const text = specTexts.get(spec) ?? JSON.stringify(spec)
  specTexts.set(spec, text)
  return text
}

/** One that has come to an end is nobody's to place. Source: pkg/scheduler/scheduler.go (newPodInformer). */
const isSchedulable = (pod: Pod): boolean =>
  pod.spec.nodeName === undefined &&
  !isTerminating(pod) &&
  !isFinished(pod) &&
  (pod.spec.schedulerName ?? schedulerName) === schedulerName

const opensGates = ({ object, old }: Change): boolean =>
  old !== undefined && isGated(old as Pod) && !isGated(object as Pod)

/** A node that is new or takes more than before, or a Pod that left one or came to an end. */
const makesRoom = ({ resource, type, object, old }: Change): boolean => {
  if (resource === resources.nodes) {
    const [node, was] = [object as Node, old as Node | undefined]
    if (type === "DELETED") return false
    return was === undefined || !isSameValue(placementFacts(node), placementFacts(was))
  }
  if (resource !== resources.pods) return false
  const pod = object as Pod
  if (pod.spec.nodeName === undefined) return false
  return type === "DELETED" || (isFinished(pod) && old !== undefined && !isFinished(old as Pod))
}

/** What of a node decides who may go there. */
const placementFacts = ({ spec, metadata, status }: Node): object => ({
  spec,
  labels: metadata.labels,
  allocatable: status.allocatable,
  conditions: (status.conditions ?? []).map(({ type, status: is }) => ({ type, is }))
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

const sayUnschedulable = (
  { store, events, nowMillis }: ControllerServices,
  pod: Pod,
  message: string
): Effect.Effect<void, StoreError> => {
  const because = { status: "False", reason: "Unschedulable", message } as const
  const conditions = withPodCondition(pod, "PodScheduled", because, nowMillis())
  const event = { eventType: "Warning", reason: "FailedScheduling", message } as const
  return Effect.andThen(
    store.updateStatus({ ...pod, status: { ...pod.status, conditions } } as Pod),
    events.record({ component, about: pod, event })
  )
}
