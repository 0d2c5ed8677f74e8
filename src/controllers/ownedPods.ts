import * as Effect from "effect/Effect"
import { isGoneOrReplaced, keyInNamespaceOf } from "./controllerServices.ts"
import { isNamespaceTerminating } from "../store/storeErrors.ts"
import { resources } from "../kubernetes/meta/kinds.ts"
import type { ControllerServices } from "./controllerServices.ts"
import type { Draft, KubeObject } from "../kubernetes/meta/objects.ts"
import type { ObjectIdentity } from "../kubernetes/apps/sharedCommands.ts"
import type { StoreError } from "../store/storeErrors.ts"

interface PodOwner {
  /** The component that records the Events. */
  readonly component: string
  readonly owner: KubeObject
}

type PodServices = Pick<ControllerServices, "store" | "view" | "events">

/**
 * Creates Pods in batches of 1, 2, 4 …, up to a batch with a refusal. Fails with the first refusal, unless the
 * namespace is terminating.
 * Source: pkg/controller/daemon/daemon_controller.go (syncNodes), pkg/controller/job/job_controller.go (manageJob),
 * pkg/controller/controller_utils.go (RealPodControl).
 */
export const createOwnedPods = Effect.fnUntraced(function* (
  services: PodServices,
  owner: PodOwner,
  drafts: ReadonlyArray<Draft>
): Effect.fn.Return<void, StoreError> {
  let lastCreated: KubeObject | undefined
  const createOne = (draft: Draft): Effect.Effect<void, StoreError> =>
    Effect.map(createOwnedPod(services, owner, draft), (created) => {
      lastCreated = created ?? lastCreated
    })
  let refusal: StoreError | undefined
  for (let begin = 0, size = 1; begin < drafts.length && refusal === undefined; begin += size, size *= 2)
    refusal = yield* firstRefusal(drafts.slice(begin, begin + size), createOne)
  if (lastCreated !== undefined) yield* services.view.waitForVersion(lastCreated.metadata.resourceVersion)
  if (refusal !== undefined) return yield* Effect.fail(refusal)
})

/** The created Pod; undefined in a terminating namespace. */
const createOwnedPod = (
  { store, events }: PodServices,
  { component, owner }: PodOwner,
  draft: Draft
): Effect.Effect<KubeObject | undefined, StoreError> => {
  const record = (eventType: "Normal" | "Warning", reason: string, message: string) =>
    events.record({ component, about: owner, event: { eventType, reason, message } })
  return Effect.matchEffect(store.create(draft), {
    onSuccess: (created) =>
      Effect.as(record("Normal", "SuccessfulCreate", `Created pod: ${created.metadata.name}`), created),
    onFailure: (error) =>
      isNamespaceTerminating(error)
        ? Effect.undefined
        : Effect.andThen(
            record("Warning", "FailedCreate", `Error creating: ${error.message}`),
            Effect.fail(error)
          )
  })
}

/** Performs all, and returns the first refusal. */
const firstRefusal = Effect.fnUntraced(function* <A>(
  items: ReadonlyArray<A>,
  perform: (item: A) => Effect.Effect<unknown, StoreError>
): Effect.fn.Return<StoreError | undefined> {
  let firstError: StoreError | undefined
  for (const item of items) {
    const refusal = yield* Effect.match(perform(item), {
      onSuccess: () => undefined,
      onFailure: (error) => error
    })
    firstError ??= refusal
  }
  return firstError
})

export const performAllDespiteRefusals = <A>(
  items: ReadonlyArray<A>,
  perform: (item: A) => Effect.Effect<unknown, StoreError>
): Effect.Effect<void, StoreError> =>
  Effect.flatMap(firstRefusal(items, perform), (refusal) =>
    refusal === undefined ? Effect.void : Effect.fail(refusal)
  )

/** A Pod that is gone already gets no Event. */
export const deleteOwnedPod = (
  { store, events }: PodServices,
  { component, owner }: PodOwner,
  { name, uid }: ObjectIdentity
): Effect.Effect<void, StoreError> => {
  const ref = { resource: resources.pods, key: keyInNamespaceOf(owner, name) }
  const recordOutcome = (eventType: "Normal" | "Warning", reason: string, message: string) =>
    events.record({ component, about: owner, event: { eventType, reason, message } })
  return Effect.matchEffect(store.delete(ref, { preconditions: { uid } }), {
    onSuccess: () => recordOutcome("Normal", "SuccessfulDelete", `Deleted pod: ${name}`),
    onFailure: (error) =>
      isGoneOrReplaced(error)
        ? Effect.void
        : Effect.andThen(
            recordOutcome("Warning", "FailedDelete", `Error deleting: ${error.message}`),
            Effect.fail(error)
          )
  })
}
