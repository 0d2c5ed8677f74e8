import { inStoredVersion, inVersion } from "./customResources/versions.ts"
import { apiVersionOf } from "../domain/kinds.ts"
import { withManagedFields } from "../domain/managedFields/complete.ts"
import { shownAs, storedAs } from "../domain/kindViews.ts"
import type { Kind } from "../domain/kinds.ts"
import type { Draft, KubeObject } from "../domain/objects.ts"

/** By stored object: what it looks like as another kind, so that it is translated and written once. */
const shown = new WeakMap<KubeObject, KubeObject>()

/** A stored object as its served kind shows it, with all its managed fields; most kinds show what is stored. */
export const asServed = (kind: Kind, stored: KubeObject): KubeObject => {
  const object = withManagedFields(stored)
  if (kind.custom !== undefined) return inVersion(kind, object)
  if (kind.viewOf === undefined || object.apiVersion === apiVersionOf(kind)) return object
  const known = shown.get(object)
  if (known !== undefined) return known
  const made = Object.freeze(shownAs(kind, { ...object })) as unknown as KubeObject
  shown.set(object, made)
  return made
}

/** A draft of a served kind as it is stored. */
export const asStored = (kind: Kind, draft: Draft): Draft =>
  kind.custom !== undefined ? inStoredVersion(kind, draft) : storedAs(kind, draft)
