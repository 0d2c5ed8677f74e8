import * as Effect from "effect/Effect"
import { allKinds, groupResourceOf, resources } from "../domain/kinds.ts"
import { keyIn, keyOf } from "../domain/objects.ts"
import {
  blocksDeletionOf,
  fateOf,
  foregroundFinalizer,
  isTerminating,
  orphanFinalizer,
  orphansDependents,
  waitsForDependents,
  withoutBlocking,
  withoutFinalizer
} from "../domain/ownerReferences.ts"
import { isSameValue } from "../domain/sameness.ts"
import { inform } from "../runtime/informer.ts"
import { noMemory } from "../runtime/memory.ts"
import { makeMailbox } from "../runtime/mailbox.ts"
import { workOff } from "../runtime/workers.ts"
import { reportForeignOwners } from "./foreignOwners.ts"
import { ranks, unlessGone } from "./services.ts"
import type { OwnerReference } from "kubernetes-types/meta/v1.js"
import type { Scope } from "effect/Scope"
import type { GroupResource } from "../domain/kinds.ts"
import type { Draft, KubeObject } from "../domain/objects.ts"
import type { OwnerStanding } from "../domain/ownerReferences.ts"
import type { Kernel } from "../runtime/kernel.ts"
import type { StoreError } from "../store/errors.ts"
import type { Change, DeleteOptions, Dependent, Ref } from "../store/objectStore.ts"
import type { ControllerServices } from "./services.ts"

/**
 * Collects what has lost its owners, in three ways of deleting an owner.
 *
 * *Background*: the owner is gone at once; each dependent is then looked at, and deleted when no owner is left.
 * *Foreground*: the owner stays, with a finalizer, until no dependent that blocks it is left; then it goes.
 * *Orphan*: the owner stays, with a finalizer, until no dependent refers to it; then it goes alone.
 *
 * Changes say whom to look at; what becomes of it is decided by what the store holds, not by what a view has seen.
 *
 * Source: pkg/controller/garbagecollector/garbagecollector.go, graph_builder.go.
 */
export const collectGarbage = Effect.fnUntraced(function* (
  services: ControllerServices,
  kernel: Kernel
): Effect.fn.Return<void, never, Scope> {
  const { view, memory = noMemory } = services
  const mailbox = yield* makeMailbox({ kernel, rank: ranks.garbage, memory })
  /** Objects whose references nobody has looked at yet. */
  const newcomers = new Set<string>()
  /**
   * Owners that wait, and one dependent that each of them waits for: the others may go without anybody counting who is
   * left.
   */
  const held = new Map<string, Held>()
  memory.carry<GarbageState>("garbage", {
    save: () => ({ newcomers: [...newcomers], held: [...held] }),
    restore: (state) => {
      for (const item of state.newcomers) newcomers.add(item)
      for (const [uid, it] of state.held) held.set(uid, it)
    }
  })

  const wake = ({ resource, object }: Dependent): void => {
    if (resource !== resources.events) mailbox.offer(itemOf(resource, object))
  }
  const wakeOwners = (object: KubeObject): void => {
    if (held.size === 0) return
    for (const { uid } of object.metadata.ownerReferences ?? []) {
      const owner = held.get(uid)
      if (owner?.by === object.metadata.uid) mailbox.offer(owner.item)
    }
  }

  const onChange = ({ type, resource, object, old }: Change): void => {
    if (resource === resources.events) return
    const { uid, ownerReferences } = object.metadata
    if (type === "DELETED") {
      held.delete(uid)
      view.dependents(uid).forEach(wake)
      wakeOwners(object)
      return
    }
    if (ownerReferences !== old?.metadata.ownerReferences) {
      if (old !== undefined) wakeOwners(old)
      if (!hasSolidOwners(services, object)) {
        newcomers.add(itemOf(resource, object))
        wake({ resource, object })
      }
    }
    if (!isTerminating(object)) return
    const begins = (holds: (it: KubeObject) => boolean): boolean =>
      holds(object) && (old === undefined || !holds(old))
    if (begins(orphansDependents)) wake({ resource, object })
    if (begins(waitsForDependents)) {
      view.dependents(uid).forEach(wake)
      wake({ resource, object })
    }
  }

  const attempt = Effect.fnUntraced(function* (item: string) {
    const [resource = "", key = ""] = item.split(" ")
    const ref = { resource, key }
    const object = yield* services.store.get(ref)
    if (newcomers.delete(item)) yield* reportForeignOwners(services, object)
    if (!isTerminating(object)) return yield* collect(services, ref, object)
    if (orphansDependents(object)) return yield* letGo(services, ref, object)
    if (!waitsForDependents(object)) return
    const by = blockerOf(services, object)
    if (by === undefined) return yield* removeFinalizer(services, ref, object, foregroundFinalizer)
    held.set(object.metadata.uid, { item, by })
  })

  yield* workOff({
    mailbox,
    attempt: (item) =>
      Effect.catchTag(attempt(item), "NotFound", () => Effect.sync(() => newcomers.delete(item))),
    memory
  })
  yield* inform(services, onChange, ...allKinds.map(groupResourceOf))
})

