import * as Effect from "effect/Effect"
import { isGone, keyInNamespaceOf } from "./controllerServices.ts"
import { isNamespaceTerminating } from "../store/storeErrors.ts"
import { resources } from "../kubernetes/meta/kinds.ts"
import type { ControllerServices } from "./controllerServices.ts"
import type { Draft, KubeObject } from "../kubernetes/meta/objects.ts"
import type { ObjectIdentity } from "../kubernetes/apps/sharedCommands.ts"
import type { StoreError } from "../store/storeErrors.ts"

interface PodOwner {
  /** Of the Events. */
  readonly component: string
  readonly owner: KubeObject
}

/**
 * Creates Pods with an Event each, up to the first that is refused. A terminating namespace refuses every Pod, which is
 * no failure.
 *
 * Source: pkg/controller/controller_utils.go (RealPodControl).
 */
export const createOwnedPods = Effect.fnUntraced(function* (
  { store, view, events }: ControllerServices,
  { component, owner }: PodOwner,
  drafts: ReadonlyArray<Draft>
): Effect.fn.Return<void, StoreError> {
  let last: KubeObject | undefined
  for (const draft of drafts) {
    const created = yield* Effect.catch(store.create(draft), (error: StoreError) => Effect.succeed(error))
    const isCreated = "metadata" in created
    if (!isCreated && isNamespaceTerminating(created)) return
    yield* events.record({
      component,
      about: owner,
      event: isCreated
        ? {
            eventType: "Normal",
            reason: "SuccessfulCreate",
            message: `Created pod: ${created.metadata.name}`
          }
        : { eventType: "Warning", reason: "FailedCreate", message: `Error creating: ${created.message}` }
    })
    if (!isCreated) return yield* Effect.fail(created)
    last = created
  }
  if (last !== undefined) yield* view.waitForVersion(last.metadata.resourceVersion)
})

/** Deletes a Pod with an Event; one that is gone already is none. */
export const deleteOwnedPod = (
  { store, events }: ControllerServices,
  { component, owner }: PodOwner,
  { name, uid }: ObjectIdentity
): Effect.Effect<void, StoreError> => {
  const ref = { resource: resources.pods, key: keyInNamespaceOf(owner, name) }
  const told = (eventType: "Normal" | "Warning", reason: string, message: string) =>
    events.record({ component, about: owner, event: { eventType, reason, message } })
  return Effect.matchEffect(store.delete(ref, { preconditions: { uid } }), {
    onSuccess: () => told("Normal", "SuccessfulDelete", `Deleted pod: ${name}`),
    onFailure: (error) =>
      isGone(error)
        ? Effect.void
        : Effect.andThen(
            told("Warning", "FailedDelete", `Error deleting: ${error.message}`),
            Effect.fail(error)
          )
  })
}
