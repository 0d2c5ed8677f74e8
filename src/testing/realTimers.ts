// Node's own timers and clock, even in tests that fake the global ones.
import { clearInterval, clearTimeout, setInterval, setTimeout } from "node:timers"
import { performance } from "node:perf_hooks"
import { toTimeMillis } from "../kubernetes/meta/amounts/timestamps.ts"
import { realNow, sleepRealTime } from "./realTime.ts"
import type { ClusterUnderTest } from "./clusterUnderTest.ts"

interface RealTimers {
  readonly timers: ClusterUnderTest["timers"]
  readonly at: ClusterUnderTest["clock"]["at"]
}

const RealDate = Date

/** After `closing` is aborted, `at` calls no callback. */
export const makeRealTimers = (closing: AbortSignal): RealTimers => ({
  timers: { setTimeout, clearTimeout, setInterval, clearInterval, Date: RealDate, performance },
  at: (time, callback) => {
    closing.throwIfAborted()
    const cancelling = new AbortController()
    void callBackAt(toTimeMillis(time), callback, AbortSignal.any([closing, cancelling.signal]))
    return () => cancelling.abort()
  }
})

/** Node fires a timer with a longer delay at once. */
const timerMillisMax = 2 ** 31 - 1

const callBackAt = async (atMillis: number, callback: () => unknown, signal: AbortSignal): Promise<void> => {
  do {
    const remainingMillis = Math.max(0, atMillis - realNow().getTime())
    await sleepRealTime(Math.min(remainingMillis, timerMillisMax), signal)
  } while (!signal.aborted && realNow().getTime() < atMillis)
  if (!signal.aborted) callback()
}
