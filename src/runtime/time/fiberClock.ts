import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Clock } from "effect/Clock"
import { isPending } from "./timerHeap.ts"
import type { Timer } from "./timerHeap.ts"

interface FiberClock {
  readonly clock: Clock
  readonly sleepingFiberCount: () => number
}

/** Effect's Clock over the kernel's time: a fiber's sleep is a timer. */
export const makeFiberClock = ({
  nowMillis,
  after,
  cancel
}: {
  readonly nowMillis: () => number
  readonly after: (millis: number, run: () => void) => Timer
  readonly cancel: (timer: Timer) => void
}): FiberClock => {
  let sleepingCount = 0
  const nowNanos = (): bigint => BigInt(Math.round(nowMillis() * 1000)) * 1000n
  const clock: Clock = {
    currentTimeMillisUnsafe: nowMillis,
    currentTimeMillis: Effect.sync(nowMillis),
    currentTimeNanosUnsafe: nowNanos,
    currentTimeNanos: Effect.sync(nowNanos),
    monotonicTimeNanosUnsafe: nowNanos,
    monotonicTimeNanos: Effect.sync(nowNanos),
    sleep: (duration) =>
      Effect.callback<void>((resume) => {
        sleepingCount += 1
        const timer = after(Duration.toMillis(duration), () => {
          sleepingCount -= 1
          resume(Effect.void)
        })
        return Effect.sync(() => {
          if (isPending(timer)) sleepingCount -= 1
          cancel(timer)
        })
      })
  }
  return { clock, sleepingFiberCount: () => sleepingCount }
}
