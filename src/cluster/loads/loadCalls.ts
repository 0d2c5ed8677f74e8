import * as Effect from "effect/Effect"
import { behaviourNamed } from "../../behaviours/matchBehaviours.ts"
import { InvalidOptions } from "../../options/invalidOptions.ts"
import { UnknownBehaviour } from "../clusterOptions.ts"
import type { CheckedClusterOptions } from "../clusterOptions.ts"
import type { ClusterService } from "../clusterService.ts"
import type { LoadShares } from "./loadShares.ts"
import type { OutsideMetrics } from "./outsideMetrics.ts"

/** The schema library is loaded at the first call. */
export const loadCalls = (
  { behaviour, behaviours }: Pick<CheckedClusterOptions, "behaviour" | "behaviours">,
  {
    loadShares,
    outsideMetrics
  }: { readonly loadShares: LoadShares; readonly outsideMetrics: OutsideMetrics },
  run: ClusterService["run"]
): Pick<ClusterService, "setLoad" | "loads" | "setMetric"> => ({
  loads: loadShares.accounts,
  setLoad: Effect.fnUntraced(function* (name, load) {
    const isKnown = behaviour.name === name || behaviourNamed(name, behaviours) !== undefined
    if (!isKnown) return yield* new UnknownBehaviour({ behaviour: name })
    const { loadProblems } = yield* loadValidation
    yield* refuseProblems(loadProblems(load))
    yield* run(Effect.sync(() => loadShares.setLoad(name, load)))
  }),
  setMetric: Effect.fnUntraced(function* (metric) {
    const { metricProblems } = yield* loadValidation
    yield* refuseProblems(metricProblems(metric))
    yield* run(Effect.sync(() => outsideMetrics.set(metric)))
  })
})

const loadValidation = Effect.promise(() => import("../../behaviours/load/loadProblems.ts"))

const refuseProblems = (problems: ReadonlyArray<string>): Effect.Effect<void, InvalidOptions> =>
  problems.length === 0 ? Effect.void : Effect.fail(new InvalidOptions({ problems }))
