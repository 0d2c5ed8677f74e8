import { groupResourceOf, storedKindOfObject, resources } from "../../../src/kubernetes/meta/kinds.ts"
import type { Change } from "../../../src/store/objectStore.ts"
import type { KubeObject } from "../../../src/kubernetes/meta/objects.ts"

/** A change of an object as the store would report it. */
export const objectChange = (type: Change["type"], object: KubeObject, old?: KubeObject): Change => {
  const kind = storedKindOfObject(object)
  const resource = kind === undefined ? resources.events : groupResourceOf(kind)
  return { type, resource, object, old, resourceVersion: 1 }
}
