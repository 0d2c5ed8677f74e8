import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { describe, expect, it } from "vitest"
import { makeKernel } from "../../../src/runtime/time/kernel.ts"
import { makeMailbox } from "../../../src/runtime/workers/mailbox.ts"
import type { HandleKey } from "../../../src/runtime/workers/keyWorker.ts"
import type { Mailbox } from "../../../src/runtime/workers/mailbox.ts"

/** A mailbox with so many workers in a scope. */
const startWorkers = (count: number, handle: HandleKey) => {
  const kernel = makeKernel({ startMillis: 0 })
  const scope = Scope.makeUnsafe()
  let mailbox: Mailbox | undefined
  kernel.run(
    Effect.gen(function* () {
      mailbox = yield* makeMailbox({ kernel, turnOrder: 10 })
      for (let worker = 0; worker < count; worker += 1) yield* Effect.forkScoped(mailbox.work(handle))
    }).pipe(Effect.provideService(Scope.Scope, scope))
  )
  kernel.drain()
  if (mailbox === undefined) throw new Error("the workers have not started")
  return { kernel, mailbox, stop: Scope.close(scope, Exit.void) }
}

describe("workers of a mailbox", () => {
  it("handle other keys while one of them waits, each worker one key at a time", () => {
    const gate = Deferred.makeUnsafe<void>()
    const log: Array<string> = []
    const handle: HandleKey = (key) => {
      log.push(key)
      return key.startsWith("slow") ? Deferred.await(gate) : undefined
    }
    const { kernel, mailbox } = startWorkers(2, handle)
    for (const key of ["slow-1", "a", "slow-2", "b"]) mailbox.offer(key)
    kernel.drain()
    expect(log).toEqual(["slow-1", "a", "slow-2"])
    kernel.run(Deferred.succeed(gate, undefined))
    kernel.drain()
    expect(log).toEqual(["slow-1", "a", "slow-2", "b"])
  })

  it("hand a key out once more that is offered while it is handled, and only then", () => {
    const gate = Deferred.makeUnsafe<void>()
    const log: Array<string> = []
    const handle: HandleKey = (key) => {
      log.push(key)
      return Deferred.await(gate)
    }
    const { kernel, mailbox } = startWorkers(2, handle)
    mailbox.offer("web")
    kernel.drain()
    mailbox.offer("web")
    mailbox.offer("web")
    kernel.drain()
    expect(log).toEqual(["web"])
    kernel.run(Deferred.succeed(gate, undefined))
    kernel.drain()
    expect(log).toEqual(["web", "web"])
  })

  it("that are stopped interrupt what a key has left to do", () => {
    const log: Array<string> = []
    const handle: HandleKey = (key) =>
      Effect.onInterrupt(Effect.never, () => Effect.sync(() => log.push(`${key} is interrupted`)))
    const { kernel, mailbox, stop } = startWorkers(1, handle)
    mailbox.offer("web")
    mailbox.offer("db")
    kernel.drain()
    kernel.run(stop)
    kernel.drain()
    expect(log).toEqual(["web is interrupted"])
  })

  it("that are stopped by the work of a key do no more of it", () => {
    const log: Array<string> = []
    const handle: HandleKey = (key) =>
      Effect.gen(function* () {
        log.push(`${key} begins`)
        kernel.run(Effect.tap(stop, () => Effect.sync(() => log.push("stopped"))))
        yield* Effect.yieldNow
        log.push(`${key} goes on`)
      })
    const { kernel, mailbox, stop } = startWorkers(1, handle)
    mailbox.offer("web")
    mailbox.offer("db")
    kernel.drain()
    expect(log).toEqual(["web begins", "stopped"])
  })
})
