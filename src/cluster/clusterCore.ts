import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { bootstrapStore, initialStorageClasses } from "./bootstrap.ts"
import { runControlPlane } from "./controlPlane.ts"
import { makeFaults } from "../faults/activeFaults.ts"
import { makeClusterSnapshotParts } from "../runtime/snapshotParts.ts"
import { makeTimeline } from "../runtime/time/timeline.ts"
import { resources } from "../kubernetes/meta/kinds.ts"
import { runOnTimeline } from "../runtime/time/timelineWaits.ts"
import { takeSnapshot } from "./snapshots/snapshot.ts"
import { historyChangesMaxFor, makeMemoryStore } from "../store/memoryStore.ts"
import type { CheckedClusterOptions, ClusterOptions } from "./clusterOptions.ts"
import type { Observability } from "./observability.ts"
import type { Observers } from "../runtime/observers.ts"
import type {
  CannotSnapshot,
  FibersDelayedByFaults,
  Snapshot,
  SnapshotSettings
} from "./snapshots/snapshot.ts"

const virtualStartMillis = Date.UTC(2026, 0, 1)

/** A cluster without its controllers: its clock, store and settings. */
export type ClusterCore = ReturnType<typeof makeClusterCore>

export const makeClusterCore = (options: ClusterOptions, checkedOptions: CheckedClusterOptions) => {
  const { from, shuffleSeed } = options
  const { clock, seed, strategies, featureGates, podsMax, historyMillis } = checkedOptions
  const startMillis =
    from?.nowMillis ?? options.startMillis ?? (clock === "virtual" ? virtualStartMillis : Date.now())
  const shuffle = shuffleSeed === undefined ? {} : { shuffleSeed }
  const timeline = makeTimeline({ clock, startMillis, sequence: from?.kernel.sequence, ...shuffle })
  const { nowMillis } = timeline.kernel
  const strategyTypes = strategies.map(({ type }) => type).sort()
  const storage = makeMemoryStore({
    nowMillis,
    seed,
    strategies: strategyTypes,
    featureGates,
    podsMax,
    historyChangesMax: historyChangesMaxFor(historyMillis),
    from: from?.store
  })
  if (from === undefined) {
    // Without a write, so that other objects keep their resource versions.
    const classes = initialStorageClasses(seed, nowMillis())
    storage.addInitialObjects({ tables: [[resources.storageClasses, classes]], version: 0 })
  }
  const settings: SnapshotSettings = {
    ...settingsOf(checkedOptions),
    ...shuffle,
    ...functionOptionsOf(options)
  }
  return {
    options,
    checkedOptions,
    timeline,
    storage,
    snapshotParts: makeClusterSnapshotParts(from?.memories),
    settings
  }
}

const settingsOf = (checkedOptions: CheckedClusterOptions): SnapshotSettings => {
  const { seed, nodes, behaviour, behaviours, featureGates, controllers, routineEvents, podsMax } =
    checkedOptions
  const { lostAfterSeconds } = nodes
  return {
    seed,
    nodes: lostAfterSeconds === undefined ? {} : { lostAfterSeconds },
    behaviour,
    behaviours,
    featureGates,
    ...(controllers === undefined ? {} : { controllers }),
    ...(routineEvents ? {} : { routineEvents }),
    podsMax
  }
}

const functionOptionsOf = ({
  strategies,
  steering,
  livesOf
}: ClusterOptions): Pick<SnapshotSettings, "strategies" | "steering" | "livesOf"> => ({
  ...(strategies === undefined ? {} : { strategies }),
  ...(steering === undefined ? {} : { steering }),
  ...(livesOf === undefined ? {} : { livesOf })
})

const startComponents = Effect.fnUntraced(function* (
  core: ClusterCore,
  observability: Observability,
  observers: Observers
) {
  const { options, checkedOptions, timeline, storage, snapshotParts } = core
  const { store, view } = storage
  const {
    seed,
    nodes,
    behaviour,
    behaviours,
    strategies,
    steering,
    featureGates,
    controllers,
    routineEvents
  } = checkedOptions
  const { kernel, jump } = timeline
  if (options.from === undefined) yield* Effect.orDie(bootstrapStore(store, nodes))
  // Before the controllers start, so that the recording has all their writes.
  observability.beginRecording()
  const controlPlane = yield* runControlPlane({
    timeline,
    store,
    view,
    seed,
    behaviours,
    behaviour,
    livesOf: options.livesOf,
    strategies,
    steering,
    featureGates,
    controllers,
    lostAfterSeconds: nodes.lostAfterSeconds,
    skipRoutineEvent: routineEvents ? undefined : storage.skipWrite,
    snapshotParts,
    observer: observability.actorObserver(),
    ...(options.inspect === undefined
      ? {}
      : { inspect: observers.catchErrorsOf("the inspect callback")(options.inspect) })
  })
  const faults = makeFaults(
    { ...controlPlane, store: controlPlane.faultStore, view, kernel, seed, jumpClock: jump },
    snapshotParts.forOwner("faults")
  )
  // Rounds of heartbeats are skipped unless faults, observers or watches of Leases need them.
  kernel.setRoundSkipRule({
    maySkip: () =>
      faults.active().length === 0 &&
      controlPlane.actors.observer === undefined &&
      !storage.needsHeartbeats(resources.leases),
    onSkipped: storage.skipVersions
  })
  return { ...controlPlane, faults }
})

export const startControlPlane = Effect.fnUntraced(function* (
  core: ClusterCore,
  observability: Observability,
  observers: Observers
) {
  const { timeline } = core
  const scope = yield* Scope.make()
  const components = yield* runOnTimeline(
    timeline,
    Effect.provideService(startComponents(core, observability, observers), Scope.Scope, scope)
  )
  return { ...components, end: runOnTimeline(timeline, Scope.close(scope, Exit.void)) }
})

/** A fiber that waits because of a fault cannot be saved: then no snapshot is taken. */
export const snapshotCluster = (
  { timeline, storage, snapshotParts, settings }: ClusterCore,
  countDelayedFibers: () => FibersDelayedByFaults
): Effect.Effect<Snapshot, CannotSnapshot> =>
  Effect.suspend(() => {
    timeline.runToPresent()
    // The kernel pauses within an instant that takes long.
    timeline.kernel.drain()
    return takeSnapshot({
      kernel: timeline.kernel,
      snapshotParts,
      settings,
      saveStore: storage.save,
      countDelayedFibers
    })
  })
