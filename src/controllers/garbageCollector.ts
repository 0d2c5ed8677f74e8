import * as Effect from "effect/Effect"
import { keyOf } from "../domain/objects.ts"
import { groupResourceOf, kindOfObject } from "../domain/kinds.ts"
import { isTerminating } from "../domain/ownerReferences.ts"
import { makeMailbox } from "../runtime/mailbox.ts"
import { retryDelayMillis } from "../runtime/reconciler.ts"
import { ranks } from "./services.ts"
import type { OwnerReference } from "kubernetes-types/meta/v1.js"
import type { Scope } from "effect/Scope"
import type { GroupResource } from "../domain/kinds.ts"
import type { KubeObject } from "../domain/objects.ts"
import type { Kernel } from "../runtime/kernel.ts"
import type { StoreError } from "../store/errors.ts"
import type { Change, Ref } from "../store/objectStore.ts"
import type { ControllerServices } from "./services.ts"

/**
 * Collects what has lost its owners, in three ways of deleting an owner.
 *
 * *Background*: the owner is gone at once; each dependent is then looked at, and deleted when no owner is left.
 * *Foreground*: the owner stays, with a finalizer, until no dependent that blocks it is left; then it goes.
 * *Orphan*: the owner stays, with a finalizer, until no dependent refers to it; then it goes alone.
 *
 * Source: pkg/controller/garbagecollector/garbagecollector.go, graph_builder.go.
 */
export const collectGarbage = Effect.fnUntraced(function* (
  services: ControllerServices,
  kernel: Kernel
): Effect.fn.Return<void, never, Scope> {
  const { view } = services
  const mailbox = yield* makeMailbox({ kernel, rank: ranks.garbage })
  const failures = new Map<string, number>()

  const wake = (resource: GroupResource, object: KubeObject): void =>
    mailbox.offer(`${resource} ${keyOf(object)}`)
  const wakeDependents = (uid: string): void => {
    for (const { resource, object } of view.dependents(uid)) wake(resource, object)
  }
  const wakeOwners = (object: KubeObject): void => {
    for (const reference of object.metadata.ownerReferences ?? []) {
      const owner = ownerOf(services, object, reference)
      if (owner !== undefined && isTerminating(owner.object)) wake(owner.resource, owner.object)
    }
  }

  const onChange = ({ type, resource, object, old }: Change): void => {
    if (type === "DELETED") {
      wakeDependents(object.metadata.uid)
      wakeOwners(object)
      return
    }
    if (object.metadata.ownerReferences !== old?.metadata.ownerReferences) {
      if (!hasSolidOwners(services, object)) wake(resource, object)
      if (old !== undefined) wakeOwners(old)
    }
    if (isTerminating(object) && hasFinalizer(object)) {
      wake(resource, object)
      wakeDependents(object.metadata.uid)
    }
  }

  const attempt = Effect.fnUntraced(function* (item: string) {
    const [resource = "", key = ""] = item.split(" ")
    const object = view.get(resource, key)
    if (object === undefined) return
    const ref = { resource, key }
    if (isTerminating(object) && hasFinalizer(object)) yield* processDeleted(services, ref, object)
    if (!isTerminating(object)) yield* collect(services, ref, object)
  })

  const work = Effect.fnUntraced(function* () {
    const item = yield* mailbox.take
    const again = Effect.sync(() => {
      const count = failures.get(item) ?? 0
      failures.set(item, count + 1)
      kernel.after(retryDelayMillis(count), ranks.garbage, () => mailbox.offer(item))
    })
    yield* attempt(item).pipe(
      Effect.andThen(Effect.sync(() => failures.delete(item))),
      Effect.catch(() => again),
      Effect.ensuring(Effect.sync(() => mailbox.done(item)))
    )
  })
  yield* Effect.forkScoped(Effect.forever(work()))
  const unsubscribe = view.subscribe(onChange)
  yield* Effect.addFinalizer(() => Effect.sync(unsubscribe))
})

const orphan = "orphan"
const foreground = "foregroundDeletion"

const finalizersOf = (object: KubeObject): ReadonlyArray<string> => object.metadata.finalizers ?? []
const hasFinalizer = (object: KubeObject): boolean =>
  finalizersOf(object).includes(orphan) || finalizersOf(object).includes(foreground)

interface Owner {
  readonly resource: GroupResource
  readonly object: KubeObject
}

