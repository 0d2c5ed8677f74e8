import * as Effect from "effect/Effect"
import { applyDocuments } from "../manifests/applyManifests.ts"
import { exitCodeOf } from "./reports.ts"
import { manifestFilesIn } from "./folders.ts"
import { defaultNodeCount } from "../domain/nodesDefault.ts"
import { listenForSignals } from "./leaving.ts"
import { openRenderedCluster } from "./openStage.ts"
import { playActs } from "./play.ts"
import { readInput } from "./input.ts"
import { applyInputFiles, dryRun } from "./rehearse.ts"
import { badInput, exitOnBadInput } from "./badInput.ts"
import { resources } from "../domain/kinds.ts"
import { serveRenderedCluster } from "./serveStage.ts"
import { readSnapshotFile } from "./readSnapshot.ts"
import { systemErrorText } from "../wordsOf.ts"
import type { ExitCode } from "./exitCode.ts"
import type { RunOptions } from "./openStage.ts"
import type { ServingOptions } from "./serveStage.ts"

export interface UpOptions
  extends Omit<RunOptions, "pace" | "seed" | "nodes" | "from" | "attends">, ServingOptions {
  /** By default that of the snapshot, or 1. */
  readonly seed: number | undefined
  readonly nodes: number | undefined
  /** The snapshot to restore, a file. */
  readonly snapshot: string | undefined
  readonly strategies: string | undefined
}

/** Applies files, prints their rollouts and serves the API until a signal comes. */
export const serveFiles = (upOptions: UpOptions): Effect.Effect<ExitCode> =>
  Effect.scoped(
    Effect.gen(function* () {
      const { snapshot } = upOptions
      const from = snapshot === undefined ? undefined : yield* readSnapshotFile(snapshot, upOptions)
      const seed = upOptions.seed ?? from?.settings.seed ?? 1
      const custom =
        upOptions.strategies === undefined ? undefined : yield* loadCustomStrategies(upOptions.strategies)
      const options = {
        ...upOptions,
        ...(custom === undefined ? {} : { own: custom.strategies }),
        from,
        attends: false,
        // The page shows the cluster from the beginning.
        record: { title: `${upOptions.name}, seed ${seed}` },
        seed,
        nodes: upOptions.nodes ?? from?.store.replica.tables.get(resources.nodes)?.size ?? defaultNodeCount
      }
      const files = yield* manifestFilesIn(options.files)
      const input = yield* readInput({ ...options, files })
      yield* dryRun(applyInputFiles(input), from, custom?.types)
      const shutdown = yield* listenForSignals
      const stage = yield* openRenderedCluster(options, input)
      const { cluster, renderer: show } = stage
      const acts = input.files.map(({ name, documents }) => ({
        title: name,
        apply: applyDocuments(cluster.store, documents)
      }))
      const playing = Effect.map(playActs({ ...stage, acts }), (reports) => {
        if (reports.length > 0) show.end(reports, exitCodeOf(reports))
      })
      return yield* serveRenderedCluster(stage, { ...options, leaving: shutdown, playing })
    })
  ).pipe(exitOnBadInput)

const loadCustomStrategies = (file: string) =>
  Effect.tryPromise({
    try: async () => {
      const { loadStrategies } = await import("./loadStrategies.ts")
      const { strategyTypesWith } = await import("../inspect/charts/strategiesIn.ts")
      const strategies = await loadStrategies(file)
      return { strategies, types: strategyTypesWith(strategies) }
    },
    catch: (error) => badInput(systemErrorText(error))
  })
