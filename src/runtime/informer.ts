import * as Effect from "effect/Effect"
import { noMemory } from "./memory.ts"
import type { Scope } from "effect/Scope"
import type { GroupResource } from "../domain/kinds.ts"
import type { Change, ClusterView } from "../store/objectStore.ts"
import type { Memory } from "./memory.ts"

/**
 * Tells of every change as long as the scope lasts; what of some kinds is there already is told of first, as if it had
 * just been added, to whoever begins anew.
 *
 * Source: staging/src/k8s.io/client-go/tools/cache/shared_informer.go (AddEventHandler).
 */
export const inform = (
  {
    view,
    memory = noMemory
  }: { readonly view: ClusterView["Service"]; readonly memory?: Memory | undefined },
  onChange: (change: Change) => void,
  ...present: ReadonlyArray<GroupResource>
): Effect.Effect<void, never, Scope> =>
  Effect.suspend(() => {
    const unsubscribe = view.subscribe(onChange)
    for (const resource of memory.isNew ? present : []) {
      for (const object of view.all(resource)) {
        onChange({ type: "ADDED", resource, object, old: undefined, resourceVersion: 0 })
      }
    }
    return Effect.addFinalizer(() => Effect.sync(unsubscribe))
  })
