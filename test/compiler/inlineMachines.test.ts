import { assign, createActor, createMachine, setup, spawnChild } from "xstate"
import { describe, expect, it } from "vitest"
import { compile } from "../../src/compiler/compile.ts"
import { startSideBySide } from "./sideBySide.ts"
import type { ChartObserver } from "../../src/compiler/observedMacrostep.ts"

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

  it("is compiled, and its macrosteps are observed when their effects have ended", () => {
    const seen: Array<string> = []
    const observer: ChartObserver = {
      onMacrostep: ({ actor, event, before, microsteps, emitted, status }) => {
        const value = before?.value as string | undefined
        seen.push(`${actor.id} ${event.type} in ${value}: ${microsteps.length}, ${emitted.length}, ${status}`)
      }
    }
    const actor = createActor(compile(parent, observer), { id: "root" }).start()
    actor.send({ type: "tell" })
    expect(seen).toEqual([
      "first xstate.init in undefined: 0, 0, active",
      "second xstate.init in undefined: 0, 0, active",
      "root xstate.init in undefined: 0, 0, active",
      "second grow in young: 1, 0, active",
      "root tell in waiting: 1, 0, active",
      "root grown in waiting: 1, 0, active"
    ])
  })
})

describe("an assignment", () => {
  it("keeps what its function has changed in the context in place, as in XState", () => {
    const counter = createMachine({
      types: {} as { context: { count: number } },
      context: () => ({ count: 0 }),
      on: {
        count: {
          actions: assign(({ context }) => {
            context.count += 1
            return {}
          })
        }
      }
    })
    const both = startSideBySide(counter)
    both.take({ send: { type: "count" } })
    expect(both.snapshot().context).toEqual({ count: 1 })
    both.stop()
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
