import * as Effect from "effect/Effect"

/** Waits for real time to pass; an aborted signal ends the wait early. */
export const sleepUnlessAborted = async (millis: number, signal: AbortSignal): Promise<void> => {
  await Effect.runPromiseExit(Effect.sleep(millis), { signal })
}
