import { isPodFinished } from "../../kubernetes/pods/podState.ts"
import { foregroundFinalizer, isTerminating, orphanFinalizer } from "../../kubernetes/meta/deletion.ts"
import { timestampMillis, timestampOf } from "../../kubernetes/meta/amounts/timestamps.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import type { GroupResource } from "../../kubernetes/meta/kinds.ts"
import type { KubeObject, Pod } from "../../kubernetes/meta/objects.ts"
import type { DeleteOptions } from "../objectStore.ts"

/**
 * The object after a DELETE; undefined if it is removed at once.
 * Source: registry/generic/registry/store.go (Delete), pkg/registry/core/pod/strategy.go (CheckGracefulDelete).
 */
export const planDeletion = (options: {
  readonly resource: GroupResource
  readonly object: KubeObject
  readonly request: DeleteOptions
  readonly nowMillis: number
}): KubeObject | undefined => {
  const { resource, nowMillis } = options
  const request = withPositiveGrace(options.request)
  if (isDeletionPending(options.object, request)) return options.object
  const object = withFinalizers(options.object, request)
  const graceSeconds = resource === resources.pods ? podGrace(object as Pod, request) : 0
  if (graceSeconds > 0) return withDeletionTimestamp(object, graceSeconds, nowMillis)
  const hasFinalizers = (object.metadata.finalizers ?? []).length > 0 || hasSpecFinalizers(object)
  return hasFinalizers ? withDeletionTimestamp(object, 0, nowMillis) : undefined
}

const withPositiveGrace = (request: DeleteOptions): DeleteOptions =>
  (request.gracePeriodSeconds ?? 0) < 0 ? { ...request, gracePeriodSeconds: 1 } : request

/** A second DELETE only counts if its grace period is shorter. */
const isDeletionPending = (
  { metadata }: KubeObject,
  { gracePeriodSeconds = Infinity }: DeleteOptions
): boolean => {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = metadata
  return (
    deletionTimestamp !== undefined &&
    deletionGracePeriodSeconds > 0 &&
    gracePeriodSeconds >= deletionGracePeriodSeconds
  )
}

/** Whether nothing holds a terminating object any more. */
export const isReadyForRemoval = (object: KubeObject): boolean =>
  isTerminating(object) &&
  (object.metadata.finalizers ?? []).length === 0 &&
  !hasSpecFinalizers(object) &&
  (object.metadata.deletionGracePeriodSeconds ?? 0) === 0

const hasSpecFinalizers = (object: KubeObject & { readonly spec?: unknown }): boolean => {
  const { kind, spec } = object
  if (kind !== "Namespace" || typeof spec !== "object" || spec === null || !("finalizers" in spec))
    return false
  return Array.isArray(spec.finalizers) && spec.finalizers.length > 0
}

const withFinalizers = (object: KubeObject, { propagationPolicy }: DeleteOptions): KubeObject => {
  if (propagationPolicy === undefined) return object
  const finalizer = propagationPolicy === "Background" ? undefined : finalizerOf[propagationPolicy]
  const { finalizers = [], ...metadata } = object.metadata
  const others = finalizers.filter((it) => it !== orphanFinalizer && it !== foregroundFinalizer)
  const isMissing = finalizer !== undefined && !finalizers.includes(finalizer)
  if (others.length + (finalizer === undefined ? 0 : 1) === finalizers.length && !isMissing) return object
  const next = finalizer === undefined ? others : [...others, finalizer]
  return { ...object, metadata: { ...metadata, ...(next.length === 0 ? {} : { finalizers: next }) } }
}

const finalizerOf = { Orphan: orphanFinalizer, Foreground: foregroundFinalizer } as const

/** The grace period in seconds; 0 for a Pod without a node or whose containers have ended. */
const podGrace = (pod: Pod, request: DeleteOptions): number => {
  if (pod.spec.nodeName === undefined || isPodFinished(pod)) return 0
  const seconds = request.gracePeriodSeconds ?? pod.spec.terminationGracePeriodSeconds ?? 30
  return seconds < 0 ? 1 : seconds
}

const withDeletionTimestamp = (object: KubeObject, graceSeconds: number, nowMillis: number): KubeObject => {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, generation } = object.metadata
  if (deletionTimestamp === undefined) {
    return {
      ...object,
      metadata: {
        ...object.metadata,
        deletionTimestamp: timestampOf(nowMillis + graceSeconds * 1000),
        // A namespace has no grace period.
        ...(object.kind === "Namespace" ? {} : { deletionGracePeriodSeconds: graceSeconds }),
        ...(generation === undefined ? {} : { generation: generation + 1 })
      }
    }
  }
  if (graceSeconds >= deletionGracePeriodSeconds) return object
  const beganMillis = timestampMillis(deletionTimestamp) - deletionGracePeriodSeconds * 1000
  const endMillis = Math.max(beganMillis + graceSeconds * 1000, nowMillis)
  return {
    ...object,
    metadata: {
      ...object.metadata,
      deletionTimestamp: timestampOf(endMillis),
      deletionGracePeriodSeconds: graceSeconds
    }
  }
}
