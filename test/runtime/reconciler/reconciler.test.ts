import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { emit, setup } from "xstate"
import { aManifest, namespaceManifest } from "../../builders.ts"
import { makeActors } from "../../../src/runtime/actors/actors.ts"
import { makeKernel } from "../../../src/runtime/time/kernel.ts"
import { reconcile } from "../../../src/runtime/reconciler/reconciler.ts"
import { toCommandRefused } from "../../../src/runtime/reconciler/controller.ts"
import { retryDelayMillis } from "../../../src/runtime/workers/worker.ts"
import { BadRequest } from "../../../src/store/storeErrors.ts"
import { makeMemoryStore } from "../../../src/store/memoryStore.ts"
import type { KubeObject } from "../../../src/kubernetes/meta/objects.ts"
import type { Controller, WakeOptions } from "../../../src/runtime/reconciler/controller.ts"

const machine = setup({
  types: {} as {
    events: { readonly type: "observed"; readonly seen: string } | { readonly type: "refused" }
    emitted: { readonly type: "lookAgain" } | { readonly type: "removePod" }
  },
  actions: {
    say: emit({ type: "removePod" }),
    breakDown: () => {
      throw new Error("the chart is broken")
    }
  }
}).createMachine({
  id: "toy",
  initial: "well",
  states: {
    well: {
      tags: "isWell",
      on: {
        observed: [{ guard: ({ event }) => event.seen === "trap", actions: "breakDown" }, { actions: "say" }]
      }
    }
  }
})

type Hook = (object: KubeObject, times: number) => void

/** ConfigMaps with a controller that obeys the hooks, and a log of its commands. */
const testController = (hooks: {
  look?: Hook
  decide?: Hook
  perform?: Hook
  refuses?: (times: number) => boolean
  wakeOptions?: () => WakeOptions
  sharesActorSystem?: boolean
}) => {
  const kernel = makeKernel({ startMillis: 0 })
  const { store, view } = makeMemoryStore({ nowMillis: kernel.nowMillis, seed: 1 })
  const actors = makeActors({ kernel })
  const log: Array<string> = []
  const defects: Array<string> = []
  const counts = new Map<string, number>()
  const times = (what: string): number => {
    counts.set(what, (counts.get(what) ?? 0) + 1)
    return counts.get(what) ?? 0
  }
  const controller: Controller<"configmaps"> = {
    resource: "configmaps",
    turnOrder: 10,
    machine: () => machine,
    sharesActorSystem: hooks.sharesActorSystem ?? false,
    batchMillis: 1000,
    watches: ["configmaps"],
    wakeActors: ({ resource, object }, wake) => {
      if (resource !== "configmaps") return
      wake(`${object.metadata.namespace}/${object.metadata.name}`, hooks.wakeOptions?.())
    },
    look: (object) => {
      const { name } = object.metadata
      hooks.look?.(object, times(`look ${name}`))
      let trapped = false
      try {
        hooks.decide?.(object, times(`decide ${name}`))
      } catch {
        trapped = true
      }
      return trapped ? "trap" : "fine"
    },
    perform: (object) =>
      Effect.suspend(() => {
        const { name } = object.metadata
        const count = times(`perform ${name}`)
        hooks.perform?.(object, count)
        if (hooks.refuses?.(count) === true) {
          return Effect.fail(toCommandRefused("removePod")(new BadRequest({ why: "not now" })))
        }
        log.push(`${name} at ${kernel.nowMillis()}`)
        return Effect.void
      })
  }
  const onDefect = (object: KubeObject, cause: Cause.Cause<unknown>): Effect.Effect<void> =>
    Effect.sync(() => {
      const error = Cause.squash(cause)
      defects.push(`${object.metadata.name}: ${error instanceof Error ? error.message : String(error)}`)
    })
  kernel.run(
    Effect.scoped(Effect.andThen(reconcile(controller, { kernel, view, actors, onDefect }), Effect.never))
  )
  const put = (name: string, value: string): void => {
    kernel.run(
      Effect.orDie(
        Effect.catch(
          store.modify({ resource: "configmaps", key: `default/${name}` }, (object) => ({
            ...object,
            data: { value }
          })),
          () => store.create(aManifest("ConfigMap", { name }))
        )
      )
    )
  }
  kernel.run(Effect.orDie(store.create(namespaceManifest("default"))))
  kernel.drain()
  const remove = (name: string): void => {
    kernel.run(Effect.orDie(store.delete({ resource: "configmaps", key: `default/${name}` })))
  }
  return { kernel, actors, log, defects, put, remove }
}

const failsOnce =
  (name: string): Hook =>
  (object, times) => {
    if (object.metadata.name === name && times === 1) throw new Error("planted")
  }

it("wakes an actor for a tag only while its chart is in a state with the tag, and then if it is needed", () => {
  let wakeOptions: WakeOptions = { tag: "isWell" }
  const { kernel, log, put } = testController({ wakeOptions: () => wakeOptions })
  const putAt = (millis: number, options: WakeOptions): void => {
    kernel.advanceTo(millis)
    wakeOptions = options
    put("a", `at ${millis}`)
  }
  const isNotNeeded = (): boolean => false
  const neverAsked = (): never => {
    throw new Error("asked without the tag")
  }
  // There is no actor yet.
  putAt(0, { tag: "isWell" })
  putAt(1000, {})
  putAt(2000, { tag: "isWell" })
  putAt(3000, { tag: "isIll", isNeeded: neverAsked })
  putAt(4000, { tag: "isWell", isNeeded: isNotNeeded })
  putAt(5000, { isNeeded: isNotNeeded })
  putAt(6000, { tag: "isWell", isNeeded: () => true })
  kernel.advanceTo(7000)
  expect(log).toEqual(["a at 1000", "a at 2000", "a at 6000"])
})

