import * as Effect from "effect/Effect"
import { printData } from "./terminal.ts"

/** Waits until all of it is written: a pipe takes less at once than a page. */
export const printDocument = (text: string): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    printData(text, () => resume(Effect.void))
  })
