import * as Effect from "effect/Effect"
import type { Observer } from "../../runtime/observers.ts"
import type { RunRenderer } from "./renderers.ts"

/** Reports errors of a renderer as observer errors, so that the cluster goes on. */
export const guardRenderer = (show: RunRenderer, observe: Observer): RunRenderer => {
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
    onApplied: observe(show.onApplied),
    onChange: observe(show.onChange),
    onRolloutNews: observe(show.onRolloutNews),
    onRolloutEnd: observe(show.onRolloutEnd),
    waitUntil: show.waitUntil,
    endAct: (report) => guarded(Effect.suspend(() => show.endAct(report))),
    end: observe(show.end),
    renderForever: show.renderForever
  }
}
