import { controllerOf } from "../../kubernetes/meta/ownerReferences.ts"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"
import type { TreeView } from "./podRows.ts"

export const objectsView = (objectsByResource: ReadonlyMap<string, ReadonlyArray<KubeObject>>): TreeView => ({
  all: ((resource: string) => objectsByResource.get(resource) ?? []) as TreeView["all"],
  controlled: ((resource: string, uid: string) =>
    (objectsByResource.get(resource) ?? []).filter(
      (it) => controllerOf(it)?.uid === uid
    )) as TreeView["controlled"]
})
