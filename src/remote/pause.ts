import * as Effect from "effect/Effect"

/** Waits for real time to pass; an aborted signal ends the wait early. */
export const pause = async (millis: number, signal: AbortSignal): Promise<void> => {
  await Effect.runPromiseExit(Effect.sleep(millis), { signal })
}
