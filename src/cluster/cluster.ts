import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { checkClusterOptions } from "./clusterOptions.ts"
import { faultsOutsideTimeline } from "../faults/faultsOutsideTimeline.ts"
import { makeObjectApi, resolveKind } from "./objectApi.ts"
import { validateOptionNames } from "../options/invalidOptions.ts"
import { addressOptionNames, requireSynchronous, toLimitMillis } from "./callOptions.ts"
import { namespaceOrDefault } from "./toStoreRequest.ts"
import { toDurationMillis } from "../kubernetes/meta/amounts/durations.ts"
import { makeObservability } from "./observability.ts"
import { makeRolloutWait } from "./rolloutWait.ts"
import { makeClusterClock } from "../runtime/time/clusterClock.ts"
import { makeTimelineGate } from "../runtime/time/timelineGate.ts"
import { makeObservers } from "../runtime/observers.ts"
import { libraryManager } from "../kubernetes/apply/managedFields/fieldManagers.ts"
import { withManager } from "../store/withManager.ts"
import { makeClusterParts, snapshotCluster, startControlPlane } from "./clusterParts.ts"
import type { Strategy } from "../../machines/strategies/strategy.ts"
import type { Exit } from "effect/Exit"
import type { Scope } from "effect/Scope"
import type { ClusterOptions, UnknownBehaviour } from "./clusterOptions.ts"
import type { InvalidOptions } from "../options/invalidOptions.ts"
import type { Faults } from "../faults/activeFaults.ts"
import type { ObjectAddress } from "./callOptions.ts"
import type { ClusterCalls } from "./clusterCalls.ts"
import type { ObjectApi } from "./objectApi.ts"
import type { StepRecorder } from "../explain/steps/stepRecorder.ts"
import type { ClusterRecorder } from "../recording/clusterRecorder.ts"
import type { TimelineGate } from "../runtime/time/timelineGate.ts"
import type { Kernel } from "../runtime/time/kernel.ts"
import type { Observers } from "../runtime/observers.ts"
import type { CannotSnapshot } from "./snapshots/snapshot.ts"
import type { ClientConnection } from "../faults/clientConnection.ts"
import type { FaultyStore } from "../faults/faultyStore.ts"
import type { ClusterView, ObjectStore } from "../store/objectStore.ts"
import type { WatchConnection } from "../faults/watchConnection.ts"

/** How a server's clients see a cluster: faults delay and refuse their requests. */
export interface ClientAccess {
  readonly store: ObjectStore["Service"]
  /** The view of watches, and of reads that accept any version. */
  readonly view: ClusterView["Service"]
  /** The view of reads that need the latest version. */
  readonly latest: () => ClusterView["Service"]
  readonly watches: WatchConnection
  readonly observers: Observers
  /** Runs a request that faults admit or refuse as a whole; undefined while there are none. */
  readonly runWithFaults: FaultyStore["runAsOneRequest"]
  /** As `Cluster.step`; a promise where a fault delays requests, which resolves when the cluster's time has passed. */
  readonly step: <A, E>(effect: Effect.Effect<A, E>) => Exit<A, E> | Promise<Exit<A, E>>
}

/** A running cluster on its own clock. Clusters of one process share nothing. */
export class Cluster extends Context.Service<
  Cluster,
  ClusterCalls<"effect"> &
    Pick<ObjectApi, "modify"> & {
      readonly nowMillis: () => number
      /** Runs an effect on the cluster's timeline as one step: controllers react after it has ended. */
      readonly run: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
      /** Throws `ClusterClosed`, for synchronous calls. */
      readonly checkOpen: () => void
      /** Loads a module while time stands still. */
      readonly loading: <A>(load: () => Promise<A>) => Effect.Effect<A>
      /**
       * Runs a synchronous effect as one step, and returns before the controllers react, at the end of the event loop's
       * turn.
       */
      readonly step: <A, E>(effect: Effect.Effect<A, E>) => Exit<A, E>
      readonly isAtRest: () => boolean
      readonly publishCertificate: (certificate: string) => Effect.Effect<void>
      readonly stepRecorder: Effect.Effect<StepRecorder>
      readonly recording: Effect.Effect<ClusterRecorder>
      readonly note: ClusterRecorder["note"]
      readonly faults: Faults
      /** The strategies that Deployments may select: the given ones and the built-in ones. */
      readonly strategies: ReadonlyArray<Strategy>
      readonly store: ObjectStore["Service"]
      readonly view: ClusterView["Service"]
      /** For clients from outside, whom faults may affect. */
      readonly outside: ClientAccess
    }
>()("charthouse/Cluster") {
  static readonly layer = (
    options: ClusterOptions = {}
  ): Layer.Layer<Cluster, UnknownBehaviour | InvalidOptions> => Layer.effect(Cluster, makeCluster(options))
}

