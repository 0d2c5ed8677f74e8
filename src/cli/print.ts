import * as Effect from "effect/Effect"
import { printData } from "./terminal.ts"

/** Prints all of a document for programs: a page is longer than what a pipe takes at once. */
export const print = (text: string): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    printData(text, () => resume(Effect.void))
  })