/** The owner that a reference means, if it still exists: same name, same uid, same namespace or none. */
const ownerOf = (
  { view }: ControllerServices,
  object: KubeObject,
  reference: OwnerReference
): Owner | undefined => {
  const kind = kindOfObject(reference)
  if (kind === undefined) return undefined
  const resource = groupResourceOf(kind)
  const { namespace } = object.metadata
  const key = kind.namespaced && namespace !== undefined ? `${namespace}/${reference.name}` : reference.name
  const owner = view.get(resource, key)
  return owner?.metadata.uid === reference.uid ? { resource, object: owner } : undefined
}

/** An owner that waits with a GC finalizer: lets go of its dependents, or waits for those that block it. */
const processDeleted = (
  services: ControllerServices,
  ref: Ref,
  object: KubeObject
): Effect.Effect<void, StoreError> => {
  const { uid } = object.metadata
  const dependents = services.view.dependents(uid)
  if (finalizersOf(object).includes(orphan)) {
    const letGo = Effect.forEach(
      dependents,
      (dependent) => dropReferences(services, dependent, (reference) => reference.uid === uid),
      { discard: true }
    )
    return Effect.andThen(letGo, removeFinalizer(services, ref, orphan))
  }
  const blocked = dependents.some((dependent) =>
    (dependent.object.metadata.ownerReferences ?? []).some(
      (it) => it.uid === uid && it.blockOwnerDeletion === true
    )
  )
  return blocked ? Effect.void : removeFinalizer(services, ref, foreground)
}

const removeFinalizer = (
  { store }: ControllerServices,
  ref: Ref,
  finalizer: string
): Effect.Effect<void, StoreError> =>
  store
    .modify(ref, (object) => {
      const { finalizers = [], ...metadata } = object.metadata
      const kept = finalizers.filter((it) => it !== finalizer)
      return { ...object, metadata: kept.length === 0 ? metadata : { ...metadata, finalizers: kept } }
    })
    .pipe(
      Effect.asVoid,
      Effect.catchTag("NotFound", () => Effect.void)
    )

/**
 * A dependent: kept while any owner is solid, else deleted as its waiting owners or its own finalizers ask.
 */
const collect = (
  services: ControllerServices,
  ref: Ref,
  object: KubeObject
): Effect.Effect<void, StoreError> => {
  const references = object.metadata.ownerReferences ?? []
  if (references.length === 0) return Effect.void
  const standings = references.map((reference) => standingOf(services, object, reference))
  if (standings.every((it) => it === "solid")) return Effect.void
  if (standings.includes("solid")) {
    const lost = new Set(references.filter((_, index) => standings[index] !== "solid").map(({ uid }) => uid))
    return dropReferences(services, { resource: ref.resource, object }, ({ uid }) => lost.has(uid))
  }
  const hasDependents = services.view.dependents(object.metadata.uid).length > 0
  const propagationPolicy =
    standings.includes("waiting") && hasDependents
      ? "Foreground"
      : finalizersOf(object).includes(orphan)
        ? "Orphan"
        : finalizersOf(object).includes(foreground)
          ? "Foreground"
          : "Background"
  return services.store.delete(ref, { propagationPolicy, preconditions: { uid: object.metadata.uid } }).pipe(
    Effect.asVoid,
    Effect.catchTag("NotFound", () => Effect.void)
  )
}

/**
 * Whether all owners exist, so that there is nothing to collect: nearly always, and then no turn is spent on
 * it.
 */
const hasSolidOwners = (services: ControllerServices, object: KubeObject): boolean =>
  (object.metadata.ownerReferences ?? []).every((it) => standingOf(services, object, it) === "solid")

/** Solid: exists. Waiting: exists, and is being deleted in the foreground. Dangling: does not exist. */
const standingOf = (
  services: ControllerServices,
  object: KubeObject,
  reference: OwnerReference
): "solid" | "waiting" | "dangling" => {
  const owner = ownerOf(services, object, reference)
  if (owner === undefined) return "dangling"
  return isTerminating(owner.object) && finalizersOf(owner.object).includes(foreground) ? "waiting" : "solid"
}

const dropReferences = (
  { store }: ControllerServices,
  { resource, object }: Owner,
  drops: (reference: OwnerReference) => boolean
): Effect.Effect<void, StoreError> =>
  store
    .modify(
      { resource, key: keyOf(object) },
      (present) => {
        const { ownerReferences = [], ...metadata } = present.metadata
        const kept = ownerReferences.filter((reference) => !drops(reference))
        return {
          ...present,
          metadata: kept.length === 0 ? metadata : { ...metadata, ownerReferences: kept }
        }
      },
      { uid: object.metadata.uid }
    )
    .pipe(Effect.asVoid, Effect.catchTags({ NotFound: () => Effect.void, Invalid: () => Effect.void }))
