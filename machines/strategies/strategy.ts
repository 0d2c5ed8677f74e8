import type { Commands } from "../../src/domain/deploymentCommands.ts"
import type { DeploymentObservation, Fact } from "../../src/domain/observations.ts"

/**
 * The contract of a strategy: a part of the Deployment's chart that is shown observations, emits commands, and is
 * done when nothing is left to do. Guards and commands are pure functions of the observation; the chart names them.
 */
export interface Strategy {
  /** What `spec.strategy.type` says to choose it. */
  readonly type: string
  /** What its state is called in the chart. */
  readonly state: string
  readonly guards: Readonly<Record<string, StrategyGuard>>
  readonly commands: Readonly<Record<string, StrategyCommands>>
  readonly chart: StrategyChart<string, string>
  /** Whether this observation leads it to create the ReplicaSet of a new revision: progress is noted then. */
  readonly isCreating: StrategyGuard
  /**
   * How it creates that ReplicaSet where a rollback needs it before the strategy gets a say; as large as the surge
   * leaves room for where this is left out.
   */
  readonly create?: StrategyCommands
}

export type StrategyGuard = Fact
export type StrategyCommands = (seen: DeploymentObservation) => Commands

/** Entered at `initial` with every observation; a state of type `final` says that the rollout is over. */
export interface StrategyChart<Guard extends string, Command extends string> {
  /** In a sentence, for the drawings. */
  readonly description?: string
  readonly initial: string
  readonly states: Readonly<Record<string, StrategyState<Guard, Command>>>
}

export interface StrategyState<Guard extends string, Command extends string> {
  readonly type?: "final"
  readonly description?: string
  /** Commands that are said when the state is entered, in order. */
  readonly entry?: ReadonlyArray<Command | SharedCommand>
  /** Where to go at once: the first whose guard holds. */
  readonly always?: ReadonlyArray<{ readonly guard?: Guard; readonly target: string }>
}

/** What every strategy may say without bringing it along. */
export type SharedCommand = "reportStatus"

/** Checks, by types, that a chart only names guards and commands it has; `strategyProblems` checks the rest. */
export const defineStrategy = <Guard extends string, Command extends string>(
  strategy: Omit<Strategy, "guards" | "commands" | "chart"> & {
    readonly guards: Readonly<Record<Guard, StrategyGuard>>
    readonly commands: Readonly<Record<Command, StrategyCommands>>
    readonly chart: StrategyChart<NoInfer<Guard>, NoInfer<Command>>
  }
): Strategy => strategy

/** States of the rollout that are there with every strategy; none may be called like one. */
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

/** What keeps strategies from being composed into one chart, in sentences; nothing where they fit. */
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
      ...(Object.values(chart.states).some((it) => it.type === "final") ? [] : [`${name} is never done`])
    ]
  })
