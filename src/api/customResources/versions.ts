import { apiVersionOf, storedKindOf } from "../../domain/kinds.ts"
import { completed } from "../../domain/customResources/complete.ts"
import { pruned } from "../../domain/customResources/prune.ts"
import type { Kind } from "../../domain/kinds.ts"
import type { Draft, KubeObject } from "../../domain/objects.ts"

/**
 * An object of a custom kind in each of its versions: what differs is its version, and which fields that knows.
 *
 * Source: staging/src/k8s.io/apiextensions-apiserver/pkg/apiserver/conversion/nop_converter.go.
 */

/** By kind and stored object: what it looks like in another version, so that it is made and written once. */
const shown = new WeakMap<Kind, WeakMap<KubeObject, KubeObject>>()

/** A stored object in the version that was asked for. */
export const inVersion = (kind: Kind, object: KubeObject): KubeObject => {
  const apiVersion = apiVersionOf(kind)
  if (object.apiVersion === apiVersion || object.kind !== kind.kind) return object
  const ofKind = shown.get(kind) ?? new WeakMap<KubeObject, KubeObject>()
  shown.set(kind, ofKind)
  const known = ofKind.get(object)
  if (known !== undefined) return known
  const schema = kind.custom?.schema
  const made = { ...completed(pruned({ ...object }, schema), schema), apiVersion }
  // Type and metadata stay, whatever fields the version knows beside them.
  const converted = Object.freeze(made) as unknown as KubeObject
  ofKind.set(object, converted)
  return converted
}

/** A draft in the version that is stored, with the defaults of the version it was written in. */
export const inStoredVersion = (kind: Kind, draft: Draft): Draft => {
  const apiVersion = apiVersionOf(storedKindOf(kind))
  if (draft.apiVersion === apiVersion) return draft
  return { ...completed({ ...draft }, kind.custom?.schema), apiVersion }
}
