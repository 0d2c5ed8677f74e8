import * as Effect from "effect/Effect"
import { disruptionReasons, withDisruptionTarget } from "../kubernetes/pods/disruptionTarget.ts"
import { isTerminating } from "../kubernetes/meta/deletion.ts"
import { objectKeyOf } from "../kubernetes/meta/objects.ts"
import { resources } from "../kubernetes/meta/kinds.ts"
import { withPodCondition } from "../kubernetes/pods/podConditions.ts"
import { ignoreGoneOrReplaced } from "../controllers/controllerServices.ts"
import type { KubeObject, Pod } from "../kubernetes/meta/objects.ts"
import type { StoreError } from "../store/storeErrors.ts"
import type { ControllerServices } from "../controllers/controllerServices.ts"

/** Source: pkg/scheduler/schedule_one.go (bind, handleSchedulingFailure, updatePod). */

const component = "default-scheduler"

export const bindToNode = (
  { store, events }: ControllerServices,
  pod: Pod,
  nodeName: string
): Effect.Effect<void, StoreError> => {
  const message = `Successfully assigned ${objectKeyOf(pod)} to ${nodeName}`
  const binding = store.bind({ key: objectKeyOf(pod), uid: pod.metadata.uid, nodeName })
  return Effect.andThen(
    binding,
    events.record({
      component,
      about: pod,
      event: { eventType: "Normal", reason: "Scheduled", message }
    })
  )
}

export type Nomination = "unchanged" | "none" | { readonly nodeName: string }

export const reportUnschedulable = (
  { store, events, nowMillis }: ControllerServices,
  pod: Pod,
  { message, nomination }: { readonly message: string; readonly nomination: Nomination }
): Effect.Effect<void, StoreError> => {
  const condition = { status: "False", reason: "Unschedulable", message } as const
  const conditions = withPodCondition(pod, "PodScheduled", condition, nowMillis())
  const status = { ...withNomination(pod, nomination).status, conditions }
  const event = { eventType: "Warning", reason: "FailedScheduling", message: noteOf(message) } as const
  return Effect.andThen(
    store.updateStatus({ ...pod, status } as Pod),
    events.record({ component, about: pod, event })
  )
}

/** `NoteLengthLimit` of Events, in characters. */
const noteLengthMax = 1024

const noteOf = (message: string): string =>
  message.length <= noteLengthMax ? message : `${message.slice(0, noteLengthMax - 4)} ...`

const withNomination = (pod: Pod, nomination: Nomination): Pod => {
  if (nomination === "unchanged") return pod
  const { nominatedNodeName: _former, ...status } = pod.status
  return {
    ...pod,
    status: nomination === "none" ? status : { ...status, nominatedNodeName: nomination.nodeName }
  }
}

export const clearNomination = ({ store }: ControllerServices, pod: Pod): Effect.Effect<void, StoreError> =>
  ignoreGoneOrReplaced(
    store.modify(
      { resource: resources.pods, key: objectKeyOf(pod) },
      (object: KubeObject) => withNomination(object as Pod, "none"),
      { uid: pod.metadata.uid, status: true }
    )
  )

export const preemptVictims = (
  services: ControllerServices,
  victims: ReadonlyArray<Pod>,
  by: { readonly preemptor: Pod; readonly nodeName: string }
): Effect.Effect<void, StoreError> =>
  Effect.forEach(
    victims.filter((pod) => !isTerminating(pod)),
    (victim) => preemptVictim(services, victim, by),
    { discard: true }
  )

/** Source: pkg/scheduler/framework/preemption/preemption.go (PreemptPod). */
const preemptVictim = (
  { store, events, nowMillis }: ControllerServices,
  victim: Pod,
  { preemptor, nodeName }: { readonly preemptor: Pod; readonly nodeName: string }
): Effect.Effect<void, StoreError> => {
  const { uid } = victim.metadata
  const ref = { resource: resources.pods, key: objectKeyOf(victim) }
  const markDisrupted = (object: KubeObject): Pod => {
    const present = object as Pod
    return { ...present, status: withDisruptionTarget(present, disruptionReasons.preemption, nowMillis()) }
  }
  const message = `Preempted by pod ${preemptor.metadata.uid} on node ${nodeName}`
  return store.modify(ref, markDisrupted, { uid, status: true }).pipe(
    Effect.andThen(store.delete(ref, { preconditions: { uid } })),
    Effect.andThen(
      events.record({
        component,
        about: victim,
        event: { eventType: "Normal", reason: "Preempted", message }
      })
    ),
    ignoreGoneOrReplaced
  )
}
