import { assign, createMachine, emit, setup } from "xstate"
import { describe, expect, it } from "vitest"
import { makeActors } from "../../src/runtime/actors/actors.ts"
import { makeKernel } from "../../src/runtime/time/kernel.ts"
import type { AnyStateMachine } from "xstate"
import type { KubeObject } from "../../src/kubernetes/meta/objects.ts"
import type { ActorState } from "../../src/runtime/actors/actorState.ts"
import type { Kernel } from "../../src/runtime/time/kernel.ts"
import type { TimerPlace } from "../../src/runtime/time/timerHeap.ts"

const objectCalled = (name: string): KubeObject =>
  ({ apiVersion: "v1", kind: "Pod", metadata: { name, uid: `uid-${name}` } }) as KubeObject

/** A kernel with actors, and what they say when a timer lets them. */
const aWorld = (from?: { readonly nowMillis: number; readonly sequence: number }) => {
  const kernel = makeKernel({ startMillis: from?.nowMillis ?? 0, sequence: from?.sequence })
  const actors = makeActors({ kernel })
  const said: Array<string> = []
  const speak = (uid: string) => (): void => {
    for (const { type } of actors.get(uid)?.takeCommands() ?? [])
      said.push(`${kernel.nowMillis()} ${uid} ${type}`)
  }
  return { kernel, actors, said, speak }
}
type World = ReturnType<typeof aWorld>

const making = (world: World, machine: AnyStateMachine, uid: string) => ({
  machine,
  rank: 10,
  onCommands: world.speak(uid)
})
const placeOf = ({ atMillis, rank, sequence }: TimerPlace): TimerPlace => ({ atMillis, rank, sequence })

/** The same actors in a world that goes on from here. */
const resumed = (world: World, machine: AnyStateMachine, uids: ReadonlyArray<string>): World => {
  const rest = world.kernel.idleState()
  const next = aWorld(rest)
  for (const uid of uids) {
    const state = world.actors.stateOf(uid, placeOf)
    if (state !== undefined) next.actors.restore({ uid, key: uid, ...making(next, machine, uid) }, state)
  }
  return next
}

const waitingFor = (kernel: Kernel): number => kernel.idleState()?.timers ?? -1

/** Says `tock` after 3 s and every 5 s from then on; while it is not asked to hush. */
const ticking = createMachine({
  id: "clock",
  initial: "winding",
  states: {
    winding: { tags: "moving", after: { 3000: { target: "going", actions: emit({ type: "tock" }) } } },
    going: {
      after: { 5000: { target: "going", reenter: true, actions: emit({ type: "tock" }) } },
      on: { hush: "off" }
    },
    off: {}
  }
})

describe("actors that go on elsewhere", () => {
  it("say at the same moments what they would have said, in the same order", () => {
    const first = aWorld()
    for (const name of ["b", "a", "c"]) {
      first.actors.make({ object: objectCalled(name), ...making(first, ticking, `uid-${name}`) })
    }
    first.kernel.advanceTo(1234)
    const second = resumed(first, ticking, ["uid-a", "uid-b", "uid-c"])
    expect(second.actors.movingCount()).toBe(3)
    second.kernel.advanceTo(9000)
    first.kernel.advanceTo(9000)
    expect(second.said).toEqual(first.said)
    expect(second.said.slice(0, 4)).toEqual([
      "3000 uid-b tock",
      "3000 uid-a tock",
      "3000 uid-c tock",
      "8000 uid-b tock"
    ])
    expect(second.actors.movingCount()).toBe(0)
  })

  it("are moved by events before their timers are due, and then those are off", () => {
    const first = aWorld()
    first.actors.make({ object: objectCalled("a"), ...making(first, ticking, "uid-a") })
    first.kernel.advanceTo(4000)
    const second = resumed(first, ticking, ["uid-a"])
    expect(waitingFor(second.kernel)).toBe(1)
    second.actors.get("uid-a")?.send({ type: "hush" })
    expect(waitingFor(second.kernel)).toBe(0)
    second.kernel.advanceTo(60_000)
    expect(second.said).toEqual([])
  })

  it("leave nothing behind when they are stopped before anybody woke them", () => {
    const first = aWorld()
    first.actors.make({ object: objectCalled("a"), ...making(first, ticking, "uid-a") })
    const second = resumed(first, ticking, ["uid-a"])
    second.actors.stop("uid-a")
    expect(waitingFor(second.kernel)).toBe(0)
    expect(second.actors.movingCount()).toBe(0)
    expect(second.actors.get("uid-a")).toBeUndefined()
    expect(waitingFor(first.kernel)).toBe(1)
  })

  it("are as they were when their state is taken once more before anybody woke them", () => {
    const first = aWorld()
    first.actors.make({ object: objectCalled("a"), ...making(first, ticking, "uid-a") })
    first.kernel.advanceTo(500)
    const second = resumed(first, ticking, ["uid-a"])
    const third = resumed(second, ticking, ["uid-a"])
    third.kernel.advanceTo(3000)
    expect(third.said).toEqual(["3000 uid-a tock"])
  })
})

