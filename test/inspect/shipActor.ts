import { assign, createActor, enqueueActions, sendParent, setup } from "xstate"
import type { AnyStateMachine, InspectionEvent } from "xstate"

/** A child actor that reports when it is up, and ends on `drop`. */
const cargo = setup({ actions: { sayUp: sendParent({ type: "up" }) } }).createMachine({
  id: "cargo",
  initial: "stowed",
  states: {
    stowed: { on: { lift: { target: "up", actions: "sayUp" } } },
    up: { on: { drop: "dropped" } },
    dropped: { type: "final" }
  }
})

/** A parent actor that spawns a child, may throw in an action, and may stop a child at once. */
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

/** Starts an actor with observed failures, as the runtime does. */
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
