import { readFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import { readSnapshot } from "../snapshots/snapshotText.ts"
import { badInput } from "./badInput.ts"
import { wordsOf } from "../wordsOf.ts"
import type { BadInput } from "./badInput.ts"
import type { Snapshot } from "../snapshots/snapshot.ts"

/** The snapshot in a file; how many nodes there are is what it says itself. */
export const snapshotIn = (
  file: string,
  { nodes }: { readonly nodes: number | undefined }
): Effect.Effect<Snapshot, BadInput> =>
  Effect.try({
    try: () => {
      if (nodes !== undefined)
        throw new Error("it says how many nodes there are, and --nodes cannot be given with it")
      return readSnapshot(readFileSync(file, "utf8"))
    },
    catch: (error) => badInput(`${file}: ${wordsOf(error)}`)
  })
