import * as Effect from "effect/Effect"
import { storedKinds, groupResourceOf, resources } from "../../kubernetes/meta/kinds.ts"
import { toObjectKey, objectKeyOf } from "../../kubernetes/meta/objects.ts"
import { blocksDeletionOf, dependentOutcome, withoutBlocking } from "../../kubernetes/meta/ownerReferences.ts"
import {
  foregroundFinalizer,
  isTerminating,
  orphanFinalizer,
  orphansDependents,
  waitsForDependents,
  withoutFinalizer
} from "../../kubernetes/meta/deletion.ts"
import { isSemanticallyEqual } from "../../kubernetes/meta/semanticEquality.ts"
import { runInformer } from "../../runtime/workers/informer.ts"
import { noSnapshotParts } from "../../runtime/snapshotParts.ts"
import { makeMailbox } from "../../runtime/workers/mailbox.ts"
import { processMailbox } from "../../runtime/workers/worker.ts"
import { reportCrossNamespaceOwners } from "./crossNamespaceOwners.ts"
import { ignoreGoneOrReplaced } from "../controllerServices.ts"
import { controllerTurnOrder } from "../../runtime/reconciler/controllerTurnOrder.ts"
import type { OwnerReference } from "kubernetes-types/meta/v1.js"
import type { Scope } from "effect/Scope"
import type { GroupResource } from "../../kubernetes/meta/kinds.ts"
import type { Draft, KubeObject } from "../../kubernetes/meta/objects.ts"
import type { OwnerState } from "../../kubernetes/meta/ownerReferences.ts"
import type { Kernel } from "../../runtime/time/kernel.ts"
import type { StoreError } from "../../store/storeErrors.ts"
import type { Change, DeleteOptions, Dependent, Ref } from "../../store/objectStore.ts"
import type { ControllerServices } from "../controllerServices.ts"

/** Events have no owners, and take long to read at the start. */
const ownedResources = storedKinds.map(groupResourceOf).filter((it) => it !== resources.events)

/**
 * Before a dependent is deleted, the store is asked whether its owners exist; everything else is read from the view,
 * which faults can make late.
 * Source: pkg/controller/garbagecollector/garbagecollector.go, graph_builder.go.
 */
export const runGarbageCollector = Effect.fnUntraced(function* (
  services: ControllerServices,
  kernel: Kernel
): Effect.fn.Return<void, never, Scope> {
  const { view, snapshotParts = noSnapshotParts } = services
  const mailbox = yield* makeMailbox({
    kernel,
    turnOrder: controllerTurnOrder.garbageCollector,
    snapshotParts
  })
  const uncheckedItems = new Set<string>()
  /**
   * Waiting owners by uid, each with one dependent that blocks it: only the changes of that dependent wake the owner.
   */
  const waitingOwners = new Map<string, WaitingOwner>()
  snapshotParts.registerPart<GarbageState>("garbage", {
    save: () => ({ newcomers: [...uncheckedItems], held: [...waitingOwners] }),
    restore: (state) => {
      for (const item of state.newcomers) uncheckedItems.add(item)
      for (const [uid, it] of state.held) waitingOwners.set(uid, it)
    }
  })

  const wake = ({ resource, object }: Dependent): void => {
    if (resource !== resources.events) mailbox.offer(itemOf(resource, object))
  }
  const wakeOwners = (object: KubeObject): void => {
    if (waitingOwners.size === 0) return
    for (const { uid } of object.metadata.ownerReferences ?? []) {
      const owner = waitingOwners.get(uid)
      if (owner?.by === object.metadata.uid) mailbox.offer(owner.item)
    }
  }

  const onChange = ({ type, resource, object, old }: Change): void => {
    if (resource === resources.events) return
    const { uid, ownerReferences } = object.metadata
    if (type === "DELETED") {
      waitingOwners.delete(uid)
      view.dependents(uid).forEach(wake)
      wakeOwners(object)
      return
    }
    if (ownerReferences !== old?.metadata.ownerReferences) {
      if (old !== undefined) wakeOwners(old)
      if (!hasSolidOwners(services, object)) {
        uncheckedItems.add(itemOf(resource, object))
        wake({ resource, object })
      }
    }
    if (!isTerminating(object)) return
    const startsTo = (predicate: (it: KubeObject) => boolean): boolean =>
      predicate(object) && (old === undefined || !predicate(old))
    if (startsTo(orphansDependents)) wake({ resource, object })
    if (startsTo(waitsForDependents)) {
      view.dependents(uid).forEach(wake)
      wake({ resource, object })
    }
  }

  const attempt = Effect.fnUntraced(function* (item: string) {
    const [resource = "", key = ""] = item.split(" ")
    const ref = { resource, key }
    const object = yield* services.store.get(ref)
    if (uncheckedItems.delete(item)) yield* reportCrossNamespaceOwners(services, object)
    if (!isTerminating(object)) return yield* collect(services, ref, object)
    if (orphansDependents(object)) return yield* orphanDependents(services, ref, object)
    if (!waitsForDependents(object)) return
    const blockerUid = blockerOf(services, object)
    if (blockerUid === undefined) return yield* removeFinalizer(services, ref, object, foregroundFinalizer)
    waitingOwners.set(object.metadata.uid, { item, by: blockerUid })
  })

  yield* processMailbox({
    mailbox,
    attempt: (item) =>
      Effect.catchTag(attempt(item), "NotFound", () => Effect.sync(() => uncheckedItems.delete(item))),
    snapshotParts
  })
  yield* runInformer(services, onChange, { initialList: ownedResources })
})

