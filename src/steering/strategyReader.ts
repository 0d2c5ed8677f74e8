import * as Effect from "effect/Effect"
import { annotationOf } from "../kubernetes/apps/revisions/revisions.ts"
import { errorText } from "../kubernetes/meta/text/errorText.ts"
import { strategyAnnotation } from "../kubernetes/steering/steeringNames.ts"
import { resources } from "../kubernetes/meta/kinds.ts"
import type { Scope } from "effect/Scope"
import type { ClusterView } from "../store/objectStore.ts"
import type { KubeObject } from "../kubernetes/meta/objects.ts"
import type { StrategyReader } from "./steeringController.ts"
import type { Timeline } from "../runtime/time/timeline.ts"

/** The module is loaded once a process. */
let reader: StrategyReader | undefined

export const loadedStrategyReader = (): StrategyReader | undefined => reader

const loadStrategyReader = async (): Promise<void> => {
  try {
    const { readStrategy } = await import("./decodeStrategy.ts")
    reader = readStrategy
  } catch (error) {
    const message = `cannot be read: ${errorText(error)}`
    reader = () => () => ({ strategy: undefined, problems: [{ message, line: 1, column: 1 }], warnings: [] })
  }
}

/**
 * Loads the reader once a Deployment has a strategy: Effect's schemas and a YAML parser take a quarter of the time in
 * which the library is loaded.
 */
export const loadReaderForStrategies = (
  view: ClusterView["Service"],
  holdWhileLoading: Timeline["holdWhileLoading"]
): Effect.Effect<void, never, Scope> =>
  Effect.suspend(() => {
    const hasStrategy = (object: KubeObject): boolean =>
      annotationOf(object, strategyAnnotation) !== undefined
    if (reader !== undefined) return Effect.void
    // Deployments of a snapshot exist without a change.
    if ([...view.all(resources.deployments)].some(hasStrategy)) {
      holdWhileLoading(loadStrategyReader)
      return Effect.void
    }
    const unsubscribe = view.subscribe(
      ({ object }) => {
        if (!hasStrategy(object)) return
        unsubscribe()
        if (reader === undefined) holdWhileLoading(loadStrategyReader)
      },
      [resources.deployments]
    )
    return Effect.addFinalizer(() => Effect.sync(unsubscribe))
  })
