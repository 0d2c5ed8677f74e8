import * as Effect from "effect/Effect"
import { applyDocuments } from "../manifests/applyManifests.ts"
import { applyFiles, rehearse } from "./rehearse.ts"
import { complain } from "./terminal.ts"
import { exitCodeOf } from "./reports.ts"
import { openStage } from "./openStage.ts"
import { playActs } from "./play.ts"
import { readInput } from "./input.ts"
import { refusing } from "./badInput.ts"
import type { Act } from "./play.ts"
import type { Cluster } from "../cluster.ts"
import type { ExitCode } from "./exitCode.ts"
import type { Input } from "./input.ts"
import type { RunOptions } from "./openStage.ts"

export const runFiles = (options: RunOptions): Effect.Effect<ExitCode> =>
  perform(options, (input, cluster) =>
    input.files.map(({ name, documents }) => ({
      title: name,
      apply: applyDocuments(cluster.store, documents)
    }))
  )

/** Reads the input, applies it in a dry run, and plays the acts. Errors are printed. */
export const perform = (
  options: RunOptions,
  actsOf: (input: Input, cluster: Cluster["Service"]) => ReadonlyArray<Act>
): Effect.Effect<ExitCode> =>
  Effect.scoped(
    Effect.gen(function* () {
      const input = yield* readInput(options)
      yield* rehearse(applyFiles(input))
      for (const warning of input.warnings) complain(`warning: ${warning}`)
      const stage = yield* openStage(options, input)
      const { cluster, show, keepInspectorOpen } = stage
      const reports = yield* playActs({ ...stage, acts: actsOf(input, cluster) })
      const exitCode = exitCodeOf(reports)
      show.end(reports, exitCode)
      yield* keepInspectorOpen
      return exitCode
    })
  ).pipe(refusing)
