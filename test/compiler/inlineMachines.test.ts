import { assign, createActor, createMachine, setup, spawnChild } from "xstate"
import { describe, expect, it } from "vitest"
import { compile } from "../../src/compiler/compile.ts"
import { startSideBySide } from "./sideBySide.ts"
import type { ChartObserver, Microstep } from "../../src/compiler/macrostep.ts"

const kid = createMachine({
  id: "kid",
  initial: "young",
  states: {
    young: { on: { grow: "old" } },
    old: { entry: ({ self }) => self._parent?.send({ type: "grown" }) }
  }
})

const parent = createMachine({
  id: "parent",
  context: ({ spawn }) => ({ first: spawn(kid, { id: "first" }) }),
  entry: spawnChild(kid, { id: "second" }),
  initial: "waiting",
  on: {
    tell: { actions: ({ self }) => self.getSnapshot().children["second"]?.send({ type: "grow" }) },
    more: { actions: assign({ third: ({ spawn }) => spawn(kid, { id: "third" }) }) }
  },
  states: { waiting: { on: { grown: "over" } }, over: {} }
})

describe("a machine that stands in the chart", () => {
  it("runs as the interpreted one", () => {
    const both = startSideBySide(parent)
    for (const type of ["tell", "more", "tell"]) both.take({ send: { type } })
    expect(both.snapshot().value).toBe("over")
    both.stop()
  })

  it("is compiled, and its microsteps are observed", () => {
    const seen: Array<string> = []
    const onMicrostep = ({ actor, event }: Microstep): void => void seen.push(`${actor.id} ${event.type}`)
    const observer: ChartObserver = { onMicrostep }
    const actor = createActor(compile(parent, observer), { id: "root" }).start()
    actor.send({ type: "tell" })
    expect(seen).toEqual(["second grow", "root tell", "root grown"])
  })
})

describe("the type of a compiled machine", () => {
  it("has the machine's states, context and events", () => {
    const machine = setup({
      types: {} as { context: { count: number }; events: { type: "go"; by: number } }
    }).createMachine({
      context: { count: 0 },
      initial: "a",
      states: {
        a: { on: { go: { target: "b", actions: assign({ count: ({ event }) => event.by }) } } },
        b: {}
      }
    })
    const actor = createActor(compile(machine)).start()
    actor.send({ type: "go", by: 3 })
    const snapshot = actor.getSnapshot()
    const value: "a" | "b" = snapshot.value
    const count: number = snapshot.context.count
    expect([value, count, snapshot.matches("b")]).toEqual(["b", 3, true])
    type Sent = Parameters<typeof actor.send>[0]
    const types: ReadonlyArray<Sent["type"]> = ["go"]
    expect(types).toHaveLength(1)
  })
})
