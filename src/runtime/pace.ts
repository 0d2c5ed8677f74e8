import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

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

/** What a slow controller takes over an object, before it looks at it. */
export const dawdle = (pace: Pace): Effect.Effect<void> =>
  Effect.suspend(() => {
    pace.underway += 1
    return Effect.ensuring(
      Effect.sleep(pace.millis),
      Effect.sync(() => {
        pace.underway -= 1
      })
    )
  })
