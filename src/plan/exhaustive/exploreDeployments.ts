import * as Effect from "effect/Effect"
import { TaggedError } from "effect/Data"
import { withBuiltInSteering } from "../../../machines/steering/steeringStrategies.ts"
import { withBuiltInStrategies } from "../../../machines/strategies/strategies.ts"
import { exploreRollout, whyTooLarge } from "./exploreRollout.ts"
import { toStateInvariant } from "./stateInvariants.ts"
import { exploreSteeredRollout, steeringToExplore } from "./steering/exploreSteeredRollout.ts"
import { OutsideModel } from "./searchStep.ts"
import { defaultedRollouts } from "./defaultedRollouts.ts"
import { ModelTooLarge } from "./modelPodCounts.ts"
import type { ClusterOptions } from "../../cluster/clusterOptions.ts"
import type { LivePods } from "../previous/previousDocuments.ts"
import type { SteeringStrategy } from "../../../machines/steering/steeringStrategy.ts"
import type { Strategy } from "../../../machines/strategies/strategy.ts"
import type { Deployment } from "../../kubernetes/meta/objects.ts"
import type { ManifestDocument } from "../../manifests/manifestDocument.ts"
import type { ManifestsRefused } from "../../manifests/manifestsRefused.ts"
import type { Predicate } from "../predicates.ts"
import type { Exploration } from "./exploreRollout.ts"
import type { DefaultedRollout } from "./defaultedRollouts.ts"

export interface ExploreDeploymentsOptions {
  /** How many Pods may fail, be lost or become unready in one order of events: 0 to 7. */
  readonly failures: number
  /** Beyond this number of states, the search for one Deployment proves nothing. */
  readonly statesMax?: number
  readonly from?: ReadonlyArray<ManifestDocument>
  /** Set if `from` was read from a cluster. */
  readonly livePods?: LivePods
  readonly next: ReadonlyArray<ManifestDocument>
  readonly strategies?: ReadonlyArray<Strategy>
  readonly steering?: ReadonlyArray<SteeringStrategy>
  /** Default: three nodes of the default size. */
  readonly nodes?: ClusterOptions["nodes"]
  /** Conditions that must be true in no state. */
  readonly predicates: ReadonlyArray<Predicate>
}

export interface ExploredRollout extends Exploration {
  readonly namespace: string
  readonly name: string
  readonly isNew: boolean
  readonly strategy: Deployment["spec"]["strategy"]
  readonly steering?: string
  readonly warnings: ReadonlyArray<string>
}

export class CannotExplore extends TaggedError("CannotExplore")<{
  readonly namespace: string
  readonly name: string
  readonly message: string
}> {}

export const exploreDeployments = Effect.fnUntraced(function* (
  options: ExploreDeploymentsOptions
): Effect.fn.Return<ReadonlyArray<ExploredRollout>, CannotExplore | ManifestsRefused> {
  const rollouts = yield* defaultedRollouts(options)
  for (const { from, next } of rollouts) {
    const problem = (from && whyTooLarge(from)) ?? whyTooLarge(next)
    if (problem !== undefined) return yield* cannotExplore(next, problem)
  }
  return yield* Effect.forEach(rollouts, (rollout) => exploreDefaultedRollout(options, rollout))
})

const cannotExplore = ({ metadata: { namespace = "default", name } }: Deployment, message: string) =>
  Effect.fail(new CannotExplore({ namespace, name, message }))

const exploreDefaultedRollout = (
  options: ExploreDeploymentsOptions,
  rollout: DefaultedRollout
): Effect.Effect<ExploredRollout, CannotExplore> =>
  Effect.try({ try: () => searchDefaultedRollout(options, rollout), catch: (error) => error }).pipe(
    Effect.catch((error) =>
      error instanceof OutsideModel || error instanceof ModelTooLarge
        ? cannotExplore(rollout.next, error.message)
        : Effect.die(error)
    )
  )

/** Throws `OutsideModel` and `ModelTooLarge`. */
const searchDefaultedRollout = (
  options: ExploreDeploymentsOptions,
  rollout: DefaultedRollout
): ExploredRollout => {
  const { from, next, warnings } = rollout
  const steeringStrategies = withBuiltInSteering(options.steering)
  const steering = steeringToExplore(from, next, steeringStrategies)
  const model = modelOf(options, rollout)
  const exploration =
    from === undefined || steering === undefined
      ? exploreRollout({ ...model, strategies: withBuiltInStrategies(options.strategies) })
      : exploreSteeredRollout({ ...model, from, strategy: steering, strategies: steeringStrategies })
  const { namespace = "default", name } = next.metadata
  return {
    namespace,
    name,
    isNew: from === undefined,
    strategy: next.spec.strategy,
    ...(steering === undefined ? {} : { steering: steering.name }),
    warnings,
    ...exploration
  }
}

const modelOf = (
  { predicates, failures, statesMax }: ExploreDeploymentsOptions,
  { from, next, shortage }: DefaultedRollout
) => ({
  ...(from === undefined ? {} : { from }),
  next,
  ...(shortage === undefined ? {} : { shortage }),
  failuresMax: failures,
  ...(statesMax === undefined ? {} : { statesMax }),
  // A new Deployment begins without Pods: each condition on too few available Pods would be true.
  invariants: predicates
    .filter(({ measure }) => from !== undefined || measure !== "available")
    .map(toStateInvariant)
})
