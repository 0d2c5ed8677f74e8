// Node's own timers and clock, also in tests with fake global ones.
import { setImmediate } from "node:timers"
import { setTimeout } from "node:timers/promises"

const RealDate = Date

/** Real time, for real clusters and for clients that connect over a socket. */
export const realNow = (): Date => new RealDate(RealDate.now())

/** An aborted signal ends the sleep early. */
export const sleepRealTime = async (millis: number, signal?: AbortSignal): Promise<void> => {
  await setTimeout(millis, undefined, signal === undefined ? {} : { signal }).catch(() => {})
}

/** Lets the event loop run `count` turns. */
export const runEventLoopTurns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn += 1) {
    await new Promise<void>((resolve) => {
      setImmediate(resolve)
    })
  }
}
