import * as Effect from "effect/Effect"
import { conditionOf, neverProbed } from "../domain/conditions.ts"
import { isFinished } from "../domain/pods.ts"
import { isTerminating } from "../domain/ownerReferences.ts"
import { keyOf } from "../domain/objects.ts"
import { place } from "../domain/placement.ts"
import { resources } from "../domain/kinds.ts"
import { timestampOf } from "../domain/timestamps.ts"
import { makeMailbox } from "../runtime/mailbox.ts"
import { ranks } from "./services.ts"
import type { Scope } from "effect/Scope"
import type { Key, Pod, PodCondition } from "../domain/objects.ts"
import type { Kernel } from "../runtime/kernel.ts"
import type { StoreError } from "../store/errors.ts"
import type { Change } from "../store/objectStore.ts"
import type { ControllerServices } from "./services.ts"

const component = "default-scheduler"
const schedulerName = "default-scheduler"

/** Places Pods on nodes, one at a time; what does not fit waits until a node or the load on one changes. */
export interface PodScheduler {
  readonly request: (key: Key) => void
}

/**
 * Source: pkg/scheduler/schedule_one.go, pkg/scheduler/backend/queue/scheduling_queue.go.
 */
export const makeScheduler = Effect.fnUntraced(function* (
  services: ControllerServices,
  kernel: Kernel
): Effect.fn.Return<PodScheduler, never, Scope> {
  const { view } = services
  const mailbox = yield* makeMailbox({ kernel, rank: ranks.scheduler })
  /** Pods that fit nowhere, longest waiting first. */
  const waiting = new Set<Key>()
  let knocking = false

  /** Something has moved: the longest waiting try again, until one of them still does not fit. */
  const retry = (): void => {
    if (knocking) return
    const [key] = waiting
    if (key === undefined) return
    knocking = true
    mailbox.offer(key)
  }

  const attempt = Effect.fnUntraced(function* (key: Key) {
    const wasWaiting = waiting.has(key)
    if (wasWaiting) knocking = false
    const pod = view.get(resources.pods, key)
    if (pod === undefined || !isSchedulable(pod)) {
      waiting.delete(key)
      if (wasWaiting) retry()
      return
    }
    const placement = place(pod, view.all(resources.nodes), view.nodePods.load)
    if (!placement.found) {
      waiting.add(key)
      yield* sayUnschedulable(services, pod, placement.message)
      return
    }
    waiting.delete(key)
    yield* bind(services, pod, placement.node.metadata.name)
    if (wasWaiting) retry()
  })

  const work = Effect.fnUntraced(function* () {
    const key = yield* mailbox.take
    yield* attempt(key).pipe(
      // Whatever changed the Pod meanwhile is reason enough to look at it once more.
      Effect.catch(() => Effect.sync(() => mailbox.offer(key))),
      Effect.ensuring(Effect.sync(() => mailbox.done(key)))
    )
  })
  yield* Effect.forkScoped(Effect.forever(work()))
  const unsubscribe = view.subscribe((change) => {
    if (waiting.size > 0 && makesRoom(change)) retry()
  })
  yield* Effect.addFinalizer(() => Effect.sync(unsubscribe))
  return { request: (key) => mailbox.offer(key) }
})

const isSchedulable = (pod: Pod): boolean =>
  pod.spec.nodeName === undefined &&
  !isTerminating(pod) &&
  (pod.spec.schedulerName ?? schedulerName) === schedulerName

/** A node that changed in more than its heartbeat, or a Pod that left one or came to an end. */
const makesRoom = ({ resource, type, object, old }: Change): boolean => {
  if (resource === resources.nodes) return true
  if (resource !== resources.pods) return false
  const pod = object as Pod
  if (pod.spec.nodeName === undefined) return false
  return type === "DELETED" || (isFinished(pod) && old !== undefined && !isFinished(old as Pod))
}

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
  const present = conditionOf(pod.status.conditions, "PodScheduled")
  const now = timestampOf(nowMillis())
  const condition: PodCondition = {
    type: "PodScheduled",
    status: "False",
    lastProbeTime: neverProbed,
    lastTransitionTime: present?.status === "False" ? (present.lastTransitionTime ?? now) : now,
    reason: "Unschedulable",
    message
  }
  const others = (pod.status.conditions ?? []).filter(({ type }) => type !== "PodScheduled")
  const event = { eventType: "Warning", reason: "FailedScheduling", message } as const
  return Effect.andThen(
    store.updateStatus({ ...pod, status: { ...pod.status, conditions: [...others, condition] } } as Pod),
    events.record({ component, about: pod, event })
  )
}
