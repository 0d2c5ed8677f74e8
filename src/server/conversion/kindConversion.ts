import { toServedVersion } from "../../kubernetes/customResources/versionConversion.ts"
import { apiVersionOf } from "../../kubernetes/meta/kinds.ts"
import { withCompleteManagedFields } from "../../kubernetes/apply/managedFields/completeManagedFields.ts"
import { convertToServed } from "../../kubernetes/meta/kindConversion.ts"
import type { Kind } from "../../kubernetes/meta/kinds.ts"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"

/** Converted objects by stored object: each is served in at most one other form. */
const conversions = new WeakMap<KubeObject, KubeObject>()

/** Adds managed fields. Most kinds are stored as they are served. */
export const toServedKind = (kind: Kind, stored: KubeObject): KubeObject => {
  const object = withCompleteManagedFields(stored)
  if (kind.custom !== undefined) return toServedVersion(kind, object)
  // For example, events.k8s.io/v1 serves stored v1 Events.
  if (kind.storedAs === undefined || object.apiVersion === apiVersionOf(kind)) return object
  const cached = conversions.get(object)
  if (cached !== undefined) return cached
  const converted = Object.freeze(convertToServed(kind, { ...object })) as unknown as KubeObject
  conversions.set(object, converted)
  return converted
}
