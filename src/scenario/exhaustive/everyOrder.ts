import * as Effect from "effect/Effect"
import { TaggedError } from "effect/Data"
import { builtInStrategies } from "../../../machines/deployment.ts"
import { exploreRollout, tooLarge } from "./exploreRollout.ts"
import { invariantOf } from "./invariants.ts"
import { OutOfScope } from "./step.ts"
import { storedRollouts } from "./storedRollouts.ts"
import { WorldTooLarge } from "./brood.ts"
import type { ClusterOptions } from "../../clusterOptions.ts"
import type { Running } from "../plan/bringUp.ts"
import type { Strategy } from "../../../machines/strategies/strategy.ts"
import type { Deployment } from "../../domain/objects.ts"
import type { ManifestDocument } from "../../manifests/manifest.ts"
import type { ManifestsRefused } from "../../manifests/manifestsRefused.ts"
import type { Predicate } from "../plan/predicates.ts"
import type { Exploration, SmallWorld } from "./exploreRollout.ts"
import type { StoredRollout } from "./storedRollouts.ts"

/** Documents whose rollouts are explored, and how far. */
export interface EveryOrderOptions extends Pick<SmallWorld, "failures" | "statesMax"> {
  readonly from?: ReadonlyArray<ManifestDocument>
  /** Where what runs before is as a cluster has it, and not as somebody would apply it. */
  readonly running?: Running
  readonly next: ReadonlyArray<ManifestDocument>
  /** Beside those that are built in. */
  readonly strategies?: ReadonlyArray<Strategy>
  /** Where its Pods must find room; 3 of the usual size where it is left out. */
  readonly nodes?: ClusterOptions["nodes"]
  /** What must not be in any state: of these only `available` and `pods` can be asked. */
  readonly predicates: ReadonlyArray<Predicate>
}

/** One Deployment of the documents, and what all orders come to. */
export interface ExploredRollout extends Exploration {
  readonly namespace: string
  readonly name: string
  /** It was not there before. */
  readonly isNew: boolean
  readonly strategy: Deployment["spec"]["strategy"]
  /** What must be known of where it leads, a sentence each. */
  readonly warnings: ReadonlyArray<string>
}

/** Why a rollout is not explored. */
export class CannotExplore extends TaggedError("CannotExplore")<{
  readonly namespace: string
  readonly name: string
  readonly message: string
}> {}

/** Explores every order of events for each Deployment in turn; one that is too large is refused before any is. */
export const everyOrder = Effect.fnUntraced(function* (
  options: EveryOrderOptions
): Effect.fn.Return<ReadonlyArray<ExploredRollout>, CannotExplore | ManifestsRefused> {
  const rollouts = yield* storedRollouts(options)
  for (const { from, next } of rollouts) {
    for (const deployment of from === undefined ? [next] : [from, next]) {
      const why = tooLarge(deployment)
      if (why !== undefined) return yield* refused(next, why)
    }
  }
  return yield* Effect.forEach(rollouts, (rollout) => explored(options, rollout))
})

const refused = ({ metadata: { namespace = "default", name } }: Deployment, message: string) =>
  Effect.fail(new CannotExplore({ namespace, name, message }))

const explored = (
  { predicates, failures, statesMax, strategies = [] }: EveryOrderOptions,
  { from, next, shortage, warnings }: StoredRollout
): Effect.Effect<ExploredRollout, CannotExplore> =>
  Effect.try({
    try: () => {
      const exploration = exploreRollout({
        ...(from === undefined ? {} : { from }),
        next,
        ...(shortage === undefined ? {} : { shortage }),
        failures,
        ...(statesMax === undefined ? {} : { statesMax }),
        strategies: [...strategies, ...builtInStrategies],
        // What is new has none available to lose.
        invariants: predicates
          .filter(({ measure }) => from !== undefined || measure !== "available")
          .map(invariantOf)
      })
      const { namespace = "default", name } = next.metadata
      const { strategy } = next.spec
      return { namespace, name, isNew: from === undefined, strategy, warnings, ...exploration }
    },
    catch: (error) => error
  }).pipe(
    Effect.catch((error) =>
      error instanceof OutOfScope || error instanceof WorldTooLarge
        ? refused(next, error.message)
        : Effect.die(error)
    )
  )
