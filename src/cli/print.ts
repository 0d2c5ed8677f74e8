import * as Effect from "effect/Effect"

/** Prints all of a text: a page is longer than what a pipe takes at once. */
export const print = (text: string): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    process.stdout.write(text, () => resume(Effect.void))
  })
