import type { Draft, KubeObject } from "./objects.ts"

export const isTerminating = (object: Draft): boolean => object.metadata.deletionTimestamp !== undefined

/** An owner with one of these finalizers stays until its dependents are orphaned or deleted. */
export const orphanFinalizer = "orphan"
export const foregroundFinalizer = "foregroundDeletion"

export const withFinalizer = <D extends Pick<Draft, "metadata">>(draft: D, finalizer: string): D => {
  const { finalizers = [] } = draft.metadata
  return finalizers.includes(finalizer)
    ? draft
    : { ...draft, metadata: { ...draft.metadata, finalizers: [...finalizers, finalizer] } }
}

export const withoutFinalizer = (object: KubeObject, finalizer: string): Draft => {
  const { finalizers = [], ...otherFields } = object.metadata
  const remaining = finalizers.filter((it) => it !== finalizer)
  return {
    ...object,
    metadata: remaining.length === 0 ? otherFields : { ...otherFields, finalizers: remaining }
  }
}

export const waitsForDependents = (object: KubeObject): boolean =>
  isTerminating(object) && (object.metadata.finalizers ?? []).includes(foregroundFinalizer)

export const orphansDependents = (object: KubeObject): boolean =>
  isTerminating(object) && (object.metadata.finalizers ?? []).includes(orphanFinalizer)
