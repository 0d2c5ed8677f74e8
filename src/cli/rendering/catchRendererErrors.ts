import * as Effect from "effect/Effect"
import type { Observer } from "../../runtime/observers.ts"
import type { RunRenderer } from "./renderers.ts"

/**
 * Reports errors of a renderer as observer errors, so that the cluster goes on. The two methods that wait on the
 * cluster draw nothing themselves, and need no guard.
 */
export const guardRenderer = (renderer: RunRenderer, observe: Observer): RunRenderer => {
  const guarded = (effect: Effect.Effect<void>): Effect.Effect<void> =>
    Effect.catchDefect(effect, (error) =>
      Effect.sync(
        observe(() => {
          throw error
        })
      )
    )
  return {
    begin: observe(renderer.begin),
    beginStage: (title) => guarded(Effect.suspend(() => renderer.beginStage(title))),
    onApplied: observe(renderer.onApplied),
    onChange: observe(renderer.onChange),
    onRolloutNews: observe(renderer.onRolloutNews),
    onRolloutEnd: observe(renderer.onRolloutEnd),
    waitUntil: renderer.waitUntil,
    endStage: (report) => guarded(Effect.suspend(() => renderer.endStage(report))),
    end: observe(renderer.end),
    renderForever: renderer.renderForever
  }
}
