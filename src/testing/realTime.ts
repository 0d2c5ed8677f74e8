// Node's own timers and clock, even in tests that fake the global ones.
import { setImmediate } from "node:timers"
import { setTimeout } from "node:timers/promises"

const RealDate = Date

export const realNow = (): Date => new RealDate(RealDate.now())

export const sleepRealTime = async (millis: number, signal?: AbortSignal): Promise<void> => {
  await setTimeout(millis, undefined, signal === undefined ? {} : { signal }).catch(() => {})
}

export const runEventLoopTurns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn += 1) {
    await new Promise<void>((resolve) => {
      setImmediate(resolve)
    })
  }
}
