import type { OwnerReference } from "kubernetes-types/meta/v1.js"
import { foregroundFinalizer, orphanFinalizer, waitsForDependents } from "./deletion.ts"
import type { KubeObject, Meta } from "./objects.ts"

/**
 * Owner references. At most one owner is the controller, which alone manages the object.
 * Source: staging/src/k8s.io/apimachinery/pkg/apis/meta/v1/controller_ref.go.
 */

export const controllerOf = (object: {
  readonly metadata: Pick<Meta, "ownerReferences">
}): OwnerReference | undefined => {
  const references = object.metadata.ownerReferences
  if (references === undefined) return undefined
  for (const reference of references) if (reference.controller === true) return reference
  return undefined
}

/**
 * The owner reference that a controller sets on objects it creates or adopts. It blocks foreground deletion of the
 * owner.
 */
export const controllerReference = (owner: KubeObject): OwnerReference => ({
  apiVersion: owner.apiVersion,
  kind: owner.kind,
  name: owner.metadata.name,
  uid: owner.metadata.uid,
  controller: true,
  blockOwnerDeletion: true
})

export const blocksDeletionOf = (dependent: KubeObject, ownerUid: string): boolean =>
  (dependent.metadata.ownerReferences ?? []).some(
    ({ uid, blockOwnerDeletion }) => uid === ownerUid && blockOwnerDeletion === true
  )

/** The references, none of which blocks the foreground deletion of its owner. */
export const withoutBlocking = (references: ReadonlyArray<OwnerReference>): ReadonlyArray<OwnerReference> =>
  references.some(({ blockOwnerDeletion }) => blockOwnerDeletion === true)
    ? references.map((it) => (it.blockOwnerDeletion === true ? { ...it, blockOwnerDeletion: false } : it))
    : references

/**
 * State of an owner. Solid: it exists. Waiting: it exists, in foreground deletion. Dangling: it does not exist.
 * Unresolvable: its kind is not served, or is namespaced while the dependent is cluster-scoped.
 */
export type OwnerState = "solid" | "waiting" | "dangling" | "unresolvable"

/** What the garbage collector does with a dependent. */
export type DependentOutcome =
  | { readonly type: "keep" }
  /** The references to owners that are gone, or are being deleted, are removed. */
  | { readonly type: "loseReferences"; readonly uids: ReadonlySet<string> }
  | {
      readonly type: "collect"
      readonly propagationPolicy: "Background" | "Foreground" | "Orphan"
      /** Whether it must stop blocking its owners first: with its own dependents, they may wait in a circle. */
      readonly unblocks: boolean
    }

const keepDependent: DependentOutcome = { type: "keep" }

/**
 * Decides about a dependent from the states of its owners, one per reference. `dependents`: those that it owns itself.
 * Source: pkg/controller/garbagecollector/garbagecollector.go (attemptToDeleteItem).
 */
export const dependentOutcome = (
  object: KubeObject,
  ownerStates: ReadonlyArray<OwnerState>,
  dependents: ReadonlyArray<KubeObject>
): DependentOutcome => {
  const { ownerReferences = [], finalizers = [] } = object.metadata
  if (ownerStates.length === 0 || ownerStates.includes("unresolvable")) return keepDependent
  if (ownerStates.includes("solid")) {
    const lostReferences = ownerReferences.filter((_, index) => ownerStates[index] !== "solid")
    return lostReferences.length === 0
      ? keepDependent
      : { type: "loseReferences", uids: new Set(lostReferences.map(({ uid }) => uid)) }
  }
  if (ownerStates.includes("waiting") && dependents.length > 0) {
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
