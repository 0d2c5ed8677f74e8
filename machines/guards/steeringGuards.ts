import { countText } from "../../src/kubernetes/meta/text/countText.ts"
import { currentRecord, revisionText } from "../../src/kubernetes/steering/steeringObservation.ts"
import { mayDeleteHookJobs, obsoleteHookJobs } from "../../src/kubernetes/steering/hookJobs.ts"
import { strategyAnnotation } from "../../src/kubernetes/steering/steeringNames.ts"
import { isTerminating } from "../../src/kubernetes/meta/deletion.ts"
import { builtInSteering } from "../steering/steeringStrategies.ts"
import { lookAgainGuards } from "../strategies/composeState.ts"
import { explainGuard } from "./guard.ts"
import type { ChartGuard, ExplainedGuard, GuardWording, ObservedNumbers } from "./guard.ts"
import type { SteeringGuard, SteeringStrategy } from "../steering/steeringStrategy.ts"
import type { CommandRefusal } from "../../src/kubernetes/apps/commands.ts"
import type { SteeringObservation } from "../../src/kubernetes/steering/steeringObservation.ts"

export interface SteeringContext {
  readonly seen: SteeringObservation | undefined
}

export type SteeringEvent =
  | { readonly type: "observed"; readonly seen: SteeringObservation }
  | { readonly type: "refused"; readonly refusal: CommandRefusal }

interface SteeringGuardArgs {
  readonly context: SteeringContext
  readonly event: SteeringEvent
}

const holdsAt =
  (predicate: SteeringGuard) =>
  ({ context: { seen } }: SteeringGuardArgs): boolean =>
    seen !== undefined && predicate(seen)

const reasonAt =
  (reason: (seen: SteeringObservation) => string) =>
  ({ context: { seen } }: SteeringGuardArgs): string =>
    seen === undefined ? "nothing has been observed yet" : reason(seen)

const toChartGuard = (predicate: SteeringGuard): ChartGuard<SteeringGuardArgs> =>
  Object.assign(holdsAt(predicate), {
    ...(predicate.words === undefined ? {} : { words: predicate.words }),
    ...(predicate.reason === undefined ? {} : { reason: reasonAt(predicate.reason) })
  })

const steeringGuard = (
  predicate: SteeringGuard,
  words: GuardWording,
  reason: (seen: SteeringObservation) => string
): ExplainedGuard<SteeringGuardArgs> => explainGuard(holdsAt(predicate), words, reasonAt(reason))

const strategyText = ({ strategy }: SteeringObservation): string =>
  `${strategyAnnotation} names ${strategy?.name ?? "no steering chart that can be followed"}`

const choosesGuard = ({ state }: SteeringStrategy): ExplainedGuard<SteeringGuardArgs> =>
  steeringGuard((seen) => seen.strategy?.name === state, `the strategy is ${state}`, strategyText)

/** The guard `STATE` is true if the strategy is chosen, `STATE/DELAY` while that delay is defined. */
export const steeringStrategyGuards = (
  strategies: ReadonlyArray<SteeringStrategy>
): Readonly<Record<string, ChartGuard<SteeringGuardArgs>>> =>
  Object.fromEntries(
    strategies.flatMap((strategy) => [
      [strategy.state, choosesGuard(strategy)] as const,
      ...Object.entries(strategy.guards).map(
        ([name, guard]) => [`${strategy.state}.${name}`, toChartGuard(guard)] as const
      ),
      ...Object.entries(lookAgainGuards(strategy)).map(
        ([name, guard]) => [name, toChartGuard(guard)] as const
      )
    ])
  )

export const steeringGuards = {
  isTerminating: steeringGuard(
    ({ deployment }) => isTerminating(deployment),
    "the Deployment is being deleted",
    ({ deployment }) => `deletionTimestamp ${deployment.metadata.deletionTimestamp ?? "not set"}`
  ),
  isInvalid: steeringGuard(
    ({ problems }) => problems.length > 0,
    "the strategy is invalid",
    ({ problems }) => (problems.length === 0 ? "no problem" : problems.join("; "))
  ),
  hasObsoleteHookJobs: steeringGuard(mayDeleteHookJobs, "Jobs of hooks run whose step is over", (seen) =>
    countText(obsoleteHookJobs(seen).length, "Job")
  ),
  isUnsteered: steeringGuard(({ strategy }) => strategy === undefined, "it has no strategy", strategyText),
  ...steeringStrategyGuards(builtInSteering)
}

export const steeringStepNumbers: ObservedNumbers = (context) => {
  const { seen } = context as SteeringContext
  if (seen === undefined) return []
  const { spec, status } = seen.deployment
  return [
    ["strategy", seen.strategy?.name ?? "none"],
    ["new", seen.newReplicaSet === undefined ? "none" : revisionText(seen.newReplicaSet)],
    ["recorded", currentRecord(seen)?.since ?? "no"],
    ["desired", spec.replicas],
    ["updated", status.updatedReplicas ?? 0],
    ["available", countText(status.availableReplicas ?? 0, "Pod")]
  ]
}
