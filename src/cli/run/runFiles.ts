import * as Effect from "effect/Effect"
import { applyDocuments } from "../../manifests/applyManifests.ts"
import { applyInputFiles, dryRun } from "../input/dryRun.ts"
import { printToStderr } from "../terminal/terminal.ts"
import { exitCodeOf } from "../rendering/stageReports.ts"
import { openRenderedCluster } from "../rendering/openRenderedCluster.ts"
import { playStages } from "../rendering/playStages.ts"
import { readInput } from "../input/readInput.ts"
import { reportBadInput } from "../input/badInput.ts"
import type { RunStage } from "../rendering/playStages.ts"
import type { Cluster } from "../../cluster/cluster.ts"
import type { ExitCode } from "../terminal/exitCode.ts"
import type { DecodedInput } from "../input/readInput.ts"
import type { RunOptions } from "../rendering/openRenderedCluster.ts"

export const runFiles = (options: RunOptions): Effect.Effect<ExitCode> =>
  runStages(options, (input, cluster) =>
    input.files.map(({ name, documents }) => ({
      title: name,
      apply: applyDocuments(cluster.store, documents)
    }))
  )

export const runStages = (
  options: RunOptions,
  stagesOf: (input: DecodedInput, cluster: Cluster["Service"]) => ReadonlyArray<RunStage>
): Effect.Effect<ExitCode> =>
  Effect.scoped(
    Effect.gen(function* () {
      const input = yield* readInput(options)
      yield* dryRun(applyInputFiles(input))
      for (const warning of input.warnings) printToStderr(`warning: ${warning}`)
      const renderedCluster = yield* openRenderedCluster(options, input)
      const { cluster, renderer, keepInspectorOpen } = renderedCluster
      const reports = yield* playStages({ ...renderedCluster, stages: stagesOf(input, cluster) })
      const exitCode = exitCodeOf(reports)
      renderer.end(reports, exitCode)
      yield* keepInspectorOpen
      return exitCode
    })
  ).pipe(reportBadInput)
