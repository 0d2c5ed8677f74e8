import { assign, createMachine, emit, setup } from "xstate"
import { describe, expect, it } from "vitest"
import { makeActors } from "../../../src/runtime/actors/actors.ts"
import { makeKernel } from "../../../src/runtime/time/kernel.ts"
import type { AnyStateMachine } from "xstate"
import type { KubeObject } from "../../../src/kubernetes/meta/objects.ts"
import type { ActorState } from "../../../src/runtime/actors/actorState.ts"
import type { Kernel } from "../../../src/runtime/time/kernel.ts"
import type { TimerPlace } from "../../../src/runtime/time/timerHeap.ts"

const objectCalled = (name: string): KubeObject =>
  ({ apiVersion: "v1", kind: "Pod", metadata: { name, uid: `uid-${name}` } }) as KubeObject

/** A kernel with actors, and the commands that they emit. */
const makeKernelWithActors = (from?: { readonly nowMillis: number; readonly sequence: number }) => {
  const kernel = makeKernel({ startMillis: from?.nowMillis ?? 0, sequence: from?.sequence })
  const actors = makeActors({ kernel })
  const emitted: Array<string> = []
  const recordCommands = (uid: string) => (): void => {
    for (const { type } of actors.get(uid)?.takeCommands() ?? [])
      emitted.push(`${kernel.nowMillis()} ${uid} ${type}`)
  }
  return { kernel, actors, emitted, recordCommands }
}
type KernelWithActors = ReturnType<typeof makeKernelWithActors>

const making = (original: KernelWithActors, machine: AnyStateMachine, uid: string) => ({
  machine: () => machine,
  turnOrder: 10,
  onCommands: original.recordCommands(uid)
})
const saveTimerPlace = ({ atMillis, turnOrder, sequence }: TimerPlace): TimerPlace => ({
  atMillis,
  turnOrder,
  sequence
})

/** The same actors in a new kernel that goes on from here. */
const resumed = (
  original: KernelWithActors,
  machine: AnyStateMachine,
  uids: ReadonlyArray<string>
): KernelWithActors => {
  const rest = original.kernel.idleState()
  const next = makeKernelWithActors(rest)
  for (const uid of uids) {
    const state = original.actors.stateOf(uid, saveTimerPlace)
    if (state !== undefined) next.actors.restore({ uid, key: uid, ...making(next, machine, uid) }, state)
  }
  return next
}

const waitingFor = (kernel: Kernel): number => kernel.idleState()?.timerCount ?? -1

/** Emits `tock` after 3 s and then every 5 s until the event `hush`. */
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

describe("actors restored in another kernel", () => {
  it("emit the same commands at the same times in the same order", () => {
    const first = makeKernelWithActors()
    for (const name of ["b", "a", "c"]) {
      first.actors.make({ object: objectCalled(name), ...making(first, ticking, `uid-${name}`) })
    }
    first.kernel.advanceTo(1234)
    const second = resumed(first, ticking, ["uid-a", "uid-b", "uid-c"])
    expect(second.actors.movingCount()).toBe(3)
    second.kernel.advanceTo(9000)
    first.kernel.advanceTo(9000)
    expect(second.emitted).toEqual(first.emitted)
    expect(second.emitted.slice(0, 4)).toEqual([
      "3000 uid-b tock",
      "3000 uid-a tock",
      "3000 uid-c tock",
      "8000 uid-b tock"
    ])
    expect(second.actors.movingCount()).toBe(0)
  })

  it("drop their timers when an event moves them first", () => {
    const first = makeKernelWithActors()
    first.actors.make({ object: objectCalled("a"), ...making(first, ticking, "uid-a") })
    first.kernel.advanceTo(4000)
    const second = resumed(first, ticking, ["uid-a"])
    expect(waitingFor(second.kernel)).toBe(1)
    second.actors.get("uid-a")?.send({ type: "hush" })
    expect(waitingFor(second.kernel)).toBe(0)
    second.kernel.advanceTo(60_000)
    expect(second.emitted).toEqual([])
  })

  it("leave no timer when they are stopped before they are woken", () => {
    const first = makeKernelWithActors()
    first.actors.make({ object: objectCalled("a"), ...making(first, ticking, "uid-a") })
    const second = resumed(first, ticking, ["uid-a"])
    second.actors.stop("uid-a")
    expect(waitingFor(second.kernel)).toBe(0)
    expect(second.actors.movingCount()).toBe(0)
    expect(second.actors.get("uid-a")).toBeUndefined()
    expect(waitingFor(first.kernel)).toBe(1)
  })

  it("leave no timer when all actors are stopped", () => {
    const first = makeKernelWithActors()
    first.actors.make({ object: objectCalled("a"), ...making(first, ticking, "uid-a") })
    const second = resumed(first, ticking, ["uid-a"])
    second.actors.make({ object: objectCalled("b"), ...making(second, ticking, "uid-b") })
    second.actors.stopAll()
    expect([waitingFor(second.kernel), second.actors.movingCount()]).toEqual([0, 0])
    second.kernel.advanceTo(60_000)
    expect(second.emitted).toEqual([])
  })

  it("keep their state when it is saved again before they are woken", () => {
    const first = makeKernelWithActors()
    first.actors.make({ object: objectCalled("a"), ...making(first, ticking, "uid-a") })
    first.kernel.advanceTo(500)
    const second = resumed(first, ticking, ["uid-a"])
    const third = resumed(second, ticking, ["uid-a"])
    third.kernel.advanceTo(3000)
    expect(third.emitted).toEqual(["3000 uid-a tock"])
  })
})

/** Has a size that grows every second. */
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

const sizeOf = (original: KernelWithActors): unknown => {
  const snapshot = original.actors.get("uid-p")?.ref.getSnapshot() as {
    readonly context: { readonly kids: ReadonlyArray<{ getSnapshot: () => { context: { size: number } } }> }
  }
  return snapshot.context.kids[0]?.getSnapshot().context.size
}
const stateOf = (original: KernelWithActors): unknown => {
  const snapshot = original.actors.get("uid-p")?.ref.getSnapshot() as { readonly value: unknown } | undefined
  return snapshot?.value
}

describe("a chart with child actors and a history state", () => {
  const startParent = (): { readonly original: KernelWithActors; readonly state: ActorState | undefined } => {
    const original = makeKernelWithActors()
    const actor = original.actors.make({ object: objectCalled("p"), ...making(original, parent, "uid-p") })
    actor.send({ type: "rise" })
    actor.send({ type: "call" })
    original.kernel.advanceTo(2500)
    return { original, state: original.actors.stateOf("uid-p", saveTimerPlace) }
  }

  it("is restored with both, and each restored actor has a child of its own", () => {
    const { original } = startParent()
    const [second, third] = [resumed(original, parent, ["uid-p"]), resumed(original, parent, ["uid-p"])]
    second.kernel.advanceTo(5999)
    expect([sizeOf(original), sizeOf(second), sizeOf(third)]).toEqual([2, 5, 2])
    second.actors.get("uid-p")?.send({ type: "back" })
    expect(stateOf(second)).toEqual({ home: "busy" })
    expect(stateOf(third)).toEqual("away")
  })

  it("is saved as plain data that later changes do not touch", () => {
    const { original, state } = startParent()
    const before = JSON.stringify(state)
    original.kernel.advanceTo(9000)
    resumed(original, parent, ["uid-p"]).actors.get("uid-p")?.send({ type: "back" })
    expect(JSON.stringify(state)).toBe(before)
    expect(state).toEqual(JSON.parse(before))
  })
})
