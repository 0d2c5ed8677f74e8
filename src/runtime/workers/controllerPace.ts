import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { afterControllersTurnOrder } from "../time/kernel.ts"
import type { Key } from "../../kubernetes/meta/objects.ts"
import type { Kernel } from "../time/kernel.ts"
import type { SnapshotParts } from "../snapshotParts.ts"
import type { TimerPlace } from "../time/timerHeap.ts"

/** How much later a controller handles keys, by faults or to see more changes at once. */
export interface ControllerPace {
  delayMillis: number
  delayedKeyCount: number
  /** Each counts changed keys whose actor is woken later. */
  readonly delayedWakeCounters: Set<() => number>
}

export const ControllerPace = Context.Reference<ControllerPace>("charthouse/runtime/ControllerPace", {
  defaultValue: () => makeControllerPace()
})

export const makeControllerPace = (): ControllerPace => ({
  delayMillis: 0,
  delayedKeyCount: 0,
  delayedWakeCounters: new Set()
})

export const delayPerKey = (options: {
  readonly kernel: Kernel
  readonly pace: ControllerPace
  readonly snapshotParts: SnapshotParts
}): ((key: Key) => Effect.Effect<void> | undefined) => {
  const { kernel, pace, snapshotParts } = options
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
        pace.delayedKeyCount -= 1
        places.delete(key)
      }
      const resumeNow = (): void => {
        endDelay()
        resume(Effect.void)
      }
      const place = places.get(key)
      const timer =
        place === undefined
          ? kernel.after(pace.delayMillis, afterControllersTurnOrder, resumeNow)
          : kernel.resume(place, resumeNow)
      pace.delayedKeyCount += 1
      places.set(key, timer)
      return Effect.sync(() => {
        kernel.cancel(timer)
        endDelay()
      })
    })
  return (key) => (pace.delayMillis === 0 && !places.has(key) ? undefined : delayKey(key))
}
