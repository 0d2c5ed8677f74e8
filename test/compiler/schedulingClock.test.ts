import { cancel, createActor, createMachine, emit, raise, sendParent } from "xstate"
import { describe, expect, it } from "vitest"
import { compile } from "../../src/compiler/compile.ts"
import type { AnyActorRef, EventObject } from "xstate"
import type { SchedulingClock } from "../../src/compiler/schedulingClock.ts"

interface Delayed {
  readonly source: AnyActorRef
  readonly target: AnyActorRef
  readonly event: EventObject
  readonly id: string | undefined
}

/** A clock that keeps events until the test lets them go. */
const aClock = () => {
  let delayed: ReadonlyArray<Delayed> = []
  const clock: SchedulingClock & { setTimeout: () => never; clearTimeout: () => never } = {
    schedule: (source, target, event, _delay, id) => {
      delayed = [...delayed, { source, target, event, id }]
    },
    cancel: (source, id) => {
      delayed = delayed.filter((it) => it.source !== source || it.id !== id)
    },
    cancelAll: (source) => {
      delayed = delayed.filter((it) => it.source !== source)
    },
    setTimeout: () => {
      throw new Error("XState has scheduled an event")
    },
    clearTimeout: () => {
      throw new Error("XState has cancelled an event")
    }
  }
  const waiting = (): ReadonlyArray<string> =>
    delayed.map(({ source, event }) => `${source.id}: ${event.type}`)
  const elapse = (): void => {
    const due = delayed
    delayed = []
    for (const { target, event } of due) target.send(event)
  }
  return { clock, waiting, elapse }
}

const kid = createMachine({
  id: "kid",
  initial: "young",
  states: {
    young: { after: { 1000: { target: "old", actions: sendParent({ type: "grown" }) } } },
    old: {}
  }
})

const machine = createMachine({
  id: "parent",
  context: ({ spawn }) => ({ kid: spawn(kid, { id: "kid" }) }),
  initial: "waiting",
  entry: raise({ type: "remind" }, { delay: 500, id: "reminder" }),
  on: {
    forget: { actions: cancel("reminder") },
    fail: {
      actions: () => {
        throw new Error("a chart fails")
      }
    }
  },
  states: {
    waiting: { after: { 2000: "late" }, on: { grown: "happy", end: "over" } },
    happy: {},
    late: {},
    over: { type: "final" }
  }
})

const start = () => {
  const events = aClock()
  const actor = createActor(compile(machine), { id: "root", clock: events.clock })
  actor.subscribe({ error: () => {} })
  return { ...events, actor: actor.start() }
}

describe("a clock that keeps the delayed events of charts", () => {
  it("gets those of an actor and of its children, and none goes to XState's scheduler", () => {
    const { actor, waiting } = start()
    expect([...waiting()].sort()).toEqual([
      "kid: xstate.after.1000.kid.young",
      "root: remind",
      "root: xstate.after.2000.parent.waiting"
    ])
    expect(actor.system.getSnapshot()._scheduledEvents).toEqual({})
  })

  it("sends them to their actors", () => {
    const { actor, waiting, elapse } = start()
    elapse()
    expect(actor.getSnapshot().value).toBe("happy")
    expect(waiting()).toEqual([])
  })

  it("is told of each that a state cancels when it is left", () => {
    const { actor, waiting } = start()
    actor.send({ type: "grown" })
    expect([...waiting()].sort()).toEqual(["kid: xstate.after.1000.kid.young", "root: remind"])
    actor.send({ type: "forget" })
    expect(waiting()).toEqual(["kid: xstate.after.1000.kid.young"])
  })

  it.each([
    { how: "reaches its final state", events: [{ type: "end" }], left: [] },
    { how: "is stopped", events: [], left: [] },
    // XState does not stop the children of an actor that throws either.
    { how: "throws", events: [{ type: "fail" }], left: ["kid: xstate.after.1000.kid.young"] }
  ])("keeps none of an actor that $how", ({ events, left }) => {
    const { actor, waiting } = start()
    for (const event of events) actor.send(event)
    if (events.length === 0) actor.stop()
    expect(waiting()).toEqual(left)
  })
})

describe("a clock that gets what charts emit", () => {
  it("gets it before the listeners of the actor, and of its children", () => {
    const heard: Array<string> = []
    const speaker = createMachine({ id: "speaker", on: { speak: { actions: emit({ type: "word" }) } } })
    const family = createMachine({
      id: "family",
      context: ({ spawn }) => {
        const child = spawn(speaker, { id: "child" })
        child.on("word", () => heard.push("listener of child"))
        return { child }
      },
      on: { speak: { actions: [({ context, event }) => context.child.send(event), emit({ type: "word" })] } }
    })
    const clock = {
      ...aClock().clock,
      emitted: (source: AnyActorRef, { type }: EventObject) => void heard.push(`${source.id}: ${type}`)
    }
    const actor = createActor(compile(family), { id: "root", clock })
    actor.on("*", () => heard.push("listener of root"))
    actor.start().send({ type: "speak" })
    expect(heard).toEqual(["child: word", "listener of child", "root: word", "listener of root"])
  })
})