export const makeCluster = Effect.fnUntraced(function* (
  givenOptions: ClusterOptions = {}
): Effect.fn.Return<Cluster["Service"], UnknownBehaviour | InvalidOptions, Scope> {
  const { from } = givenOptions
  const options: ClusterOptions = { ...from?.settings, ...givenOptions }
  const checked = yield* checkClusterOptions(givenOptions)
  const parts = makeClusterParts(options, checked)
  const { timeline, storage } = parts
  const { kernel } = timeline
  const { view } = storage
  const observers = makeObservers({ keepsFailures: options.observerErrors !== "report" })
  const store = withManager(storage.store, libraryManager)
  const { seed, strategies } = checked

  const gate = makeTimelineGate({ timeline, timeMoved: () => records.timeMoved(), observers })
  const { runAtPresent, actAtPresent, until, whileOpen, checkOpen, whileLoading } = gate
  const { why = false, record = false } = options
  const records = makeObservability({
    timeline,
    view,
    seed,
    strategies,
    recordsSteps: why,
    record,
    gate,
    observers
  })
  yield* records.loadRecorders

  const controlPlane = yield* startControlPlane(parts, records, observers)
  const { clients, faults, attachObserver, publishCertificate, heldUp } = controlPlane
  records.attachControlPlane({ attachObserver, faults })
  yield* Effect.addFinalizer(() => {
    gate.close()
    const end = Effect.andThen(
      controlPlane.end,
      Effect.sync(() => {
        storage.close()
        timeline.close()
      })
    )
    return Effect.andThen(end, gate.rejectObserverFailure)
  })
  timeline.catchUp()
  if (from?.kernel.chance !== undefined) kernel.restoreRandom(from.kernel.chance)

  const { clock, advance } = makeClusterClock({ timeline, gate, speedChanged: records.speedChanged })
  const isAtRest = (): boolean => controlPlane.moving() + faults.movingCount() === 0
  return Cluster.of({
    ...makeObjectApi({ store, view }, gate, observers),
    nowMillis: () => {
      timeline.catchUpOnce()
      return kernel.nowMillis()
    },
    run: runAtPresent,
    checkOpen,
    loading: whileLoading,
    step: (effect) => actAtPresent(() => Effect.runSyncExit(effect)),
    clock,
    advance: (duration) => Effect.suspend(() => advance(toDurationMillis(duration, "duration"))),
    settle: (limit) => Effect.suspend(() => until(isAtRest, toLimitMillis(limit))),
    isAtRest,
    until: (condition, limit) =>
      Effect.suspend(() => until(requireSynchronous(condition), toLimitMillis(limit))),
    rollout: makeRolloutWait(view, until),
    snapshot: whileOpen(snapshotCluster(parts, heldUp)),
    why: (address) =>
      Effect.gen(function* () {
        const { resource, name } = validateOptionNames<ObjectAddress>("why", address, addressOptionNames)
        const { kind } = yield* resolveKind(view.kinds, resource)
        const { steps } = yield* records.stepRecorder
        return steps({ kind, name, namespace: namespaceOrDefault(view.kinds, address) })
      }),
    stepRecorder: records.stepRecorder,
    recording: records.recording,
    note: records.note,
    publishCertificate: (certificate) => runAtPresent(Effect.sync(() => publishCertificate(certificate))),
    faults: faultsOutsideTimeline(faults, gate),
    strategies,
    store,
    view,
    outside: clientAccess(clients, kernel, actAtPresent, observers)
  })
})

const clientAccess = (
  { store, view, latestView, faultyStore, watches }: ClientConnection,
  kernel: Kernel,
  actAtPresent: TimelineGate["actAtPresent"],
  observers: Observers
): ClientAccess => ({
  store,
  view,
  observers,
  latest: latestView,
  runWithFaults: faultyStore.runAsOneRequest,
  watches,
  step: <A, E>(effect: Effect.Effect<A, E>) =>
    actAtPresent((): Exit<A, E> | Promise<Exit<A, E>> => {
      if (!faultyStore.isDelayed()) return Effect.runSyncExit(effect)
      const fiber = kernel.run(effect)
      return fiber.pollUnsafe() ?? new Promise((resolve) => fiber.addObserver(resolve))
    })
})

export type ForkOptions = Omit<ClusterOptions, "from" | "nodes" | "startMillis" | "shuffleSeed">

/** A new cluster that continues from this instant; without changes both have the same future, to the byte. */
export const forkCluster = (
  cluster: Cluster["Service"],
  options: ForkOptions = {}
): Effect.Effect<Cluster["Service"], CannotSnapshot | UnknownBehaviour | InvalidOptions, Scope> =>
  Effect.flatMap(cluster.snapshot, (from) => makeCluster({ ...options, from }))
