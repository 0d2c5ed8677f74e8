import { initialTransition, transition } from "xstate"
import type { AnyMachineSnapshot, AnyStateMachine } from "xstate"
import type { Command } from "../../kubernetes/apps/commands.ts"

/** A chart that is run by XState's pure `transition`: events yield commands, and nothing is executed. */
export interface PureChart {
  readonly begin: () => AnyMachineSnapshot
  readonly send: (snapshot: AnyMachineSnapshot, event: { readonly type: string }) => PureStep
}

export type PureStep = readonly [
  snapshot: AnyMachineSnapshot,
  commands: ReadonlyArray<Command>,
  timers: ReadonlyArray<PureTimer>
]

/** A timer that a step of the chart has set. */
export interface PureTimer {
  /** `xstate.after.DELAY.STATE`. */
  readonly id: string
  readonly delay: number
}

export const makePureChart = (machine: AnyStateMachine): PureChart => {
  const [initial] = initialTransition(machine)
  return {
    begin: () => initial,
    send: (snapshot, event) => {
      const [next, actions] = transition(machine, snapshot, event)
      return [next, actions.flatMap(commandOf), timersOf(actions)]
    }
  }
}

interface ExecutableAction {
  readonly type: string
  readonly params: unknown
}

/** Commands are events that an actor would emit. */
const commandOf = ({ type, params }: ExecutableAction): ReadonlyArray<Command> =>
  type === "xstate.emit" && typeof params === "object" && params !== null && "event" in params
    ? [params.event as Command]
    : []

/** The timers that were set, without those of states that were left at once. */
const timersOf = (actions: ReadonlyArray<ExecutableAction>): ReadonlyArray<PureTimer> => {
  const timers = new Map<string, PureTimer>()
  for (const { type, params } of actions) {
    if (type === "xstate.cancel") timers.delete((params as { readonly sendId: string }).sendId)
    if (type !== "xstate.raise") continue
    const { id, delay } = params as Partial<PureTimer>
    if (id !== undefined && delay !== undefined) timers.set(id, { id, delay })
  }
  return [...timers.values()]
}
