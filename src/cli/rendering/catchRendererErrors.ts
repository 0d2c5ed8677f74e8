import * as Effect from "effect/Effect"
import type { Observer } from "../../runtime/observers.ts"
import type { RunRenderer } from "./renderers.ts"

/**
 * Reports errors of a renderer, so that the cluster goes on. `waitUntil` and `renderForever` only draw in a live
 * renderer, which reports the errors of its drawing itself.
 */
export const catchRendererErrors = (renderer: RunRenderer, observe: Observer): RunRenderer => {
  const withErrorsReported = (effect: Effect.Effect<void>): Effect.Effect<void> =>
    Effect.catchDefect(effect, (error) =>
      Effect.sync(
        observe(() => {
          throw error
        })
      )
    )
  return {
    begin: observe(renderer.begin),
    ...(renderer.keepInSight === undefined ? {} : { keepInSight: observe(renderer.keepInSight) }),
    beginStage: (title) => withErrorsReported(Effect.suspend(() => renderer.beginStage(title))),
    onApplied: observe(renderer.onApplied),
    onChange: observe(renderer.onChange),
    onRolloutNews: observe(renderer.onRolloutNews),
    onRolloutEnd: observe(renderer.onRolloutEnd),
    waitUntil: renderer.waitUntil,
    endStage: (report) => withErrorsReported(Effect.suspend(() => renderer.endStage(report))),
    end: observe(renderer.end),
    renderForever: renderer.renderForever
  }
}
