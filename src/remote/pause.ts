import * as Effect from "effect/Effect"

/** Lets the machine's time pass, or less of it where `signal` says so. */
export const pause = async (millis: number, signal: AbortSignal): Promise<void> => {
  await Effect.runPromiseExit(Effect.sleep(millis), { signal })
}