interface GarbageState {
  /** The items of `uncheckedItems`. */
  readonly newcomers: ReadonlyArray<string>
  /** The entries of `waitingOwners`. */
  readonly held: ReadonlyArray<readonly [ownerUid: string, WaitingOwner]>
}

interface WaitingOwner {
  /** Resource and key. */
  readonly item: string
  /** The uid of the dependent that blocks the owner's deletion. */
  readonly by: string
}

const itemOf = (resource: GroupResource, object: KubeObject): string => `${resource} ${objectKeyOf(object)}`

/** Undefined where the owner's kind is unknown. */
const ownerRef = (
  { view }: ControllerServices,
  object: KubeObject,
  reference: OwnerReference
): Ref | undefined => {
  const kind = view.kinds.findStored(reference)
  const { namespace } = object.metadata
  if (kind === undefined || (kind.namespaced && namespace === undefined)) return undefined
  return {
    resource: groupResourceOf(kind),
    key: toObjectKey(kind.namespaced ? namespace : undefined, reference.name)
  }
}

/** Upstream calls an owner solid if it exists and does not wait for its dependents. */
const hasSolidOwners = (services: ControllerServices, object: KubeObject): boolean =>
  (object.metadata.ownerReferences ?? []).every((reference) => {
    const ref = ownerRef(services, object, reference)
    const owner = ref === undefined ? undefined : services.view.get(ref.resource, ref.key)
    return owner?.metadata.uid === reference.uid && !waitsForDependents(owner)
  })

const ownerStateOf = (
  services: ControllerServices,
  object: KubeObject,
  reference: OwnerReference
): Effect.Effect<OwnerState> => {
  const ref = ownerRef(services, object, reference)
  if (ref === undefined) return Effect.succeed("unresolvable")
  return services.store.get(ref).pipe(
    Effect.map((owner): OwnerState => {
      if (owner.metadata.uid !== reference.uid) return "dangling"
      return waitsForDependents(owner) ? "waiting" : "solid"
    }),
    Effect.catchTag("NotFound", () => Effect.succeed<OwnerState>("dangling"))
  )
}

