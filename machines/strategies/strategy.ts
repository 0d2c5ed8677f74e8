import type { RolloutBounds } from "../../src/kubernetes/apps/rolloutBounds.ts"
import type { Deployment, Pod } from "../../src/kubernetes/meta/objects.ts"
import type { ChartGuard } from "../guards/guard.ts"
import type { DeploymentCommands } from "../../src/kubernetes/apps/deploymentCommands.ts"
import type { DeploymentObservation } from "../../src/kubernetes/apps/deploymentObservation.ts"

/**
 * A deployment strategy: a part of the Deployment's chart that reads observations, emits commands and ends when the
 * rollout is complete. Guards and commands are pure functions of the observation.
 */
export interface Strategy {
  readonly type: string
  /** The name of its state in the Deployment's chart. */
  readonly state: string
  readonly guards: Readonly<Record<string, StrategyGuard>>
  readonly commands: Readonly<Record<string, StrategyCommands>>
  /** When its states look again although nothing has changed. */
  readonly delays?: Readonly<Record<string, StrategyDelay>>
  readonly chart: StrategyChart<string, string, string>
  /** Whether it creates the ReplicaSet of a new revision at this observation; the progress region records that. */
  readonly isCreating: StrategyGuard
  /** Creates the ReplicaSet of a new revision during a rollback. By default it is as large as the surge allows. */
  readonly create?: StrategyCommands
  /** Its ceiling and floor. Default: those of `maxSurge` and `maxUnavailable`, if the Deployment has them. */
  readonly bounds?: (deployment: Deployment) => RolloutBounds
  /** Whether no new Pod starts before the last old one is gone. The end of that Pod then wakes the Deployment. */
  readonly stopsOldFirst?: boolean
  /** Whether terminating Pods make no difference to its decisions, so that an exhaustive plan can ignore them. */
  readonly ignoresTerminating?: boolean
  /** Why it creates or removes no more Pods now, for `charthouse explain`. By default nothing is said. */
  readonly sentences?: StrategySentences
}

/** A predicate of an observation. `explainGuard` adds words for drawings and a reason for `charthouse why`. */
export type StrategyGuard = ChartGuard<DeploymentObservation>
/** `pods` are the Deployment's, including finished and terminating ones. */
export type StrategySentences = (
  observation: DeploymentObservation,
  pods: ReadonlyArray<Pod>
) => ReadonlyArray<string>
export type StrategyCommands = (observation: DeploymentObservation) => DeploymentCommands

/**
 * The milliseconds from an observation (`nowMillis`) to the moment for which a state waits; undefined if none is known.
 * Computed from the objects alone, so that a new actor waits for the same moment.
 */
export type StrategyDelay<Observation = DeploymentObservation> = (
  observation: Observation
) => number | undefined

/** A duration in Go's notation: `30s`, `1h30m`. */
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
  /**
   * A steering chart may say how many available Pods its step awaits; other counts do not wake it then. In a state with
   * this tag every change of a count does.
   */
  readonly tags?: "awaitsCounts"
  readonly entry?: ReadonlyArray<Command | SharedCommand>
  readonly always?: ReadonlyArray<{ readonly guard?: Guard; readonly target: string }>
  /**
   * Looks again after a while, unless a change leads to a look before. A name is one of the strategy's `delays`. A
   * fixed duration, in milliseconds or in Go's notation, starts anew at every look: it is for polling. A moment in the
   * past leads to ten looks a second.
   */
  readonly lookAgain?: { readonly after: Delay | GoDuration | number }
}

/** A command that every strategy may name without defining it. */
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