it("wakes an actor later, at the time of its first delayed wake, unless it has seen everything by then", () => {
  let wakeOptions: WakeOptions = {}
  const { kernel, log, put } = testController({ wakeOptions: () => wakeOptions })
  const putAt = (millis: number, options: WakeOptions): void => {
    kernel.advanceTo(millis)
    wakeOptions = options
    put("a", `at ${millis}`)
  }
  const later = { isBatched: true }
  putAt(0, later)
  putAt(700, later)
  // The wake at 2000 stays in the queue: it sees what changes after the look at 1300.
  putAt(1000, later)
  putAt(1300, {})
  putAt(1600, later)
  putAt(2500, later)
  putAt(2600, {})
  kernel.advanceTo(9000)
  expect(log).toEqual(["a at 1000", "a at 1300", "a at 2000", "a at 2600"])
})

describe("a defect", () => {
  const rows = [
    { where: "look", hooks: { look: failsOnce("bad") }, said: "bad: planted" },
    { where: "chart", hooks: { decide: failsOnce("bad") }, said: "bad: the chart is broken" },
    { where: "perform", hooks: { perform: failsOnce("bad") }, said: "bad: planted" }
  ]
  const cases = rows.flatMap((row) => [
    { ...row, sharesActorSystem: false, of: "an actor with a system of its own" },
    { ...row, sharesActorSystem: true, of: "an actor of a shared system" }
  ])
  for (const { where, of, sharesActorSystem, hooks, said } of cases) {
    it(`in ${where} of ${of} discards that actor alone, which is recreated after back-off`, () => {
      const { kernel, log, defects, put, actors } = testController({ ...hooks, sharesActorSystem })
      put("bad", "1")
      put("good", "1")
      kernel.advanceTo(1000)
      expect(defects).toEqual([said])
      expect(log).toEqual(["good at 0", `bad at ${retryDelayMillis(0)}`])
      expect([...actors.all()]).toHaveLength(2)
    })
  }

  it("that recurs is met with growing back-off, and does not affect other actors", () => {
    const { kernel, log, defects, put } = testController({
      look: (object) => {
        if (object.metadata.name === "bad") throw new Error("planted")
      }
    })
    put("bad", "1")
    kernel.advanceTo(10_000)
    // Back-off doubles from 5 ms: at 5, 15, 35, … 5115 ms, the next at 10235 ms.
    expect(defects).toHaveLength(11)
    put("good", "1")
    kernel.advanceTo(10_001)
    expect(log).toEqual(["good at 10000"])
  })
})

describe("a deleted object", () => {
  it.each([
    { why: "and no successor", namesake: false, left: 0, sharesActorSystem: false },
    { why: "and a successor of its name at once", namesake: true, left: 1, sharesActorSystem: false },
    { why: "and no successor in the shared system", namesake: false, left: 0, sharesActorSystem: true },
    { why: "and a successor in the shared system at once", namesake: true, left: 1, sharesActorSystem: true }
  ])("leaves no actor behind, $why", ({ namesake, left, sharesActorSystem }) => {
    const { kernel, actors, put, remove } = testController({ sharesActorSystem })
    put("web", "1")
    kernel.drain()
    const [former] = [...actors.all()].map(({ uid }) => uid)
    remove("web")
    if (namesake) put("web", "2")
    kernel.drain()
    const uids = [...actors.all()].map(({ uid }) => uid)
    expect(uids).toHaveLength(left)
    expect(uids).not.toContain(former)
  })
})

describe("a mailbox", () => {
  it("merges many changes of an object that is being worked on into one look", () => {
    const { kernel, log, put } = testController({})
    put("web", "0")
    kernel.drain()
    for (let value = 1; value <= 10; value += 1) put("web", String(value))
    kernel.drain()
    expect(log).toEqual(["web at 0", "web at 0"])
  })
})

describe("a refused command", () => {
  it("is retried with back-off until it succeeds", () => {
    const { kernel, log, put, defects } = testController({ refuses: (times) => times <= 3 })
    put("web", "1")
    kernel.advanceTo(1000)
    expect(log).toEqual([`web at ${5 + 10 + 20}`])
    expect(defects).toEqual([])
  })

  it("is retried at once by a wake that only retries, which wakes no other actor", () => {
    let wakeOptions: WakeOptions = {}
    const { kernel, log, put } = testController({
      refuses: (times) => times <= 3,
      wakeOptions: () => wakeOptions
    })
    put("web", "1")
    kernel.advanceTo(20)
    wakeOptions = { onlyIfRetrying: true }
    put("web", "2")
    kernel.advanceTo(1000)
    // The last of its back-offs still ends.
    expect(log).toEqual(["web at 20", "web at 35"])
    put("web", "3")
    kernel.advanceTo(2000)
    expect(log).toHaveLength(2)
  })

  it("keeps its next retry when a change leads to another refusal: 5, 15, a change at 20, then 35 and not 20 + 40", () => {
    const { kernel, log, put } = testController({ refuses: (times) => times <= 4 })
    put("web", "1")
    kernel.advanceTo(20)
    put("web", "2")
    kernel.advanceTo(1000)
    expect(log).toEqual(["web at 35"])
  })

  it("waits a thousand seconds at most", () => {
    expect([0, 1, 10, 17, 18, 400].map(retryDelayMillis)).toEqual([
      5, 10, 5120, 655_360, 1_000_000, 1_000_000
    ])
  })
})