/** The middle dependent is rarely the next to be deleted, so the owner is seldom woken in vain. */
const blockerOf = ({ view }: ControllerServices, owner: KubeObject): string | undefined => {
  const { uid } = owner.metadata
  const blockers = view.dependents(uid).filter(({ object }) => blocksDeletionOf(object, uid))
  return blockers[blockers.length >> 1]?.object.metadata.uid
}

const collect = Effect.fnUntraced(function* (
  services: ControllerServices,
  ref: Ref,
  object: KubeObject
): Effect.fn.Return<void, StoreError> {
  const { ownerReferences = [], uid } = object.metadata
  const ownerStates = yield* Effect.forEach(ownerReferences, (it) => ownerStateOf(services, object, it))
  const dependents = ownerStates.includes("waiting") ? services.view.dependents(uid) : []
  const outcome = dependentOutcome(
    object,
    ownerStates,
    dependents.map((it) => it.object)
  )
  if (outcome.type === "keep") return
  if (outcome.type === "loseReferences") {
    const withoutReferences = (it: KubeObject): Draft =>
      withReferences(it, (reference) => !outcome.uids.has(reference.uid))
    return yield* Effect.asVoid(services.store.modify(ref, withoutReferences, { uid }))
  }
  // The dependent stops blocking before it is deleted: in a circle, each dependent would wait for the others.
  const dependent = outcome.unblocks ? yield* services.store.modify(ref, unblocked, { uid }) : object
  yield* remove(services, ref, dependent, outcome.propagationPolicy)
})

const unblocked = (object: KubeObject): Draft => {
  const { ownerReferences = [] } = object.metadata
  return { ...object, metadata: { ...object.metadata, ownerReferences: withoutBlocking(ownerReferences) } }
}

const withReferences = (object: KubeObject, keeps: (reference: OwnerReference) => boolean): Draft => {
  const { ownerReferences = [], ...metadata } = object.metadata
  const remaining = ownerReferences.filter(keeps)
  return {
    ...object,
    metadata: remaining.length === 0 ? metadata : { ...metadata, ownerReferences: remaining }
  }
}

/** Deletes the checked version, or a later one with the same owner references. */
const remove = (
  { store }: ControllerServices,
  ref: Ref,
  { metadata }: KubeObject,
  propagationPolicy: DeleteOptions["propagationPolicy"] & string
): Effect.Effect<void, StoreError> => {
  const { uid, resourceVersion, ownerReferences } = metadata
  return store.delete(ref, { propagationPolicy, preconditions: { uid, resourceVersion } }).pipe(
    Effect.asVoid,
    Effect.catchTag("Conflict", (conflict) =>
      Effect.flatMap(store.get(ref), (present) => {
        if (present.metadata.uid !== uid) return Effect.void
        return isSemanticallyEqual(present.metadata.ownerReferences, ownerReferences)
          ? Effect.asVoid(store.delete(ref, { propagationPolicy, preconditions: { uid } }))
          : Effect.fail(conflict)
      })
    )
  )
}

const orphanDependents = Effect.fnUntraced(function* (
  services: ControllerServices,
  ref: Ref,
  owner: KubeObject
): Effect.fn.Return<void, StoreError> {
  const { uid } = owner.metadata
  for (const { resource, object } of services.view.dependents(uid)) {
    const withoutReferences = (it: KubeObject): Draft =>
      withReferences(it, (reference) => reference.uid !== uid)
    const dependent = { resource, key: objectKeyOf(object) }
    yield* ignoreGoneOrReplaced(
      services.store.modify(dependent, withoutReferences, { uid: object.metadata.uid })
    )
  }
  yield* removeFinalizer(services, ref, owner, orphanFinalizer)
})

const removeFinalizer = (
  { store }: ControllerServices,
  ref: Ref,
  { metadata }: KubeObject,
  finalizer: string
): Effect.Effect<void, StoreError> => {
  const without = (object: KubeObject): Draft => withoutFinalizer(object, finalizer)
  return Effect.asVoid(store.modify(ref, without, { uid: metadata.uid }))
}
