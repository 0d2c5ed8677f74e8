import type { OwnerReference } from "kubernetes-types/meta/v1.js"
import { foregroundFinalizer, orphanFinalizer, waitsForDependents } from "./deletion.ts"
import type { KubeObject, Meta } from "./objects.ts"

/** Source: controller_ref.go. */

export const controllerOf = (object: {
  readonly metadata: Pick<Meta, "ownerReferences">
}): OwnerReference | undefined => {
  const references = object.metadata.ownerReferences
  if (references === undefined) return undefined
  for (const reference of references) if (reference.controller === true) return reference
  return undefined
}

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

export const withoutBlocking = (references: ReadonlyArray<OwnerReference>): ReadonlyArray<OwnerReference> =>
  references.some(({ blockOwnerDeletion }) => blockOwnerDeletion === true)
    ? references.map((it) => (it.blockOwnerDeletion === true ? { ...it, blockOwnerDeletion: false } : it))
    : references

/**
 * `solid`: exists. `waiting`: in foreground deletion. `dangling`: gone. `unresolvable`: of a kind that is not
 * served, or that is namespaced while the dependent is cluster-scoped.
 */
export type OwnerState = "solid" | "waiting" | "dangling" | "unresolvable"

export type DependentOutcome =
  | { readonly type: "keep" }
  | { readonly type: "loseReferences"; readonly uids: ReadonlySet<string> }
  | {
      readonly type: "collect"
      readonly propagationPolicy: "Background" | "Foreground" | "Orphan"
      /** Whether the object must stop blocking its owners, since they may wait for each other in a circle. */
      readonly unblocks: boolean
    }

const keepDependent: DependentOutcome = { type: "keep" }

/** Source: garbagecollector.go (attemptToDeleteItem). */
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
