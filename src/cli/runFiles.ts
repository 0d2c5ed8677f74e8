import * as Effect from "effect/Effect"
import { applyDocuments } from "../manifests/applyManifests.ts"
import { applyInputFiles, dryRun } from "./rehearse.ts"
import { printToStderr } from "./terminal.ts"
import { exitCodeOf } from "./reports.ts"
import { openRenderedCluster } from "./openStage.ts"
import { playActs } from "./play.ts"
import { readInput } from "./input.ts"
import { exitOnBadInput } from "./badInput.ts"
import type { RunAct } from "./play.ts"
import type { Cluster } from "../cluster.ts"
import type { ExitCode } from "./exitCode.ts"
import type { DecodedInput } from "./input.ts"
import type { RunOptions } from "./openStage.ts"

export const runFiles = (options: RunOptions): Effect.Effect<ExitCode> =>
  runActs(options, (input, cluster) =>
    input.files.map(({ name, documents }) => ({
      title: name,
      apply: applyDocuments(cluster.store, documents)
    }))
  )

/** Reads the input, applies it in a dry run, and plays the acts. Errors are printed. */
export const runActs = (
  options: RunOptions,
  actsOf: (input: DecodedInput, cluster: Cluster["Service"]) => ReadonlyArray<RunAct>
): Effect.Effect<ExitCode> =>
  Effect.scoped(
    Effect.gen(function* () {
      const input = yield* readInput(options)
      yield* dryRun(applyInputFiles(input))
      for (const warning of input.warnings) printToStderr(`warning: ${warning}`)
      const stage = yield* openRenderedCluster(options, input)
      const { cluster, renderer: show, keepInspectorOpen } = stage
      const reports = yield* playActs({ ...stage, acts: actsOf(input, cluster) })
      const exitCode = exitCodeOf(reports)
      show.end(reports, exitCode)
      yield* keepInspectorOpen
      return exitCode
    })
  ).pipe(exitOnBadInput)
