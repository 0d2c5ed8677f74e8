import { inStoredVersion, inVersion } from "./customResources/versions.ts"
import { apiVersionOf } from "../domain/kinds.ts"
import { withManagedFields } from "../domain/managedFields/complete.ts"
import { shownAs, storedAs } from "../domain/kindViews.ts"
import type { Kind } from "../domain/kinds.ts"
import type { Draft, KubeObject } from "../domain/objects.ts"

const conversions = new WeakMap<KubeObject, KubeObject>()

/** Converts a stored object to the served kind, with its managed fields. Most kinds are stored as they are served. */
export const asServed = (kind: Kind, stored: KubeObject): KubeObject => {
  const object = withManagedFields(stored)
  if (kind.custom !== undefined) return inVersion(kind, object)
  if (kind.viewOf === undefined || object.apiVersion === apiVersionOf(kind)) return object
  const cached = conversions.get(object)
  if (cached !== undefined) return cached
  const converted = Object.freeze(shownAs(kind, { ...object })) as unknown as KubeObject
  conversions.set(object, converted)
  return converted
}

export const asStored = (kind: Kind, draft: Draft): Draft =>
  kind.custom !== undefined ? inStoredVersion(kind, draft) : storedAs(kind, draft)
