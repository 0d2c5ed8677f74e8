import * as Effect from "effect/Effect"
import { noSnapshotParts } from "../snapshotParts.ts"
import type { Scope } from "effect/Scope"
import type { GroupResource } from "../../kubernetes/meta/kinds.ts"
import type { Change, ClusterView } from "../../store/objectStore.ts"
import type { SnapshotParts } from "../snapshotParts.ts"

/**
 * Without a snapshot, first reports the present objects of `initialList` as additions. Source:
 * shared_informer.go (AddEventHandler).
 */
export const runInformer = (
  {
    view,
    snapshotParts = noSnapshotParts
  }: { readonly view: ClusterView["Service"]; readonly snapshotParts?: SnapshotParts | undefined },
  onChange: (change: Change) => void,
  {
    resources,
    initialList = []
  }: {
    readonly resources?: ReadonlyArray<GroupResource>
    readonly initialList?: ReadonlyArray<GroupResource>
  } = {}
): Effect.Effect<void, never, Scope> =>
  Effect.suspend(() => {
    // Controllers are level-triggered and need not see every heartbeat of a node.
    const unsubscribe = view.subscribe(onChange, resources, { skipsHeartbeats: true })
    for (const resource of snapshotParts.isRestored ? [] : initialList) {
      for (const object of view.all(resource)) {
        onChange({ type: "ADDED", resource, object, old: undefined, resourceVersion: 0 })
      }
    }
    return Effect.addFinalizer(() => Effect.sync(unsubscribe))
  })
