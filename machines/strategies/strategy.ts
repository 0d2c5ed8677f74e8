import type { RolloutBounds } from "../../src/kubernetes/apps/rolloutBounds.ts"
import type { Deployment, Pod } from "../../src/kubernetes/meta/objects.ts"
import type { ChartGuard } from "../guards/guard.ts"
import type { DeploymentCommands } from "../../src/kubernetes/apps/deploymentCommands.ts"
import type { DeploymentObservation } from "../../src/kubernetes/apps/deploymentObservation.ts"

/** A part of the Deployment's chart. Guards and commands are pure functions of the observation. */
export interface Strategy {
  readonly type: string
  /** The name of its state in the Deployment's chart. */
  readonly state: string
  readonly guards: Readonly<Record<string, StrategyGuard>>
  readonly commands: Readonly<Record<string, StrategyCommands>>
  readonly delays?: Readonly<Record<string, StrategyDelay>>
  readonly chart: StrategyChart<string, string, string>
  /** Whether the strategy creates the ReplicaSet of a new revision now, which the chart's progress region records. */
  readonly isCreating: StrategyGuard
  /** Creates the ReplicaSet of a new revision during a rollback; by default as large as the surge allows. */
  readonly create?: StrategyCommands
  /** Default: the bounds of `maxSurge` and `maxUnavailable`. */
  readonly bounds?: (deployment: Deployment) => RolloutBounds
  /** Whether new Pods wait until the last old Pod is gone; the end of that Pod then wakes the Deployment. */
  readonly stopsOldFirst?: boolean
  /** Whether no decision depends on terminating Pods, so that an exhaustive plan can ignore those. */
  readonly ignoresTerminating?: boolean
  /** Why the strategy creates or removes no more Pods now, for `charthouse explain`. */
  readonly sentences?: StrategySentences
}

/** `explainGuard` adds words for drawings and a reason for `charthouse why`. */
export type StrategyGuard = ChartGuard<DeploymentObservation>
/** `pods` include finished and terminating ones. */
export type StrategySentences = (
  observation: DeploymentObservation,
  pods: ReadonlyArray<Pod>
) => ReadonlyArray<string>
export type StrategyCommands = (observation: DeploymentObservation) => DeploymentCommands

/**
 * The milliseconds from `nowMillis` to the moment for which a state waits; undefined if none is known. Computed from
 * objects alone, so that a new actor waits for the same moment.
 */
export type StrategyDelay<Observation = DeploymentObservation> = (
  observation: Observation
) => number | undefined

export type GoDuration = `${number}${"ns" | "us" | "ms" | "s" | "m" | "h"}${string}`

/** Entered at `initial` with every observation. A state of type `final` completes the rollout. */
export interface StrategyChart<Guard extends string, Command extends string, Delay extends string = never> {
  readonly description?: string
  readonly initial: string
  readonly states: Readonly<Record<string, StrategyState<Guard, Command, Delay>>>
}

export interface StrategyState<Guard extends string, Command extends string, Delay extends string = never> {
  readonly type?: "final"
  readonly description?: string
  /** In this state every changed count wakes a steering chart, not only the one that it awaits (`awaitedPods`). */
  readonly tags?: "awaitsCounts"
  readonly entry?: ReadonlyArray<Command | SharedCommand>
  readonly always?: ReadonlyArray<{ readonly guard?: Guard; readonly target: string }>
  /**
   * Looks again after one of the strategy's `delays`, or after a fixed duration (milliseconds or Go's notation) that
   * starts anew at every look. A moment in the past leads to ten looks a second.
   */
  readonly lookAgain?: { readonly after: Delay | GoDuration | number }
}

/** A command that every strategy may name. */
export type SharedCommand = "reportStatus"

/** The types check that a chart names only its own guards, commands and delays; `strategyProblems` checks the rest. */
export const defineStrategy = <Guard extends string, Command extends string, Delay extends string = never>(
  strategy: Omit<Strategy, "guards" | "commands" | "delays" | "chart"> & {
    readonly guards: Readonly<Record<Guard, StrategyGuard>>
    readonly commands: Readonly<Record<Command, StrategyCommands>>
    readonly delays?: Readonly<Record<Delay, StrategyDelay>>
    readonly chart: StrategyChart<NoInfer<Guard>, NoInfer<Command>, NoInfer<Delay>>
  }
): Strategy => strategy
