// Node's own timers, also in tests with fake global ones.
import { setTimeout as sleep } from "node:timers/promises"

export const sleepUnlessAborted = async (millis: number, signal: AbortSignal): Promise<void> => {
  await sleep(millis, undefined, { signal }).catch(() => {})
}
