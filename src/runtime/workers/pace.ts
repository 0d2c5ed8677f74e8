import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { sleepTurnOrder } from "../time/kernel.ts"
import type { Key } from "../../kubernetes/meta/objects.ts"
import type { Kernel } from "../time/kernel.ts"
import type { SnapshotParts } from "../snapshotParts.ts"
import type { TimerPlace } from "../time/timerHeap.ts"

/** How fast a controller works. */
export interface Pace {
  /** The delay before each key; set by the supervisor, for the fault of a slow controller. */
  delayMillis: number
  /** How many keys are delayed now; counted here. */
  delayedKeys: number
}

export const Pace = Context.Reference<Pace>("charthouse/runtime/Pace", {
  defaultValue: () => ({ delayMillis: 0, delayedKeys: 0 })
})

/**
 * Makes the delay of each key before it is handled, by the controller's pace when the delay begins. Undefined for a
 * controller that is not slow.
 */
export const delayPerKey = (options: {
  readonly kernel: Kernel
  readonly pace: Pace
  readonly snapshotParts: SnapshotParts
}): ((key: Key) => Effect.Effect<void> | undefined) => {
  const { kernel, pace, snapshotParts } = options
  /** The timer of each delayed key; after a restore, the place it had in the snapshot until the key is taken again. */
  const places = new Map<Key, TimerPlace>()
  snapshotParts.registerPart<ReadonlyArray<readonly [Key, TimerPlace]>>("slowKeys", {
    save: () =>
      places.size === 0
        ? undefined
        : Array.from(places, ([key, place]) => [key, snapshotParts.saveTimerPlace(place)] as const),
    restore: (state) => {
      for (const [key, place] of state) places.set(key, place)
    }
  })
  const delayKey = (key: Key): Effect.Effect<void> =>
    Effect.callback((resume) => {
      const endDelay = (): void => {
        pace.delayedKeys -= 1
        places.delete(key)
      }
      const resumeNow = (): void => {
        endDelay()
        resume(Effect.void)
      }
      const place = places.get(key)
      const timer =
        place === undefined
          ? kernel.after(pace.delayMillis, sleepTurnOrder, resumeNow)
          : kernel.resume(place, resumeNow)
      pace.delayedKeys += 1
      places.set(key, timer)
      return Effect.sync(() => {
        kernel.cancel(timer)
        endDelay()
      })
    })
  return (key) => (pace.delayMillis === 0 && !places.has(key) ? undefined : delayKey(key))
}
