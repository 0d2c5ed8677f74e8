import { apiVersionOf, storedKindOf } from "../meta/kinds.ts"
import { withSchemaDefaults } from "./schemaDefaults.ts"
import { pruneUnknownFields } from "./pruneUnknownFields.ts"
import type { Kind } from "../meta/kinds.ts"
import type { Draft, KubeObject } from "../meta/objects.ts"

/** Source: apiextensions-apiserver/pkg/apiserver/conversion/nop_converter.go. */

const conversions = new WeakMap<Kind, WeakMap<KubeObject, KubeObject>>()

/** An object of another kind, such as a Scale, does not change. */
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

/** Applies the defaults of the draft's version first. */
export const toStoredVersion = (kind: Kind, draft: Draft): Draft => {
  const apiVersion = apiVersionOf(storedKindOf(kind))
  if (draft.apiVersion === apiVersion) return draft
  return { ...withSchemaDefaults({ ...draft }, kind.custom?.schema), apiVersion }
}