/** Has a child that grows every second, and remembers where it was when it was called away. */
const child = setup({ types: {} as { context: { readonly size: number } } }).createMachine({
  context: { size: 0 },
  initial: "growing",
  states: {
    growing: {
      after: {
        1000: {
          target: "growing",
          reenter: true,
          actions: assign({ size: ({ context }) => context.size + 1 })
        }
      }
    }
  }
})
const parent = setup({
  actors: { child },
  types: {} as { context: { readonly kids: ReadonlyArray<unknown> } }
}).createMachine({
  context: { kids: [] },
  initial: "home",
  entry: assign({ kids: ({ spawn }) => [spawn("child", { id: "kid" })] }),
  states: {
    home: {
      initial: "resting",
      on: { call: "away" },
      states: { resting: { on: { rise: "busy" } }, busy: {}, last: { type: "history" } }
    },
    away: { on: { back: "home.last" } }
  }
})

const sizeOf = (world: World): unknown => {
  const snapshot = world.actors.get("uid-p")?.ref.getSnapshot() as {
    readonly context: { readonly kids: ReadonlyArray<{ getSnapshot: () => { context: { size: number } } }> }
  }
  return snapshot.context.kids[0]?.getSnapshot().context.size
}
const stateOf = (world: World): unknown => {
  const snapshot = world.actors.get("uid-p")?.ref.getSnapshot() as { readonly value: unknown } | undefined
  return snapshot?.value
}

describe("a chart with children and a history", () => {
  const begun = (): { readonly world: World; readonly state: ActorState | undefined } => {
    const world = aWorld()
    const actor = world.actors.make({ object: objectCalled("p"), ...making(world, parent, "uid-p") })
    actor.send({ type: "rise" })
    actor.send({ type: "call" })
    world.kernel.advanceTo(2500)
    return { world, state: world.actors.stateOf("uid-p", placeOf) }
  }

  it("finds both again, and each of its successors has a child of its own", () => {
    const { world } = begun()
    const [second, third] = [resumed(world, parent, ["uid-p"]), resumed(world, parent, ["uid-p"])]
    second.kernel.advanceTo(5999)
    expect([sizeOf(world), sizeOf(second), sizeOf(third)]).toEqual([2, 5, 2])
    second.actors.get("uid-p")?.send({ type: "back" })
    expect(stateOf(second)).toEqual({ home: "busy" })
    expect(stateOf(third)).toEqual("away")
  })

  it("is plain data, of which nobody changes anything afterwards", () => {
    const { world, state } = begun()
    const before = JSON.stringify(state)
    world.kernel.advanceTo(9000)
    resumed(world, parent, ["uid-p"]).actors.get("uid-p")?.send({ type: "back" })
    expect(JSON.stringify(state)).toBe(before)
    expect(state).toEqual(JSON.parse(before))
  })
})
