import * as Effect from "effect/Effect"
import type { Scope } from "effect/Scope"
import type { GroupResource } from "../domain/kinds.ts"
import type { Change, ClusterView } from "../store/objectStore.ts"

/**
 * Tells of every change as long as the scope lasts; what of some kinds is there already is told of first, as if it had
 * just been added.
 *
 * Source: staging/src/k8s.io/client-go/tools/cache/shared_informer.go (AddEventHandler).
 */
export const inform = (
  view: ClusterView["Service"],
  onChange: (change: Change) => void,
  ...present: ReadonlyArray<GroupResource>
): Effect.Effect<void, never, Scope> =>
  Effect.suspend(() => {
    const unsubscribe = view.subscribe(onChange)
    for (const resource of present) {
      for (const object of view.all(resource)) {
        onChange({ type: "ADDED", resource, object, old: undefined, resourceVersion: 0 })
      }
    }
    return Effect.addFinalizer(() => Effect.sync(unsubscribe))
  })
