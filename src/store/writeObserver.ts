import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { interceptWrites } from "./interceptWrites.ts"
import type { KindRegistry } from "../kubernetes/meta/kinds.ts"
import type { KubeObject } from "../kubernetes/meta/objects.ts"
import type { StoreError } from "./storeErrors.ts"
import type { WriteAttributes } from "./interceptWrites.ts"
import type { ObjectStore } from "./objectStore.ts"

export interface WriteObserver {
  readonly onWrite: (write: WriteAttributes, outcome: KubeObject | StoreError) => void
}

/** `writeObserver` receives the writes of the commands that a worker performs now. */
export interface WritesInProgress {
  readonly writeObserver: WriteObserver | undefined
}

/** The value of the current fiber, set by the workers that perform the commands of actors. */
export const CurrentWritesInProgress = Context.Reference<WritesInProgress | undefined>(
  "charthouse/store/CurrentWritesInProgress",
  { defaultValue: () => undefined }
)

/** A store that reports the outcome of every write to the observer of its fiber, or else to `fallback`. */
export const observedStore = (
  store: ObjectStore["Service"],
  kinds: KindRegistry,
  fallback: WriteObserver
): ObjectStore["Service"] =>
  interceptWrites(store, kinds, (write, effect) =>
    Effect.withFiber((fiber) => {
      const observer = fiber.getRef(CurrentWritesInProgress)?.writeObserver ?? fallback
      return Effect.matchCauseEffect(effect, {
        onSuccess: (object) => {
          observer.onWrite(write, object)
          return Effect.succeed(object)
        },
        onFailure: (cause) => {
          const error = Cause.findErrorOption(cause)
          if (Option.isSome(error)) observer.onWrite(write, error.value)
          return Effect.failCause(cause)
        }
      })
    })
  )
