import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"

/** How a process that stays is asked to go. */
export interface Leaving {
  /** Ends when somebody asks. */
  readonly asked: Effect.Effect<void>
  /** What is put right before the process goes, whatever ends it: in the very turn in which it is asked. */
  readonly before: (putRight: () => void) => void
}

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const

/** `timeout`, npm and a terminal tell the process and its group of one wish: that is two signals. */
const sameWishMillis = 1000

/**
 * Hears the signals until the process ends. The first is a request; those that come at once after it are the same one,
 * and a later one ends the process there and then.
 */
export const hearSignals: Effect.Effect<Leaving> = Effect.gen(function* () {
  const asked = yield* Deferred.make<void>()
  const duties: Array<() => void> = []
  const settle = (): void => {
    for (const putRight of duties) putRight()
  }
  let firstMillis: number | undefined
  const hear = (signal: NodeJS.Signals): void => {
    settle()
    firstMillis ??= performance.now()
    Deferred.doneUnsafe(asked, Effect.void)
    if (performance.now() - firstMillis <= sameWishMillis) return
    for (const heard of signals) process.off(heard, hear)
    process.kill(process.pid, signal)
  }
  for (const signal of signals) process.on(signal, hear)
  // Whatever ends the process, a failure that nobody foresaw included, comes by here.
  process.once("exit", settle)
  // Left to itself Node stops hearing signals some time before the process is gone.
  process.once("beforeExit", () => process.exit())
  return { asked: Deferred.await(asked), before: (putRight) => void duties.push(putRight) }
})
