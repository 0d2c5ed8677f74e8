import { isFinished } from "../domain/pods.ts"
import { isTerminating } from "../domain/ownerReferences.ts"
import { millisOf, timestampOf } from "../domain/timestamps.ts"
import { resources } from "../domain/kinds.ts"
import type { GroupResource } from "../domain/kinds.ts"
import type { KubeObject, Pod } from "../domain/objects.ts"
import type { DeleteOptions } from "./objectStore.ts"

/**
 * What a DELETE makes of an object: nothing any more, or one that is on its way out.
 *
 * Source: staging/src/k8s.io/apiserver/pkg/registry/generic/registry/store.go (Delete,
 * deletionFinalizersForGarbageCollection),
 * pkg/registry/core/pod/strategy.go (CheckGracefulDelete).
 */
const orphan = "orphan"
const foreground = "foregroundDeletion"

/** Returns the object as it stays, or undefined when it goes at once. */
export const planDeletion = (options: {
  readonly resource: GroupResource
  readonly object: KubeObject
  readonly request: DeleteOptions
  readonly nowMillis: number
}): KubeObject | undefined => {
  const { resource, request, nowMillis } = options
  const object = withFinalizers(options.object, request)
  const graceSeconds = resource === resources.pods ? podGrace(object as Pod, request) : 0
  if (graceSeconds > 0) return leaving(object, graceSeconds, nowMillis)
  const waits = (object.metadata.finalizers ?? []).length > 0 || hasSpecFinalizers(object)
  return waits ? leaving(object, 0, nowMillis) : undefined
}

/** Whether an update was the last thing that a deleted object waited for. */
export const isReleased = (object: KubeObject): boolean =>
  isTerminating(object) &&
  (object.metadata.finalizers ?? []).length === 0 &&
  !hasSpecFinalizers(object) &&
  (object.metadata.deletionGracePeriodSeconds ?? 0) === 0

/** Namespaces keep a finalizer of their own in the spec. */
const hasSpecFinalizers = (object: KubeObject & { readonly spec?: unknown }): boolean => {
  const { kind, spec } = object
  if (kind !== "Namespace" || typeof spec !== "object" || spec === null || !("finalizers" in spec))
    return false
  return Array.isArray(spec.finalizers) && spec.finalizers.length > 0
}

const withFinalizers = (object: KubeObject, request: DeleteOptions): KubeObject => {
  if (request.propagationPolicy === undefined) return object
  const others = (object.metadata.finalizers ?? []).filter((it) => it !== orphan && it !== foreground)
  const wanted =
    request.propagationPolicy === "Orphan"
      ? [...others, orphan]
      : request.propagationPolicy === "Foreground"
        ? [...others, foreground]
        : others
  const { finalizers: _finalizers, ...metadata } = object.metadata
  return { ...object, metadata: { ...metadata, ...(wanted.length === 0 ? {} : { finalizers: wanted }) } }
}

/**
 * Seconds a Pod is given; none when no kubelet has it or its containers are done. One that is leaving keeps what it
 * has been given, unless somebody asks for less.
 */
const podGrace = (pod: Pod, request: DeleteOptions): number => {
  if (pod.spec.nodeName === undefined || isFinished(pod)) return 0
  const given = pod.metadata.deletionGracePeriodSeconds ?? pod.spec.terminationGracePeriodSeconds ?? 30
  const seconds = request.gracePeriodSeconds ?? given
  return seconds < 0 ? 1 : seconds
}

const leaving = (object: KubeObject, graceSeconds: number, nowMillis: number): KubeObject => {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, generation } = object.metadata
  if (deletionTimestamp === undefined) {
    return {
      ...object,
      metadata: {
        ...object.metadata,
        deletionTimestamp: timestampOf(nowMillis + graceSeconds * 1000),
        deletionGracePeriodSeconds: graceSeconds,
        ...(generation === undefined ? {} : { generation: generation + 1 })
      }
    }
  }
  if (graceSeconds >= deletionGracePeriodSeconds) return object
  // A shorter grace counts from when the Pod began to leave, and cannot lie in the past.
  const beganMillis = millisOf(deletionTimestamp) - deletionGracePeriodSeconds * 1000
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
