// Unlike the global timers, not replaced by the fake timers of tests.
import { setTimeout as sleep } from "node:timers/promises"

export const sleepUnlessAborted = async (millis: number, signal: AbortSignal): Promise<void> => {
  await sleep(millis, undefined, { signal }).catch(() => {})
}
