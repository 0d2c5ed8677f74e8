import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { interceptWrites } from "./interceptWrites.ts"
import type { KindRegistry } from "../kubernetes/meta/kinds.ts"
import type { KubeObject } from "../kubernetes/meta/objects.ts"
import type { StoreError } from "./storeErrors.ts"
import type { WriteAttributes } from "./interceptWrites.ts"
import type { ObjectStore } from "./objectStore.ts"

/** Gets the outcome of every write. */
export interface WriteObserver {
  readonly onWrite: (write: WriteAttributes, outcome: KubeObject | StoreError) => void
}

/** The observer of the present fiber's writes, set while an actor performs its commands. */
export const CurrentWriteObserver = Context.Reference<WriteObserver | undefined>("charthouse/store/Acting", {
  defaultValue: () => undefined
})

/** A store that reports the outcome of every write to the observer of its fiber, or else to `fallback`. */
export const observedStore = (
  store: ObjectStore["Service"],
  kinds: KindRegistry,
  fallback: WriteObserver
): ObjectStore["Service"] =>
  interceptWrites(store, kinds, (write, effect) =>
    Effect.flatMap(CurrentWriteObserver, (actorObserver) => {
      const { onWrite } = actorObserver ?? fallback
      return Effect.tapError(
        Effect.tap(effect, (object) => Effect.sync(() => onWrite(write, object))),
        (error) => Effect.sync(() => onWrite(write, error))
      )
    })
  )
