import {
  and,
  assign,
  createActor,
  createMachine,
  enqueueActions,
  not,
  setup,
  spawnChild,
  stateIn
} from "xstate"
import { describe, expect, it } from "vitest"
import { ChartNotCompiled, compile, compileIfPossible } from "../../src/compiler/compile.ts"
import type { AnyActorLogic, AnyActorRef, AnyStateMachine } from "xstate"

const at = (on: object, more: object = {}): AnyStateMachine =>
  createMachine({ id: "m", initial: "a", states: { a: { on }, b: { id: "b" } }, ...more })

/** Fails with the reasons for which a machine is not compiled. */
const reasonsOf = (machine: AnyStateMachine): ReadonlyArray<string> => {
  try {
    compile(machine)
  } catch (error) {
    if (error instanceof ChartNotCompiled) return error.reasons
    throw error
  }
  return []
}

describe("a chart is not compiled", () => {
  const named = { guards: { isThere: stateIn({ a: "b" }) } }
  const invoking = { invoke: { src: createMachine({}) } }
  const rows: ReadonlyArray<{ what: string; machine: AnyStateMachine; reasons: ReadonlyArray<string> }> = [
    { what: "without reason", machine: at({ go: "b" }), reasons: [] },
    {
      what: "that invokes",
      machine: createMachine({ id: "m", initial: "a", states: { a: invoking } }),
      reasons: ['invoke in state "m.a"']
    },
    {
      what: "that invokes in its root",
      machine: createMachine({ id: "m", ...invoking }),
      reasons: ['invoke in state "m"']
    },
    {
      what: "that asks for its own state",
      machine: at({ go: { target: "b", guard: stateIn("#b") } }),
      reasons: [`stateIn in state "m.a"`]
    },
    {
      what: "that asks for it among other guards",
      machine: at({ go: { target: "b", guard: and([not(stateIn("#b")), () => true]) } }),
      reasons: [`stateIn in state "m.a"`]
    },
    {
      what: "that asks for it before an eventless transition",
      machine: createMachine({ id: "m", always: { guard: stateIn("#m"), actions: [] } }),
      reasons: [`stateIn in state "m"`]
    },
    {
      what: "that asks for it under a name",
      machine: setup(named as never).createMachine({ id: "m" }),
      reasons: [`stateIn in guard "isThere"`]
    },
    {
      what: "with routes",
      machine: createMachine({
        id: "m",
        initial: "a",
        states: { a: {}, b: { id: "b", route: {} } as object }
      }),
      reasons: ['route in state "b"']
    },
    {
      what: "that spawns an actor which the whole system knows by a name",
      machine: at({ go: { actions: spawnChild(createMachine({}), { systemId: "sys" }) } }),
      reasons: ['spawnChild with systemId in state "m.a"']
    },
    {
      what: "that spawns an actor whose snapshots it gets",
      machine: at({}, { exit: spawnChild(createMachine({}), { id: "kid", syncSnapshot: true }) }),
      reasons: ['spawnChild with syncSnapshot in state "m"']
    },
    {
      what: "with a built-in action that is unknown",
      machine: at({ go: { actions: Object.assign(() => {}, { type: "xstate.new", resolve: () => [] }) } }),
      reasons: ['the action xstate.new in state "m.a"']
    }
  ]

  it.each(rows)("$what", ({ machine, reasons }) => {
    expect(reasonsOf(machine)).toEqual(reasons)
    expect(compileIfPossible(machine) === machine).toBe(reasons.length > 0)
  })

  it("with an error that names the machine", () => {
    const machine = createMachine({ id: "caller", invoke: { src: createMachine({}) } })
    expect(() => compile(machine)).toThrow('the chart "caller" is not compiled: invoke in state "caller"')
  })
})

/** Is interpreted, as it asks for its own state. It tells its parent. */
const interpretedChild = createMachine({
  id: "child",
  initial: "quiet",
  states: {
    quiet: { id: "quiet", on: { ask: { guard: stateIn("#quiet"), target: "told" } } },
    told: {
      entry: ({ self }) => self._parent?.send({ type: "told" }),
      type: "final"
    }
  }
})

const parentOf = (child: AnyActorLogic): AnyStateMachine =>
  setup({ actors: { child: child as never } }).createMachine({
    id: "parent",
    initial: "waiting",
    context: ({ spawn }) => ({ child: (spawn as unknown as Spawn)("child", { id: "child" }) }),
    states: {
      waiting: {
        on: { ask: { actions: ({ context }) => context.child.send({ type: "ask" }) }, told: "told" }
      },
      told: { on: { "xstate.done.actor.child": "over" } },
      over: {}
    }
  })

describe("an interpreted chart", () => {
  it("runs as the child of a compiled one", () => {
    const actor = createActor(compile(parentOf(interpretedChild))).start()
    actor.send({ type: "ask" })
    expect(actor.getSnapshot()).toMatchObject({ value: "over", status: "active" })
  })

  it("has a compiled one as its child, which reaches its parent", () => {
    const child = createMachine({
      initial: "quiet",
      states: { quiet: { on: { ask: "told" } }, told: { type: "final" } },
      exit: ({ self }) => self._parent?.send({ type: "told" })
    })
    const actor = createActor(parentOf(compile(child))).start()
    actor.send({ type: "ask" })
    expect(actor.getSnapshot().value).toBe("over")
  })
})

describe("a compiled chart fails", () => {
  const errorOf = (machine: AnyStateMachine): unknown => {
    let failure: unknown
    const actor = createActor(compile(machine))
    actor.subscribe({ error: (error) => (failure = error) })
    actor.start()
    return failure
  }
  const actors = { child: createMachine({}) }
  const message = "a compiled chart spawns no actor with systemId or syncSnapshot: kid"

  it.each([{ systemId: "sys" }, { syncSnapshot: true }])("if it spawns with %o", (options) => {
    const all = { id: "kid", ...options }
    const assigning = assign(({ spawn }) => ({ kid: (spawn as unknown as Spawn)("child", all) }))
    const enqueuing = enqueueActions(({ enqueue }) => enqueue.spawnChild("child" as never, all as never))
    for (const entry of [assigning, enqueuing]) {
      const machine = setup({ actors } as never).createMachine({ context: {}, entry: entry as never })
      expect(errorOf(machine)).toEqual(new Error(message))
    }
  })

  it("if an action that collects others asks for the chart's state", () => {
    const machine = createMachine({
      id: "m",
      entry: enqueueActions(({ enqueue, check }) => {
        if (check(stateIn("#m"))) enqueue.emit({ type: "there" })
      })
    })
    expect(errorOf(machine)).toEqual(new Error("a compiled chart does not take stateIn"))
  })
})

type Spawn = (src: string, options: object) => AnyActorRef
