import type { OwnerReference } from "kubernetes-types/meta/v1.js"
import type { Draft, KubeObject, Meta } from "./objects.ts"

/**
 * Who owns whom. At most one owner is the controller: it alone may manage the object.
 *
 * Source: staging/src/k8s.io/apimachinery/pkg/apis/meta/v1/controller_ref.go.
 */

/** The reference to the owner that manages this object, if it has one. */
export const controllerOf = (object: {
  readonly metadata: Pick<Meta, "ownerReferences">
}): OwnerReference | undefined => {
  const references = object.metadata.ownerReferences
  if (references === undefined) return undefined
  for (const reference of references) if (reference.controller === true) return reference
  return undefined
}

/**
 * The reference a controller puts on what it creates or adopts; it blocks foreground deletion of the owner.
 */
export const controllerReference = (owner: KubeObject): OwnerReference => ({
  apiVersion: owner.apiVersion,
  kind: owner.kind,
  name: owner.metadata.name,
  uid: owner.metadata.uid,
  controller: true,
  blockOwnerDeletion: true
})

/** Oldest first, ties by name: creation times have whole seconds only. */
export const byCreation = (a: KubeObject, b: KubeObject): number =>
  a.metadata.creationTimestamp < b.metadata.creationTimestamp
    ? -1
    : a.metadata.creationTimestamp > b.metadata.creationTimestamp
      ? 1
      : byName(a, b)

export const byName = (a: KubeObject, b: KubeObject): number =>
  a.metadata.name < b.metadata.name ? -1 : a.metadata.name > b.metadata.name ? 1 : 0

export const isTerminating = (object: KubeObject): boolean => object.metadata.deletionTimestamp !== undefined

/** Finalizers by which the garbage collector holds an owner until its dependents are let go, or are gone. */
export const orphanFinalizer = "orphan"
export const foregroundFinalizer = "foregroundDeletion"

export const withoutFinalizer = (object: KubeObject, finalizer: string): Draft => {
  const { finalizers = [], ...others } = object.metadata
  const kept = finalizers.filter((it) => it !== finalizer)
  return { ...object, metadata: kept.length === 0 ? others : { ...others, finalizers: kept } }
}

/** Being deleted in the foreground: it stays until nothing that blocks it is left. */
export const waitsForDependents = (object: KubeObject): boolean =>
  isTerminating(object) && (object.metadata.finalizers ?? []).includes(foregroundFinalizer)

/** Being deleted as one that leaves its dependents behind: it stays until none refers to it. */
export const orphansDependents = (object: KubeObject): boolean =>
  isTerminating(object) && (object.metadata.finalizers ?? []).includes(orphanFinalizer)

export const blocksDeletionOf = (dependent: KubeObject, ownerUid: string): boolean =>
  (dependent.metadata.ownerReferences ?? []).some(
    ({ uid, blockOwnerDeletion }) => uid === ownerUid && blockOwnerDeletion === true
  )

/** The same references, of which none holds up its owner's deletion any more. */
export const withoutBlocking = (references: ReadonlyArray<OwnerReference>): ReadonlyArray<OwnerReference> =>
  references.some(({ blockOwnerDeletion }) => blockOwnerDeletion === true)
    ? references.map((it) => (it.blockOwnerDeletion === true ? { ...it, blockOwnerDeletion: false } : it))
    : references

/**
 * Solid: the owner exists. Waiting: it exists, and is being deleted in the foreground. Dangling: it does not exist.
 * Unresolvable: nobody can tell, since its kind is not served, or lives in a namespace that the dependent has none of.
 */
export type OwnerStanding = "solid" | "waiting" | "dangling" | "unresolvable"

/** What becomes of a dependent. */
export type Fate =
  | { readonly type: "keep" }
  /** It has an owner, and loses its references to the others. */
  | { readonly type: "loseReferences"; readonly uids: ReadonlySet<string> }
  | {
      readonly type: "collect"
      readonly propagationPolicy: "Background" | "Foreground" | "Orphan"
      /** An owner and a dependent wait alike, perhaps in a circle: first it must block nobody any more. */
      readonly unblocks: boolean
    }

const kept: Fate = { type: "keep" }

/**
 * What becomes of a dependent by how its owners stand, one standing a reference.
 *
 * Source: pkg/controller/garbagecollector/garbagecollector.go (attemptToDeleteItem).
 */
export const fateOf = (
  object: KubeObject,
  standings: ReadonlyArray<OwnerStanding>,
  dependents: ReadonlyArray<KubeObject>
): Fate => {
  const { ownerReferences = [], finalizers = [] } = object.metadata
  if (standings.length === 0 || standings.includes("unresolvable")) return kept
  if (standings.includes("solid")) {
    const lost = ownerReferences.filter((_, index) => standings[index] !== "solid")
    return lost.length === 0 ? kept : { type: "loseReferences", uids: new Set(lost.map(({ uid }) => uid)) }
  }
  if (standings.includes("waiting") && dependents.length > 0) {
    return {
      type: "collect",
      propagationPolicy: "Foreground",
      unblocks: dependents.some(waitsForDependents)
    }
  }
  const propagationPolicy = finalizers.includes(orphanFinalizer)
    ? "Orphan"
    : finalizers.includes(foregroundFinalizer)
      ? "Foreground"
      : "Background"
  return { type: "collect", propagationPolicy, unblocks: false }
}
