import { apiVersionOf, storedKindOf } from "../meta/kinds.ts"
import { withSchemaDefaults } from "./schemaDefaults.ts"
import { pruneUnknownFields } from "./pruneUnknownFields.ts"
import type { Kind } from "../meta/kinds.ts"
import type { Draft, KubeObject } from "../meta/objects.ts"

/**
 * Versions of a custom resource differ in `apiVersion` and in the fields of their schema.
 * Source: staging/src/k8s.io/apiextensions-apiserver/pkg/apiserver/conversion/nop_converter.go.
 */

const conversions = new WeakMap<Kind, WeakMap<KubeObject, KubeObject>>()

/** Converts a stored custom resource to a version; an object of another kind, such as its Scale, stays as it is. */
export const toServedVersion = (kind: Kind, object: KubeObject): KubeObject => {
  const apiVersion = apiVersionOf(kind)
  if (object.apiVersion === apiVersion || object.kind !== kind.kind) return object
  const conversionsOfKind = conversions.get(kind) ?? new WeakMap<KubeObject, KubeObject>()
  conversions.set(kind, conversionsOfKind)
  const cached = conversionsOfKind.get(object)
  if (cached !== undefined) return cached
  const schema = kind.custom?.schema
  const fields = { ...withSchemaDefaults(pruneUnknownFields({ ...object }, schema), schema), apiVersion }
  const converted = Object.freeze(fields) as unknown as KubeObject
  conversionsOfKind.set(object, converted)
  return converted
}

/** Converts a draft to the stored version, after applying the defaults of its own version. */
export const toStoredVersion = (kind: Kind, draft: Draft): Draft => {
  const apiVersion = apiVersionOf(storedKindOf(kind))
  if (draft.apiVersion === apiVersion) return draft
  return { ...withSchemaDefaults({ ...draft }, kind.custom?.schema), apiVersion }
}
