import * as Effect from "effect/Effect"
import { noSnapshotMemory } from "../snapshotMemory.ts"
import type { Scope } from "effect/Scope"
import type { GroupResource } from "../../kubernetes/meta/kinds.ts"
import type { Change, ClusterView } from "../../store/objectStore.ts"
import type { SnapshotMemory } from "../snapshotMemory.ts"

/**
 * Calls back on every change until the scope ends. A controller without a snapshot first gets the present objects of
 * the given resources as additions.
 *
 * Source: staging/src/k8s.io/client-go/tools/cache/shared_informer.go (AddEventHandler).
 */
export const runInformer = (
  {
    view,
    memory = noSnapshotMemory
  }: { readonly view: ClusterView["Service"]; readonly memory?: SnapshotMemory | undefined },
  onChange: (change: Change) => void,
  ...initialResources: ReadonlyArray<GroupResource>
): Effect.Effect<void, never, Scope> =>
  Effect.suspend(() => {
    const unsubscribe = view.subscribe(onChange)
    for (const resource of memory.isNew ? initialResources : []) {
      for (const object of view.all(resource)) {
        onChange({ type: "ADDED", resource, object, old: undefined, resourceVersion: 0 })
      }
    }
    return Effect.addFinalizer(() => Effect.sync(unsubscribe))
  })
