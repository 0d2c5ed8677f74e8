import type { Deployment, ReplicaSet } from "../../src/kubernetes/meta/objects.ts"
import type { ChartGuard } from "../guards/guard.ts"
import type { SteeringCommands } from "../../src/kubernetes/steering/steeringCommands.ts"
import type { SteeringProblem } from "../../src/kubernetes/steering/stepProblems.ts"
import type { SteeringObservation } from "../../src/kubernetes/steering/steeringObservation.ts"
import type { StrategyChart, StrategyDelay } from "../strategies/strategy.ts"

/**
 * A chart beside a Deployment that Kubernetes' own controller rolls out. It decides which new Pods come into service
 * (readiness gate `charthouse.dev/approved`) and when to roll back. Guards, commands and delays are pure functions of
 * the observation, so that a new actor decides as the one before it.
 */
export interface SteeringStrategy {
  /** The key in the annotation `charthouse.dev/strategy`, and the name of its state in the chart. */
  readonly state: string
  readonly guards: Readonly<Record<string, SteeringGuard>>
  readonly commands: Readonly<Record<string, (observation: SteeringObservation) => SteeringCommands>>
  /** Milliseconds after which a state looks again although nothing has changed. */
  readonly delays?: Readonly<Record<string, StrategyDelay<SteeringObservation>>>
  readonly chart: StrategyChart<string, string, string>
  readonly observedNames?: (settings: unknown) => ObservedNames
  /**
   * How many Pods of a ReplicaSet must be available before the present step ends; undefined if the step waits for none
   * of them. Only this count wakes the chart, unless its state has the tag `awaitsCounts`. Other counts of a status do
   * not, and neither does a Pod that becomes ready or is approved. Guards must read no other count, except to see that
   * the rollout is complete. A state that approves Pods must go on to the state that the next look would choose.
   */
  readonly awaitedPods?: (
    settings: unknown,
    deployment: Deployment,
    replicaSet: ReplicaSet
  ) => number | undefined
  /** Empty if the settings are valid for this Deployment. */
  readonly problems?: (settings: unknown, deployment: Deployment) => ReadonlyArray<SteeringProblem>
  /** Valid settings that are probably a mistake. */
  readonly warnings?: (settings: unknown, deployment: Deployment) => ReadonlyArray<SteeringProblem>
}

export interface ObservedNames {
  readonly services: ReadonlyArray<string>
  readonly jobs: ReadonlyArray<string>
}

export type SteeringGuard = ChartGuard<SteeringObservation>

export const defineSteering = <Guard extends string, Command extends string, Delay extends string = never>(
  strategy: Omit<SteeringStrategy, "guards" | "commands" | "delays" | "chart"> & {
    readonly guards: Readonly<Record<Guard, SteeringGuard>>
    readonly commands: Readonly<Record<Command, (observation: SteeringObservation) => SteeringCommands>>
    readonly delays?: Readonly<Record<Delay, StrategyDelay<SteeringObservation>>>
    readonly chart: StrategyChart<NoInfer<Guard>, NoInfer<Command>, NoInfer<Delay>>
  }
): SteeringStrategy => strategy
