import { enqueueActions } from "xstate"
import type { EventObject, MachineContext } from "xstate"

/** An action that emits commands, one by one, which are computed from its context and event. */
export const emitEach = <
  Context extends MachineContext,
  Event extends EventObject,
  Command extends EventObject
>(
  commandsAt: (args: { readonly context: Context; readonly event: Event }) => ReadonlyArray<Command>
) =>
  enqueueActions<Context, Event, undefined, Event, never, never, never, never, Command>(
    ({ context, event, enqueue }) => {
      for (const command of commandsAt({ context, event })) enqueue.emit(command)
    }
  )
