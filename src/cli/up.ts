import * as Effect from "effect/Effect"
import { applyDocuments } from "../manifests/applyManifests.ts"
import { exitCodeOf } from "./reports.ts"
import { filesIn } from "./folders.ts"
import { nodesDefault } from "../domain/nodesDefault.ts"
import { hearSignals } from "./leaving.ts"
import { openStage } from "./openStage.ts"
import { playActs } from "./play.ts"
import { readInput } from "./input.ts"
import { applyFiles, rehearse } from "./rehearse.ts"
import { badInput, refusing } from "./badInput.ts"
import { resources } from "../domain/kinds.ts"
import { serveStage } from "./serveStage.ts"
import { snapshotIn } from "./readSnapshot.ts"
import { wordsOf } from "../wordsOf.ts"
import type { ExitCode } from "./exitCode.ts"
import type { RunOptions } from "./openStage.ts"
import type { Serving } from "./serveStage.ts"

/** What is asked for on the command line. */
export interface UpOptions extends Omit<RunOptions, "pace" | "seed" | "nodes" | "from" | "attends">, Serving {
  /** 1 where it is left out, or what the snapshot says. */
  readonly seed: number | undefined
  readonly nodes: number | undefined
  /** A file that holds a snapshot to go on from. */
  readonly snapshot: string | undefined
  /** A module that exports strategies of the user's own. */
  readonly strategies: string | undefined
}

/** A cluster that stays until it is told to go: applies files, shows their rollouts and serves the API. */
export const serveFiles = (given: UpOptions): Effect.Effect<ExitCode> =>
  Effect.scoped(
    Effect.gen(function* () {
      const { snapshot } = given
      const from = snapshot === undefined ? undefined : yield* snapshotIn(snapshot, given)
      const seed = given.seed ?? from?.settings.seed ?? 1
      const own = given.strategies === undefined ? undefined : yield* ownStrategies(given.strategies)
      const options = {
        ...given,
        ...(own === undefined ? {} : { own: own.strategies }),
        from,
        attends: false,
        // The page shows what was, from the beginning.
        record: { title: `${given.name}, seed ${seed}` },
        seed,
        nodes: given.nodes ?? from?.store.replica.tables.get(resources.nodes)?.size ?? nodesDefault
      }
      const files = yield* filesIn(options.files)
      const input = yield* readInput({ ...options, files })
      yield* rehearse(applyFiles(input), from, own?.types)
      const leaving = yield* hearSignals
      const stage = yield* openStage(options, input)
      const { cluster, show } = stage
      const acts = input.files.map(({ name, documents }) => ({
        title: name,
        apply: applyDocuments(cluster.store, documents)
      }))
      const playing = Effect.map(playActs({ ...stage, acts }), (reports) => {
        if (reports.length > 0) show.end(reports, exitCodeOf(reports))
      })
      return yield* serveStage(stage, { ...options, leaving, playing })
    })
  ).pipe(refusing)

/** What a module of the user's gives, with all types that there are then. */
const ownStrategies = (file: string) =>
  Effect.tryPromise({
    try: async () => {
      const { loadStrategies } = await import("./loadStrategies.ts")
      const { typesWith } = await import("../inspect/charts/strategiesIn.ts")
      const strategies = await loadStrategies(file)
      return { strategies, types: typesWith(strategies) }
    },
    catch: (error) => badInput(wordsOf(error))
  })
