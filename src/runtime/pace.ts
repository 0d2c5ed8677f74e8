import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { sleepRank } from "./kernel.ts"
import type { Key } from "../domain/objects.ts"
import type { Kernel } from "./kernel.ts"
import type { Memory } from "./memory.ts"
import type { TimerPlace } from "./timerHeap.ts"

/** How fast a controller works; its supervisor changes it. */
export interface Pace {
  /** What it takes over each object besides; nearly always nothing. */
  millis: number
  /** Objects that it is taking its time over. */
  underway: number
}

export const Pace = Context.Reference<Pace>("charthouse/runtime/Pace", {
  defaultValue: () => ({ millis: 0, underway: 0 })
})

/** Waits for as long as a slow controller takes over a key before it looks at it, by its pace when that begins. */
export const makeDawdling = (options: {
  readonly kernel: Kernel
  readonly pace: Pace
  readonly memory: Memory
}): ((key: Key) => Effect.Effect<Key>) => {
  const { kernel, pace, memory } = options
  /** When each is looked at: its timer, or where that stood in the world that this one goes on from. */
  const places = new Map<Key, TimerPlace>()
  memory.carry<ReadonlyArray<readonly [Key, TimerPlace]>>("dawdling", {
    save: () =>
      places.size === 0
        ? undefined
        : Array.from(places, ([key, place]) => [key, memory.placeOf(place)] as const),
    restore: (state) => {
      for (const [key, place] of state) places.set(key, place)
    }
  })
  const dawdle = (key: Key): Effect.Effect<Key> =>
    Effect.callback((resume) => {
      const over = (): void => {
        pace.underway -= 1
        places.delete(key)
      }
      const look = (): void => {
        over()
        resume(Effect.succeed(key))
      }
      const place = places.get(key)
      const timer =
        place === undefined ? kernel.after(pace.millis, sleepRank, look) : kernel.resume(place, look)
      pace.underway += 1
      places.set(key, timer)
      return Effect.sync(() => {
        kernel.cancel(timer)
        over()
      })
    })
  return (key) => (pace.millis === 0 && !places.has(key) ? Effect.succeed(key) : dawdle(key))
}
