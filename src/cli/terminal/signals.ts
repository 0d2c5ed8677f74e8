import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"

export interface ShutdownRequest {
  readonly requested: Effect.Effect<void>
  /** Runs `cleanup` synchronously at a signal and at the exit; it may run twice. */
  readonly onExit: (cleanup: () => void) => void
}

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const

/** A terminal, npm and `timeout` signal the process and its group: two signals within this time are one request. */
const sameRequestMillis = 1000

/** A repeated signal ends the process at once. */
export const listenForSignals: Effect.Effect<ShutdownRequest> = Effect.gen(function* () {
  const requested = yield* Deferred.make<void>()
  const cleanups: Array<() => void> = []
  const cleanUp = (): void => {
    for (const cleanup of cleanups) cleanup()
  }
  let firstSignalMillis: number | undefined
  const onSignal = (signal: NodeJS.Signals): void => {
    cleanUp()
    firstSignalMillis ??= performance.now()
    Deferred.doneUnsafe(requested, Effect.void)
    if (performance.now() - firstSignalMillis <= sameRequestMillis) return
    for (const otherSignal of signals) process.off(otherSignal, onSignal)
    process.kill(process.pid, signal)
  }
  for (const signal of signals) process.on(signal, onSignal)
  process.once("exit", cleanUp)
  // Node removes its signal handlers before an idle process exits: a signal would then change the exit code.
  process.once("beforeExit", () => process.exit())
  return { requested: Deferred.await(requested), onExit: (cleanup) => void cleanups.push(cleanup) }
})
