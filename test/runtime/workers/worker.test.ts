import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { describe, expect, it } from "vitest"
import { makeKernel } from "../../../src/runtime/time/kernel.ts"
import { makeKeyTimers } from "../../../src/runtime/time/keyTimers.ts"
import { makeMailbox } from "../../../src/runtime/workers/mailbox.ts"
import { OnDefect, processMailbox } from "../../../src/runtime/workers/worker.ts"
import type { KeyTimers } from "../../../src/runtime/time/keyTimers.ts"
import type { Mailbox } from "../../../src/runtime/workers/mailbox.ts"

const turnOrder = 10

/** A worker with a mailbox: logs its attempts, and refuses each key so many times. */
const aWorker = (refusals: Readonly<Record<string, number>> = {}) => {
  const kernel = makeKernel({ startMillis: 0 })
  const log: Array<string> = []
  const left = new Map(Object.entries(refusals))
  const scope = Scope.makeUnsafe()
  let mailbox: Mailbox | undefined
  let timers: KeyTimers | undefined
  const attempt = (key: string) =>
    Effect.suspend(() => {
      log.push(`${key} at ${kernel.nowMillis()}`)
      const refused = left.get(key) ?? 0
      left.set(key, refused - 1)
      return refused > 0 ? Effect.fail("refused") : Effect.void
    })
  kernel.run(
    Effect.gen(function* () {
      mailbox = yield* makeMailbox({ kernel, turnOrder })
      timers = yield* makeKeyTimers({ kernel, turnOrder, mailbox })
      yield* processMailbox({ mailbox, attempt })
    }).pipe(Effect.provideService(Scope.Scope, scope))
  )
  kernel.drain()
  if (mailbox === undefined || timers === undefined) throw new Error("the worker has not started")
  const close = (): void => {
    kernel.run(Scope.close(scope, Exit.void))
    kernel.drain()
  }
  return { kernel, log, refuse: (key: string, count: number) => left.set(key, count), mailbox, timers, close }
}

describe("a worker", () => {
  it("with a defect reports it, retries as after a refusal, and continues with other keys", () => {
    const kernel = makeKernel({ startMillis: 0 })
    const log: Array<string> = []
    const scope = Scope.makeUnsafe()
    let left = 2
    const attempt = (key: string) =>
      Effect.sync(() => {
        log.push(`${key} at ${kernel.nowMillis()}`)
        if (key === "bad" && left-- > 0) throw new TypeError("planted")
      })
    const reportDefect = (key: string, cause: Cause.Cause<unknown>) =>
      Effect.sync(() => log.push(`${key}: ${String(Cause.squash(cause))}`))
    kernel.run(
      Effect.gen(function* () {
        const mailbox = yield* makeMailbox({ kernel, turnOrder })
        yield* processMailbox({ mailbox, attempt })
        for (const key of ["a", "bad", "b"]) mailbox.offer(key)
      }).pipe(Effect.provideService(Scope.Scope, scope), Effect.provideService(OnDefect, reportDefect))
    )
    kernel.advanceTo(1000)
    expect(log).toEqual([
      "a at 0",
      "bad at 0",
      "bad: TypeError: planted",
      "b at 0",
      "bad at 5",
      "bad: TypeError: planted",
      "bad at 15"
    ])
  })

  it("retries a key 5 ms after its first failure, then after twice as long each time", () => {
    const { kernel, log, mailbox } = aWorker({ web: 3 })
    mailbox.offer("web")
    kernel.advanceTo(1000)
    expect(log).toEqual(["web at 0", "web at 5", "web at 15", "web at 35"])
  })

  it("counts failures per key, and resets them on success", () => {
    const { kernel, log, mailbox, refuse } = aWorker({ web: 2, db: 1 })
    mailbox.offer("web")
    mailbox.offer("db")
    kernel.advanceTo(100)
    expect(log).toEqual(["web at 0", "db at 0", "web at 5", "db at 5", "web at 15"])
    refuse("web", 1)
    mailbox.offer("web")
    kernel.advanceTo(200)
    expect(log.slice(5)).toEqual(["web at 100", "web at 105"])
  })

  it("does nothing after its scope has ended", () => {
    const { kernel, log, mailbox, close } = aWorker()
    close()
    mailbox.offer("web")
    kernel.advanceTo(1000)
    expect(log).toEqual([])
  })
})

describe("a key's timer", () => {
  it.each<{ why: string; set: (timers: KeyTimers) => void; seen: ReadonlyArray<string> }>([
    {
      why: "a later one replaces an earlier one",
      set: (timers) => {
        timers.after("web", 30)
        timers.after("web", 70)
      },
      seen: ["web at 70"]
    },
    {
      why: "an earlier one replaces a later one",
      set: (timers) => {
        timers.after("web", 70)
        timers.at("web", 30)
      },
      seen: ["web at 30"]
    },
    {
      why: "undefined cancels it, and other keys keep theirs",
      set: (timers) => {
        timers.after("db", 30)
        timers.after("web", 30)
        timers.at("web", undefined)
      },
      seen: ["db at 30"]
    }
  ])("is the last one set: $why", ({ set, seen }) => {
    const { kernel, log, timers } = aWorker()
    set(timers)
    kernel.advanceTo(1000)
    expect(log).toEqual(seen)
  })

  it("is cancelled with its scope", () => {
    const { kernel, timers, close } = aWorker()
    timers.after("web", 30)
    timers.after("db", 50)
    close()
    expect(kernel.nextTimerMillis()).toBe(undefined)
  })
})
