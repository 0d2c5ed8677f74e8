import * as Context from "effect/Context"

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
