import * as Effect from "effect/Effect"
import type { ErrorCatcher } from "../../runtime/observers.ts"
import type { RunRenderer } from "./renderers.ts"

/**
 * The cluster must go on after an error. Renderers that draw while rollouts are awaited report the errors of
 * `waitUntil` and `renderForever` themselves.
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
    ...(renderer.showPageAddress === undefined
      ? {}
      : { showPageAddress: catchErrors(renderer.showPageAddress) }),
    showTitle: (title) => withErrorsReported(Effect.suspend(() => renderer.showTitle(title))),
    onApplied: catchErrors(renderer.onApplied),
    onChange: catchErrors(renderer.onChange),
    onRolloutNews: catchErrors(renderer.onRolloutNews),
    onRolloutEnd: catchErrors(renderer.onRolloutEnd),
    waitUntil: renderer.waitUntil,
    showReport: (report) => withErrorsReported(Effect.suspend(() => renderer.showReport(report))),
    end: catchErrors(renderer.end),
    renderForever: renderer.renderForever
  }
}
