import * as Effect from "effect/Effect"
import { printData } from "./terminal.ts"

/** Waits until the whole text is written: a pipe takes some kilobytes at once. */
export const printDocument = (text: string): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    printData(text, () => resume(Effect.void))
  })
