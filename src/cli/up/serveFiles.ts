import * as Effect from "effect/Effect"
import { applyDocuments } from "../../manifests/applyManifests.ts"
import { exitCodeOf } from "../rendering/stageReports.ts"
import { manifestSources } from "../input/manifestSources.ts"
import { defaultNodeCount } from "../../cluster/defaultNodeCount.ts"
import { loadStrategies, customStrategyTypes } from "../input/loadStrategies.ts"
import { listenForSignals } from "../terminal/signals.ts"
import { openRenderedCluster } from "../rendering/openRenderedCluster.ts"
import { playStages } from "../rendering/playStages.ts"
import { readInput } from "../input/readInput.ts"
import { applyInputFiles, dryRun } from "../input/dryRun.ts"
import { badInput, reportBadInput } from "../input/badInput.ts"
import { withDefinedKinds, type ServedKinds } from "../../manifests/definedKinds.ts"
import { customResourceDefinitionResource } from "../../kubernetes/customResources/definitions.ts"
import { builtInKinds, resources } from "../../kubernetes/meta/kinds.ts"
import { serveRenderedCluster } from "./serveRenderedCluster.ts"
import { readSnapshotFile } from "./readSnapshotFile.ts"
import type { Scope } from "effect/Scope"
import type { ClusterData } from "../../cluster/data/clusterData.ts"
import type { BadInput } from "../input/badInput.ts"
import type { DurabilityLevel } from "../../store/durable/durability.ts"
import { virtualClock, type NodesArgument } from "../flags/sharedFlags.ts"
import type { Snapshot } from "../../cluster/snapshots/snapshot.ts"
import type { ExitCode } from "../terminal/exitCode.ts"
import type { RunClock, RunOptions } from "../rendering/openRenderedCluster.ts"
import type { ServingOptions } from "./serveRenderedCluster.ts"

export interface UpOptions
  extends
    Omit<RunOptions, "pace" | "seed" | "nodes" | "from" | "waitsForViewer" | "clock" | "data">,
    ServingOptions {
  /**
   * By default the clock of the data directory; without one, a snapshot's time stands still, and a new cluster's is
   * real.
   */
  readonly clock: RunClock | undefined
  readonly data: string | undefined
  readonly durability: DurabilityLevel | undefined
  readonly seed: number | undefined
  readonly nodes: NodesArgument | undefined
  readonly snapshot: string | undefined
  readonly strategies: string | undefined
}

export const serveFiles = (upOptions: UpOptions): Effect.Effect<ExitCode> =>
  Effect.scoped(
    Effect.gen(function* () {
      const { snapshot } = upOptions
      const data = upOptions.data === undefined ? undefined : yield* openData(upOptions.data, upOptions)
      const from =
        data?.snapshot ?? (snapshot === undefined ? undefined : yield* readSnapshotFile(snapshot, upOptions))
      const seed = upOptions.seed ?? from?.settings.seed ?? 1
      const customStrategies = yield* loadStrategies(upOptions.strategies)
      const options = {
        ...upOptions,
        customStrategies,
        from,
        data,
        ...addressOfLastStart(upOptions, data),
        clock: upOptions.clock ?? defaultClock(data, from),
        waitsForViewer: false,
        // The page shows the cluster from the beginning.
        record: { title: `${upOptions.name}, seed ${seed}` },
        seed,
        nodes: upOptions.nodes ?? from?.store.replica.tables.get(resources.nodes)?.size ?? defaultNodeCount
      }
      const files = yield* manifestSources(options)
      const input = yield* readInput({ ...options, files, kinds: kindsIn(from) })
      const strategyTypes = yield* customStrategyTypes(customStrategies)
      yield* dryRun(applyInputFiles(input), { snapshot: from, strategyTypes })
      const shutdown = yield* listenForSignals
      const renderedCluster = yield* openRenderedCluster(options, input)
      const { cluster, renderer } = renderedCluster
      const stages = input.files.map(({ name, documents }) => ({
        title: name,
        apply: applyDocuments(cluster.store, documents)
      }))
      const play = Effect.map(playStages({ ...renderedCluster, stages }), (reports) => {
        if (reports.length > 0) renderer.end(reports, exitCodeOf(reports))
      })
      return yield* serveRenderedCluster(renderedCluster, { ...options, shutdown, play })
    })
  ).pipe(reportBadInput)

const openData = Effect.fnUntraced(function* (
  directory: string,
  { name, durability, snapshot, nodes, featureGates }: UpOptions
): Effect.fn.Return<ClusterData, BadInput, Scope> {
  if (directory === "") return yield* badInput("--data needs the path of a directory")
  const level = durability === undefined ? {} : { level: durability }
  // Clusters in memory never load this module.
  const { openClusterData } = yield* Effect.promise(() => import("../../cluster/data/clusterData.ts"))
  const data = yield* openClusterData(directory, { name, ...level }).pipe(
    Effect.mapError(({ message }) => badInput(message))
  )
  yield* Effect.addFinalizer(() => Effect.sync(data.close))
  if (data.snapshot === undefined) return data
  const contradictions = Object.entries({ snapshot, nodes, "feature-gates": featureGates })
    .filter(([, value]) => value !== undefined)
    .map(([flag]) => `${directory} keeps a cluster already, and --${flag} is for a new one`)
  return contradictions.length > 0 ? yield* badInput(...contradictions) : data
})

/** Flags override the last start's ports and token. */
const addressOfLastStart = (
  { port, pagePort, tokenFile }: UpOptions,
  data: ClusterData | undefined
): Pick<ServingOptions, "port" | "pagePort" | "token"> => ({
  port: port === 0 ? (data?.serving?.port ?? 0) : port,
  pagePort: pagePort === 0 ? (data?.serving?.pagePort ?? 0) : pagePort,
  token: tokenFile === undefined ? data?.serving?.token : undefined
})

const defaultClock = (data: ClusterData | undefined, from: Snapshot | undefined): RunClock => {
  const speed = data?.snapshot === undefined ? (from === undefined ? 1 : 0) : data.speed
  if (speed === 0) return virtualClock
  return speed === 1 ? { text: "real", setting: "real" } : { text: `${speed}x`, setting: { speed } }
}

const kindsIn = (snapshot: Snapshot | undefined): ServedKinds =>
  withDefinedKinds(builtInKinds, () => {
    const definitions = snapshot?.store.replica.tables.get(customResourceDefinitionResource)
    return definitions?.values() ?? []
  })
