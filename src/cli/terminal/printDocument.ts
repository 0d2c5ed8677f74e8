import * as Effect from "effect/Effect"
import { printData } from "./terminal.ts"

/** Waits until all is written: a pipe takes less than a page at once. */
export const printDocument = (text: string): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    printData(text, () => resume(Effect.void))
  })
