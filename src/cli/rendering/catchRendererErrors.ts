import * as Effect from "effect/Effect"
import type { ErrorCatcher } from "../../runtime/observers.ts"
import type { RunRenderer } from "./renderers.ts"

/**
 * Reports errors of a renderer, so that the cluster goes on. `waitUntil` and `renderForever` only draw in a live
 * renderer, which reports the errors of its drawing itself.
 */
export const catchRendererErrors = (renderer: RunRenderer, catchErrors: ErrorCatcher): RunRenderer => {
  const withErrorsReported = (effect: Effect.Effect<void>): Effect.Effect<void> =>
    Effect.catchDefect(effect, (error) =>
      Effect.sync(
        catchErrors(() => {
          throw error
        })
      )
    )
  return {
    begin: catchErrors(renderer.begin),
    ...(renderer.keepInSight === undefined ? {} : { keepInSight: catchErrors(renderer.keepInSight) }),
    beginStage: (title) => withErrorsReported(Effect.suspend(() => renderer.beginStage(title))),
    onApplied: catchErrors(renderer.onApplied),
    onChange: catchErrors(renderer.onChange),
    onRolloutNews: catchErrors(renderer.onRolloutNews),
    onRolloutEnd: catchErrors(renderer.onRolloutEnd),
    waitUntil: renderer.waitUntil,
    endStage: (report) => withErrorsReported(Effect.suspend(() => renderer.endStage(report))),
    end: catchErrors(renderer.end),
    renderForever: renderer.renderForever
  }
}
