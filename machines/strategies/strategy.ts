import type { RolloutBounds } from "../../src/kubernetes/apps/rollingUpdate.ts"
import type { Deployment, Pod } from "../../src/kubernetes/meta/objects.ts"
import type { ChartGuard } from "../guard.ts"
import type { DeploymentCommands } from "../../src/kubernetes/apps/deploymentCommands.ts"
import type { DeploymentObservation } from "../../src/kubernetes/apps/deploymentObservation.ts"

/**
 * A deployment strategy: a part of the Deployment's chart that reads observations, emits commands and ends when the
 * rollout is complete. Guards and commands are pure functions of the observation.
 */
export interface Strategy {
  /** The `spec.strategy.type` that selects it. */
  readonly type: string
  /** The name of its state in the Deployment's chart. */
  readonly state: string
  readonly guards: Readonly<Record<string, StrategyGuard>>
  readonly commands: Readonly<Record<string, StrategyCommands>>
  readonly chart: StrategyChart<string, string>
  /** Whether it creates the ReplicaSet of a new revision at this observation; the progress region records that. */
  readonly isCreating: StrategyGuard
  /** Creates that ReplicaSet during a rollback. By default it is as large as the surge allows. */
  readonly create?: StrategyCommands
  /** Its ceiling and floor. By default those of `maxSurge` and `maxUnavailable`, if the Deployment has them. */
  readonly bounds?: (deployment: Deployment) => RolloutBounds
  /** Whether no new Pod starts before the last old one is gone, which then wakes the Deployment. */
  readonly stopsOldFirst?: boolean
  /** Whether terminating Pods make no difference to it, so that an exhaustive plan need not tell them apart. */
  readonly ignoresTerminating?: boolean
  /** Why it creates or removes no more Pods now, for `charthouse explain`. By default nothing is said. */
  readonly sentences?: StrategySentences
}

/** A predicate of an observation. `explainGuard` adds words for drawings and a reason for `charthouse why`. */
export type StrategyGuard = ChartGuard<DeploymentObservation>
/** `pods` are the Deployment's, finished and terminating ones included. */
export type StrategySentences = (
  observation: DeploymentObservation,
  pods: ReadonlyArray<Pod>
) => ReadonlyArray<string>
/** The commands of one action of the strategy's chart. */
export type StrategyCommands = (observation: DeploymentObservation) => DeploymentCommands

/** Entered at `initial` with every observation. A state of type `final` completes the rollout. */
export interface StrategyChart<Guard extends string, Command extends string> {
  readonly description?: string
  readonly initial: string
  readonly states: Readonly<Record<string, StrategyState<Guard, Command>>>
}

export interface StrategyState<Guard extends string, Command extends string> {
  readonly type?: "final"
  readonly description?: string
  /** Commands that are emitted on entry, in order. */
  readonly entry?: ReadonlyArray<Command | SharedCommand>
  /** Transitions that are taken at once: the first one whose guard holds. */
  readonly always?: ReadonlyArray<{ readonly guard?: Guard; readonly target: string }>
}

/** A command that every strategy may name without defining it. */
export type SharedCommand = "reportStatus"

/** The types check that a chart names only its own guards and commands; `strategyProblems` checks the rest. */
export const defineStrategy = <Guard extends string, Command extends string>(
  strategy: Omit<Strategy, "guards" | "commands" | "chart"> & {
    readonly guards: Readonly<Record<Guard, StrategyGuard>>
    readonly commands: Readonly<Record<Command, StrategyCommands>>
    readonly chart: StrategyChart<NoInfer<Guard>, NoInfer<Command>>
  }
): Strategy => strategy

/** The states of the Deployment's own chart, beside which a strategy's state stands. */
const reservedStates: ReadonlySet<string> = new Set([
  "idle",
  "routing",
  "claiming",
  "renumbering",
  "terminating",
  "paused",
  "rollingBack",
  "scaling",
  "complete"
])

/** Why strategies cannot be composed into one chart; empty if they can. */
export const strategyProblems = (strategies: ReadonlyArray<Strategy>): ReadonlyArray<string> =>
  strategies.flatMap((strategy, index) => {
    const { type, state, chart } = strategy
    const name = `the strategy ${JSON.stringify(type)}`
    const before = strategies.slice(0, index)
    const targets = Object.values(chart.states).flatMap(({ always = [] }) =>
      always.map(({ target }) => target)
    )
    const missing = [chart.initial, ...targets].filter((target) => chart.states[target] === undefined)
    return [
      ...(before.some((it) => it.type === type) ? [`${name} is there twice`] : []),
      ...(reservedStates.has(state) || before.some((it) => it.state === state)
        ? [`${name} calls its state ${JSON.stringify(state)}, which is taken`]
        : []),
      ...missing.map((target) => `${name} goes to ${JSON.stringify(target)}, which its chart does not have`),
      ...(Object.values(chart.states).some((it) => it.type === "final")
        ? []
        : [`${name} has no state of type "final"`])
    ]
  })
