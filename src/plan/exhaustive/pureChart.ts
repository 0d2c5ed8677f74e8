import { initialTransition, transition } from "xstate"
import type { AnyMachineSnapshot, AnyStateMachine } from "xstate"
import type { Command } from "../../kubernetes/apps/commands.ts"

/** A chart that is run by XState's pure `transition`: events yield commands, and nothing is executed. */
export interface PureChart {
  readonly begin: () => AnyMachineSnapshot
  readonly send: (
    snapshot: AnyMachineSnapshot,
    event: { readonly type: string }
  ) => readonly [AnyMachineSnapshot, ReadonlyArray<Command>]
}

export const makePureChart = (machine: AnyStateMachine): PureChart => {
  const [initial] = initialTransition(machine)
  return {
    begin: () => initial,
    send: (snapshot, event) => {
      const [next, actions] = transition(machine, snapshot, event)
      return [next, actions.flatMap(commandOf)]
    }
  }
}

/** Commands are events that an actor would emit. All other actions are ignored, timers too. */
const commandOf = ({
  type,
  params
}: {
  readonly type: string
  readonly params: unknown
}): ReadonlyArray<Command> =>
  type === "xstate.emit" && typeof params === "object" && params !== null && "event" in params
    ? [params.event as Command]
    : []
