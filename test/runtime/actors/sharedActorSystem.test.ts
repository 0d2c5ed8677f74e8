import { expect, it } from "vitest"
import { assign, setup } from "xstate"
import { aPod } from "../../builders.ts"
import { makeActors } from "../../../src/runtime/actors/actors.ts"
import { makeKernel } from "../../../src/runtime/time/kernel.ts"
import type { AnyActorRef, AnyMachineSnapshot } from "xstate"

const child = setup({}).createMachine({
  id: "child",
  initial: "waiting",
  states: { waiting: { after: { 1000: "over" } }, over: {} }
})

const parent = setup({
  types: {} as { context: { readonly child: AnyActorRef | undefined } },
  actors: { child },
  actions: {
    begin: assign(({ spawn }) => ({ child: spawn("child", { id: "child" }) })),
    breakDown: () => {
      throw new Error("the chart is broken")
    }
  }
}).createMachine({
  id: "parent",
  context: { child: undefined },
  entry: "begin",
  on: { trap: { actions: "breakDown" } }
})

it.each([
  { why: "that has been told to stop", throws: false },
  { why: "whose chart has thrown", throws: true }
])("an actor of a shared system $why leaves no child running and no timer", ({ throws }) => {
  const kernel = makeKernel({ startMillis: 0 })
  const actors = makeActors({ kernel })
  const options = { machine: () => parent, turnOrder: 1, sharesActorSystem: true, onCommands: () => {} }
  const [actor, other] = ["a", "b"].map((name) =>
    actors.make({ object: aPod({ name }), uid: name, ...options })
  )
  if (actor === undefined || other === undefined) throw new Error("no actors")
  const childOf = ({ ref }: { readonly ref: AnyActorRef }): AnyActorRef | undefined =>
    (ref.getSnapshot() as AnyMachineSnapshot & { readonly context: { readonly child: AnyActorRef } }).context
      .child
  if (throws) expect(() => actor.send({ type: "trap" })).toThrow("the chart is broken")
  actor.stop()
  expect([actor, other].map((it) => childOf(it)?.getSnapshot().status)).toEqual(["stopped", "active"])
  kernel.advanceTo(2000)
  expect([actor, other].map((it) => childOf(it)?.getSnapshot().value)).toEqual(["waiting", "over"])
})
