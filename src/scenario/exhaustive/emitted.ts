import { initialTransition, transition } from "xstate"
import type { AnyMachineSnapshot, AnyStateMachine } from "xstate"
import type { Command } from "../../domain/commands.ts"

/** A chart that is played without an actor: shown something, it says what it would have done, and nothing is run. */
export interface PlayedChart {
  readonly begin: () => AnyMachineSnapshot
  readonly send: (
    snapshot: AnyMachineSnapshot,
    event: { readonly type: string }
  ) => readonly [AnyMachineSnapshot, ReadonlyArray<Command>]
}

export const playChart = (machine: AnyStateMachine): PlayedChart => {
  const [first] = initialTransition(machine)
  return {
    begin: () => first,
    send: (snapshot, event) => {
      const [next, actions] = transition(machine, snapshot, event)
      return [next, actions.flatMap(commandOf)]
    }
  }
}

/** XState hands out what an actor would run; commands are what it would emit. Timers are left alone. */
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
