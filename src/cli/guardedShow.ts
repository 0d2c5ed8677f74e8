import * as Effect from "effect/Effect"
import type { Observer } from "../runtime/observers.ts"
import type { Show } from "./shows.ts"

/** Reports errors of a renderer as observer errors, so that the cluster goes on. */
export const guardShow = (show: Show, observe: Observer): Show => {
  const guarded = (effect: Effect.Effect<void>): Effect.Effect<void> =>
    Effect.catchDefect(effect, (error) =>
      Effect.sync(
        observe(() => {
          throw error
        })
      )
    )
  return {
    begin: observe(show.begin),
    beginAct: (title) => guarded(Effect.suspend(() => show.beginAct(title))),
    applied: observe(show.applied),
    see: observe(show.see),
    tell: observe(show.tell),
    over: observe(show.over),
    follow: show.follow,
    endAct: (report) => guarded(Effect.suspend(() => show.endAct(report))),
    end: observe(show.end),
    stay: show.stay
  }
}
