import { readFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import { readSnapshot } from "../../cluster/snapshots/snapshotText.ts"
import { badInput } from "../input/badInput.ts"
import { systemErrorText } from "../../platform/systemErrorText.ts"
import type { NodesArgument } from "../flags/sharedFlags.ts"
import type { BadInput } from "../input/badInput.ts"
import type { Snapshot } from "../../cluster/snapshots/snapshot.ts"

/** Fails for flags that contradict the snapshot's nodes and feature gates. */
export const readSnapshotFile = (
  file: string,
  given: { readonly nodes: NodesArgument | undefined; readonly featureGates?: string | undefined }
): Effect.Effect<Snapshot, BadInput> =>
  Effect.try({
    try: () => {
      if (given.nodes !== undefined)
        throw new Error("it says how many nodes there are, and --nodes cannot be given with it")
      if (given.featureGates !== undefined)
        throw new Error("it says which feature gates are on, and --feature-gates cannot be given with it")
      return readSnapshot(readFileSync(file, "utf8"))
    },
    catch: (error) => badInput(`${file}: ${systemErrorText(error)}`)
  })
