import { assign, createActor, enqueueActions, sendParent, setup } from "xstate"
import type { AnyStateMachine, InspectionEvent } from "xstate"

/** A container that says when it is up, and comes to an end when told to. */
const cargo = setup({ actions: { sayUp: sendParent({ type: "up" }) } }).createMachine({
  id: "cargo",
  initial: "stowed",
  states: {
    stowed: { on: { lift: { target: "up", actions: "sayUp" } } },
    up: { on: { drop: "dropped" } },
    dropped: { type: "final" }
  }
})

/** A ship that takes on one piece of cargo, may throw while it works, and may change its mind at once. */
export const ship = setup({
  actors: { cargo },
  guards: { isManned: ({ context }) => context.crew > 0 },
  actions: {
    load: assign(({ spawn }) => {
      spawn("cargo", { id: "crate" })
      return {}
    }),
    loadAndUnload: enqueueActions(({ enqueue }) => {
      enqueue.spawnChild("cargo", { id: "barrel" })
      enqueue.stopChild("barrel")
    }),
    see: assign({ seen: ({ event }) => event["seen"] }),
    sink: () => {
      throw new Error("struck a rock")
    }
  }
}).createMachine({
  id: "ship",
  context: { port: "Turku", crew: 3, seen: undefined },
  initial: "moored",
  states: {
    moored: {
      tags: "still",
      on: {
        load: { guard: "isManned", actions: "load" },
        loadAndUnload: { actions: "loadAndUnload" },
        observed: { actions: "see" },
        up: "sailing"
      }
    },
    sailing: { on: { sink: { actions: "sink" }, arrive: "moored" } }
  }
})

/** Starts an actor under an id, with its failures observed, as the runtime does. */
export const launch = (
  id: string,
  inspect: (event: InspectionEvent) => void,
  chart: AnyStateMachine = ship
) => {
  const actor = createActor(chart, { id, inspect })
  const failures: Array<unknown> = []
  actor.subscribe({ error: (error) => failures.push(error) })
  actor.start()
  return {
    actor,
    failures,
    lift: () => actor.getSnapshot().children["crate"]?.send({ type: "lift" })
  }
}