interface GarbageState {
  readonly newcomers: ReadonlyArray<string>
  readonly held: ReadonlyArray<readonly [ownerUid: string, Held]>
}

/** An owner that waits: where it is, and by which dependent's uid it is held. */
interface Held {
  readonly item: string
  readonly by: string
}

const itemOf = (resource: GroupResource, object: KubeObject): string => `${resource} ${keyOf(object)}`

/** Where the owner that a reference means would be; undefined where nobody could say. */
const whereIs = (
  { view }: ControllerServices,
  object: KubeObject,
  reference: OwnerReference
): Ref | undefined => {
  const kind = view.kinds.ofObject(reference)
  const { namespace } = object.metadata
  if (kind === undefined || (kind.namespaced && namespace === undefined)) return undefined
  return {
    resource: groupResourceOf(kind),
    key: keyIn(kind.namespaced ? namespace : undefined, reference.name)
  }
}

/**
 * Whether all owners exist, so that there is nothing to collect: nearly always, and then no turn is spent on
 * it.
 */
const hasSolidOwners = (services: ControllerServices, object: KubeObject): boolean =>
  (object.metadata.ownerReferences ?? []).every((reference) => {
    const ref = whereIs(services, object, reference)
    const owner = ref === undefined ? undefined : services.view.get(ref.resource, ref.key)
    return owner?.metadata.uid === reference.uid && !waitsForDependents(owner)
  })

/** An owner by another uid is not the one that is meant. */
const standingOf = (
  services: ControllerServices,
  object: KubeObject,
  reference: OwnerReference
): Effect.Effect<OwnerStanding> => {
  const ref = whereIs(services, object, reference)
  if (ref === undefined) return Effect.succeed("unresolvable")
  return services.store.get(ref).pipe(
    Effect.map((owner): OwnerStanding => {
      if (owner.metadata.uid !== reference.uid) return "dangling"
      return waitsForDependents(owner) ? "waiting" : "solid"
    }),
    Effect.catchTag("NotFound", () => Effect.succeed<OwnerStanding>("dangling"))
  )
}

/**
 * One of those that hold up an owner's deletion. The middle one: in whatever order they go, it is rarely the next.
 */
const blockerOf = ({ view }: ControllerServices, owner: KubeObject): string | undefined => {
  const { uid } = owner.metadata
  const blockers = view.dependents(uid).filter(({ object }) => blocksDeletionOf(object, uid))
  return blockers[blockers.length >> 1]?.object.metadata.uid
}

/** A dependent: kept while any owner is solid, else deleted as its waiting owners or its own finalizers ask. */
const collect = Effect.fnUntraced(function* (
  services: ControllerServices,
  ref: Ref,
  object: KubeObject
): Effect.fn.Return<void, StoreError> {
  const { ownerReferences = [], uid } = object.metadata
  const standings = yield* Effect.forEach(ownerReferences, (it) => standingOf(services, object, it))
  const dependents = standings.includes("waiting") ? services.view.dependents(uid) : []
  const fate = fateOf(
    object,
    standings,
    dependents.map((it) => it.object)
  )
  if (fate.type === "keep") return
  if (fate.type === "loseReferences") {
    const drop = (it: KubeObject): Draft => withReferences(it, (reference) => !fate.uids.has(reference.uid))
    return yield* Effect.asVoid(services.store.modify(ref, drop, { uid }))
  }
  const doomed = fate.unblocks ? yield* services.store.modify(ref, unblocked, { uid }) : object
  yield* remove(services, ref, doomed, fate.propagationPolicy)
})

const unblocked = (object: KubeObject): Draft => {
  const { ownerReferences = [] } = object.metadata
  return { ...object, metadata: { ...object.metadata, ownerReferences: withoutBlocking(ownerReferences) } }
}

const withReferences = (object: KubeObject, keeps: (reference: OwnerReference) => boolean): Draft => {
  const { ownerReferences = [], ...metadata } = object.metadata
  const kept = ownerReferences.filter(keeps)
  return { ...object, metadata: kept.length === 0 ? metadata : { ...metadata, ownerReferences: kept } }
}

/**
 * Deletes what has been looked at and nothing newer; one that has changed meanwhile in anything but its owners is
 * deleted all the same.
 */
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
        return isSameValue(present.metadata.ownerReferences, ownerReferences)
          ? Effect.asVoid(store.delete(ref, { propagationPolicy, preconditions: { uid } }))
          : Effect.fail(conflict)
      })
    )
  )
}

/** An owner that leaves alone: first nobody refers to it any more, then it goes. */
const letGo = Effect.fnUntraced(function* (
  services: ControllerServices,
  ref: Ref,
  owner: KubeObject
): Effect.fn.Return<void, StoreError> {
  const { uid } = owner.metadata
  for (const { resource, object } of services.view.dependents(uid)) {
    const drop = (it: KubeObject): Draft => withReferences(it, (reference) => reference.uid !== uid)
    const dependent = { resource, key: keyOf(object) }
    yield* unlessGone(services.store.modify(dependent, drop, { uid: object.metadata.uid }))
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
