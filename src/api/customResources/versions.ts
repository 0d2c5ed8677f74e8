import { apiVersionOf, storedKindOf } from "../../domain/kinds.ts"
import { completed } from "../../domain/customResources/complete.ts"
import { pruned } from "../../domain/customResources/prune.ts"
import type { Kind } from "../../domain/kinds.ts"
import type { Draft, KubeObject } from "../../domain/objects.ts"

/**
 * Versions of a custom resource differ in `apiVersion` and in the fields of their schema.
 *
 * Source: staging/src/k8s.io/apiextensions-apiserver/pkg/apiserver/conversion/nop_converter.go.
 */

/** Conversions cached by kind and stored object. */
const shown = new WeakMap<Kind, WeakMap<KubeObject, KubeObject>>()

export const inVersion = (kind: Kind, object: KubeObject): KubeObject => {
  const apiVersion = apiVersionOf(kind)
  if (object.apiVersion === apiVersion || object.kind !== kind.kind) return object
  const ofKind = shown.get(kind) ?? new WeakMap<KubeObject, KubeObject>()
  shown.set(kind, ofKind)
  const known = ofKind.get(object)
  if (known !== undefined) return known
  const schema = kind.custom?.schema
  const made = { ...completed(pruned({ ...object }, schema), schema), apiVersion }
  // The converted object keeps its type and metadata.
  const converted = Object.freeze(made) as unknown as KubeObject
  ofKind.set(object, converted)
  return converted
}

/** Converts a draft to the stored version, after applying the defaults of its own version. */
export const inStoredVersion = (kind: Kind, draft: Draft): Draft => {
  const apiVersion = apiVersionOf(storedKindOf(kind))
  if (draft.apiVersion === apiVersion) return draft
  return { ...completed({ ...draft }, kind.custom?.schema), apiVersion }
}
