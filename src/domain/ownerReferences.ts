import type { OwnerReference } from "kubernetes-types/meta/v1.js"
import type { KubeObject, Meta } from "./objects.ts"

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

export const isControlledBy = (object: KubeObject, owner: KubeObject): boolean =>
  controllerOf(object)?.uid === owner.metadata.uid

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
