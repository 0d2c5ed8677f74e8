import type { Deployment, ReplicaSet } from "../../src/kubernetes/meta/objects.ts"
import type { ChartGuard } from "../guards/guard.ts"
import type { SteeringCommands } from "../../src/kubernetes/steering/steeringActions.ts"
import type { SteeringProblem } from "../../src/kubernetes/steering/stepProblems.ts"
import type { SteeringObservation } from "../../src/kubernetes/steering/steeringObservation.ts"
import type { StrategyChart, StrategyDelay } from "../strategies/strategy.ts"

/**
 * A steering chart: it observes a Deployment that Kubernetes' own controller rolls out, and decides which new Pods to
 * let into service (readiness gate `charthouse.dev/approved`) and when to roll the Deployment back. Guards, commands
 * and delays are pure functions of the observation. With every observation the chart starts at `initial`, reaches a
 * state by `always` transitions alone and emits its commands on entry. So a new actor decides as the one before it.
 */
export interface SteeringStrategy {
  /** The key in the annotation `charthouse.dev/strategy`, and the name of its state in the chart. */
  readonly state: string
  readonly guards: Readonly<Record<string, SteeringGuard>>
  readonly commands: Readonly<Record<string, (observation: SteeringObservation) => SteeringCommands>>
  /** Milliseconds after which a state looks again although nothing has changed. */
  readonly delays?: Readonly<Record<string, StrategyDelay<SteeringObservation>>>
  readonly chart: StrategyChart<string, string, string>
  /** The names of the Services and Jobs beside the Deployment that it observes. */
  readonly observedNames?: (settings: unknown) => ObservedNames
  /**
   * How many Pods of a ReplicaSet must be available before the present step ends; undefined if it waits for none of
   * them. A chart with this function does not look at other changes of counts, nor when a Pod becomes ready or is
   * approved, but in states with the tag `awaitsCounts`. It must decide on no count of the Deployment's or a
   * ReplicaSet's status beside these numbers, and that the rollout is complete; and after an approval it must go on
   * as its next look would.
   */
  readonly awaitedPods?: (
    settings: unknown,
    deployment: Deployment,
    replicaSet: ReplicaSet
  ) => number | undefined
  /** Why these settings are invalid for this Deployment; empty if they are valid. */
  readonly problems?: (settings: unknown, deployment: Deployment) => ReadonlyArray<SteeringProblem>
  /** What of valid settings its user hardly means. They are followed all the same. */
  readonly warnings?: (settings: unknown, deployment: Deployment) => ReadonlyArray<SteeringProblem>
}

export interface ObservedNames {
  readonly services: ReadonlyArray<string>
  readonly jobs: ReadonlyArray<string>
}

export type SteeringGuard = ChartGuard<SteeringObservation>

/** The types check that a chart names only its own guards, commands and delays. */
export const defineSteering = <Guard extends string, Command extends string, Delay extends string = never>(
  strategy: Omit<SteeringStrategy, "guards" | "commands" | "delays" | "chart"> & {
    readonly guards: Readonly<Record<Guard, SteeringGuard>>
    readonly commands: Readonly<Record<Command, (observation: SteeringObservation) => SteeringCommands>>
    readonly delays?: Readonly<Record<Delay, StrategyDelay<SteeringObservation>>>
    readonly chart: StrategyChart<NoInfer<Guard>, NoInfer<Command>, NoInfer<Delay>>
  }
): SteeringStrategy => strategy
