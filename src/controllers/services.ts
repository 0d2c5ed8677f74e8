import * as Effect from "effect/Effect"
import { keyIn, keyOf } from "../domain/objects.ts"
import { isEmptySelector, matchesSelector } from "../domain/selectors.ts"
import { refuse } from "../runtime/reconciler.ts"
import type { OwnerReference } from "kubernetes-types/meta/v1.js"
import type { Command, ObjectIdentity } from "../domain/commands.ts"
import type { GroupResource } from "../domain/kinds.ts"
import type { Deployment, KubeObject, Meta, ReplicaSet } from "../domain/objects.ts"
import type { ClusterView, ObjectStore } from "../store/objectStore.ts"
import type { CommandRefused, Wake } from "../runtime/reconciler.ts"
import type { EventRecorder } from "./eventRecorder.ts"

/** What every controller works with. */
export interface ControllerServices {
  readonly store: ObjectStore["Service"]
  readonly view: ClusterView["Service"]
  readonly events: EventRecorder
  readonly nowMillis: () => number
}

/**
 * The order of kinds at one instant: leaves before their owners. Binding and cleaning up come between the Pods and
 * those who count them.
 */
export const ranks = {
  pods: 10,
  scheduler: 20,
  nodes: 30,
  garbage: 40,
  replicaSets: 50,
  deployments: 60,
  namespaces: 70
} as const

/** `namespace/name` of an object in the same namespace as another. */
export const siblingKey = (object: KubeObject, name: string): string => keyIn(object.metadata.namespace, name)

/** Wakes whoever may adopt an orphan: the owners in its namespace that select it. Without labels nobody does. */
export const wakeSelecting = (
  owners: Iterable<Deployment | ReplicaSet>,
  orphan: KubeObject,
  wake: Wake
): void => {
  const { labels, namespace } = orphan.metadata
  if (Object.keys(labels ?? {}).length === 0) return
  for (const owner of owners) {
    const { selector } = owner.spec
    const isNear = owner.metadata.namespace === namespace
    if (isNear && !isEmptySelector(selector) && matchesSelector(selector, labels)) wake(keyOf(owner))
  }
}

/**
 * Takes a child on, or lets it go. A child that is gone or is somebody else by now is left alone; letting such a one
 * go has succeeded.
 *
 * Source: pkg/controller/controller_ref_manager.go (AdoptPod, ReleasePod).
 */
export const changeHands = (options: {
  readonly services: ControllerServices
  readonly command: Command["type"]
  readonly owner: KubeObject
  readonly resource: GroupResource
  readonly child: ObjectIdentity
  readonly reference: OwnerReference | undefined
}): Effect.Effect<void, CommandRefused> => {
  const { services, owner, resource, child, reference } = options
  const ref = { resource, key: siblingKey(owner, child.name) }
  const write = services.store.modify(
    ref,
    (object) => ({ ...object, metadata: withOwner(object.metadata, owner.metadata.uid, reference) }),
    { uid: child.uid }
  )
  const forgiven = reference === undefined ? ["NotFound", "Invalid"] : ["NotFound"]
  return write.pipe(
    Effect.asVoid,
    Effect.catch((error) =>
      forgiven.includes(error._tag) ? Effect.void : Effect.fail(refuse(options.command)(error))
    )
  )
}

const withOwner = (metadata: Meta, ownerUid: string, reference: OwnerReference | undefined): Meta => {
  const { ownerReferences = [], ...others } = metadata
  const kept = ownerReferences.filter(({ uid }) => uid !== ownerUid)
  const references = reference === undefined ? kept : [...kept, reference]
  return references.length === 0 ? others : { ...others, ownerReferences: references }
}

/**
 * Makes sure, by asking the store and not the view, that an owner may still adopt: it exists, is the same, and is not
 * being deleted.
 */
export const mayAdopt = (
  services: ControllerServices,
  resource: GroupResource,
  owner: KubeObject
): Effect.Effect<boolean> =>
  services.store.get({ resource, key: keyOf(owner) }).pipe(
    Effect.map(
      (present) =>
        present.metadata.uid === owner.metadata.uid && present.metadata.deletionTimestamp === undefined
    ),
    Effect.catch(() => Effect.succeed(false))
  )
