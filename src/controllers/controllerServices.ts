import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { toObjectKey, objectKeyOf } from "../kubernetes/meta/objects.ts"
import { isSemanticallyEqual } from "../kubernetes/meta/semanticEquality.ts"
import { isEmptySelector, matchesSelector } from "../kubernetes/meta/selectors/labelSelectors.ts"
import { hasUidMismatch, ignoreNotFound } from "../store/storeErrors.ts"
import type { FeatureGates } from "../kubernetes/meta/featureGates.ts"
import type { GroupResource } from "../kubernetes/meta/kinds.ts"
import type { KubeObject } from "../kubernetes/meta/objects.ts"
import type { LabelSelector } from "kubernetes-types/meta/v1.js"
import type { StoreError } from "../store/storeErrors.ts"
import type { ClusterView, ObjectStore } from "../store/objectStore.ts"
import type { SnapshotParts } from "../runtime/snapshotParts.ts"
import type { Wake } from "../runtime/reconciler/controller.ts"
import type { EventRecorder } from "./eventRecorder.ts"

export interface ControllerServices {
  readonly store: ObjectStore["Service"]
  /** What the controllers' watches have delivered: the store may have later versions. */
  readonly view: ClusterView["Service"]
  readonly events: EventRecorder
  readonly featureGates: FeatureGates
  readonly nowMillis: () => number
  /** What the controller adds to snapshots; undefined where none are saved. */
  readonly snapshotParts?: SnapshotParts | undefined
}

export const ignoreGoneOrReplaced = (
  request: Effect.Effect<unknown, StoreError>
): Effect.Effect<void, StoreError> =>
  Effect.catchIf(Effect.asVoid(request), isGoneOrReplaced, () => Effect.void)

export const isGoneOrReplaced = (error: StoreError): boolean =>
  error._tag === "NotFound" || hasUidMismatch(error)

/** An object that is gone is ignored. */
export const updateStatusIfChanged = <Status>(
  { store }: ControllerServices,
  object: KubeObject & { readonly status?: Status },
  status: Status
): Effect.Effect<void, StoreError> => {
  if (isSemanticallyEqual(object.status, status)) return Effect.void
  const updated: typeof object = { ...object, status }
  return ignoreNotFound(store.updateStatus(updated))
}

/** Writes without an Effect fiber; undefined if the store cannot, or refuses. */
export const modifyWithoutFiber = (
  store: ControllerServices["store"],
  ...write: Parameters<NonNullable<ControllerServices["store"]["modifyNow"]>>
): Exit.Success<KubeObject, StoreError> | undefined => {
  const exit = store.modifyNow?.(...write)
  return exit !== undefined && Exit.isSuccess(exit) ? exit : undefined
}

/** Writes a status without a fiber where the store can, since most reports of controllers are only a status. */
export const updateStatusWithoutFiber = (
  store: ControllerServices["store"],
  resource: GroupResource,
  object: KubeObject
): Exit.Success<KubeObject, StoreError> | Effect.Effect<KubeObject, StoreError> =>
  modifyWithoutFiber(store, { resource, key: objectKeyOf(object) }, () => object, { status: true }) ??
  store.updateStatus(object)

export const keyInNamespaceOf = (object: KubeObject, name: string): string =>
  toObjectKey(object.metadata.namespace, name)

export const wakeSelectingOwners = (
  owners: Iterable<KubeObject & { readonly spec: { readonly selector?: LabelSelector } }>,
  orphan: KubeObject,
  wake: Wake
): void => {
  const { labels, namespace } = orphan.metadata
  if (Object.keys(labels ?? {}).length === 0) return
  for (const owner of owners) {
    const { selector = {} } = owner.spec
    const isSameNamespace = owner.metadata.namespace === namespace
    if (isSameNamespace && !isEmptySelector(selector) && matchesSelector(selector, labels))
      wake(objectKeyOf(owner))
  }
}
