import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { checkClusterOptions } from "./clusterOptions.ts"
import { faultCalls } from "./calls/faultCalls.ts"
import { keepData, openData } from "./data/keepData.ts"
import { libraryManager } from "../kubernetes/apply/managedFields/fieldManagers.ts"
import { loadCalls } from "./loads/loadCalls.ts"
import { loadStreams } from "../store/watch/effectStreams.ts"
import { makeClientAccess } from "./serving/clientAccess.ts"
import { makeClusterClock } from "../runtime/time/clusterClock.ts"
import { makeClusterCore, snapshotCluster, startControlPlane } from "./clusterCore.ts"
import { makeForecastCall } from "./calls/forecastCall.ts"
import { makeInterceptors } from "../server/traffic/interceptors.ts"
import { makeObjectApi } from "./calls/objectApi.ts"
import { makeObservability } from "./observability.ts"
import { makeObservers } from "../runtime/observers.ts"
import { makeProgramTimers } from "../runtime/time/programTimers.ts"
import { makeRequestLog } from "../server/traffic/makeRequestLog.ts"
import { makeRolloutWait } from "./calls/rolloutWait.ts"
import { makeServingCalls } from "./serving/servingCalls.ts"
import { makeTimeCalls } from "./calls/timeCalls.ts"
import { makeUserCalls } from "../runtime/time/userCalls.ts"
import { whenLoaded } from "../runtime/time/timelineWaits.ts"
import { makeWhyCall } from "./calls/whyCall.ts"
import { queueMetersOf } from "../runtime/workers/queueMeters.ts"
import { withFieldManager } from "../store/withFieldManager.ts"
import { faultsForUsers } from "../faults/faultsForUsers.ts"
import type { Scope } from "effect/Scope"
import type { ClusterData, Durability } from "./data/clusterData.ts"
import type { ClusterOptions, UnknownBehaviour } from "./clusterOptions.ts"
import type { ClusterService } from "./clusterService.ts"
import type { ForecastSource } from "../forecast/makeForecast.ts"
import type { InvalidOptions } from "../options/invalidOptions.ts"
import type { Snapshot } from "./snapshots/snapshot.ts"

/** A running cluster on its own clock. Clusters of one process share nothing. */
export class Cluster extends Context.Service<Cluster, ClusterService>()("charthouse/Cluster") {
  static readonly layer = (
    options: ClusterOptions = {}
  ): Layer.Layer<Cluster, UnknownBehaviour | InvalidOptions> => Layer.effect(Cluster, makeCluster(options))
}

/**
 * `Effect.runSync` cannot run it, since the first call in a process loads Effect's streams.
 * `openedData`: the data directory, if the caller has opened it.
 */
export const makeCluster = (
  options?: ClusterOptions,
  openedData?: ClusterData
): ReturnType<typeof makeClusterService> =>
  Effect.andThen(loadStreams, makeClusterService(options, openedData))

/** `watch` throws unless Effect's streams have been loaded. */
export const makeClusterService = Effect.fnUntraced(function* (
  givenOptions: ClusterOptions = {},
  openedData?: ClusterData
): Effect.fn.Return<ClusterService, UnknownBehaviour | InvalidOptions, Scope> {
  const data = yield* openData(givenOptions, openedData)
  const ownOptions = data?.options ?? givenOptions
  const { from } = ownOptions
  // `checkClusterOptions` adds the snapshot's settings itself: it reports problems of given options only.
  const checkedOptions = yield* checkClusterOptions(ownOptions)
  const options: ClusterOptions = { ...from?.settings, ...ownOptions }
  const core = makeClusterCore(options, checkedOptions)
  const { timeline, storage } = core
  const { kernel } = timeline
  const { view } = storage
  // The callbacks of the user, whose errors must not stop the cluster.
  const observers = makeObservers({ keepsFailures: options.observerErrors !== "report" })
  const store = withFieldManager(storage.store, libraryManager)
  const { seed, strategies, steering } = checkedOptions

  let durability: Durability | undefined
  const userCalls = makeUserCalls({
    timeline,
    timeMoved: () => observability.timeMoved(),
    observers,
    ...(data === undefined ? {} : { makeDurable: () => durability?.commit() })
  })
  const { runNow, callNow, until, whileOpen, checkOpen } = userCalls
  const { why = false, record = false, requestsKept } = options
  const { timers, at } = makeProgramTimers({
    timeline,
    observers,
    isClosed: () => userCalls.closedMillis() !== undefined
  })
  const observability = makeObservability({
    timeline,
    view,
    seed,
    customStrategies: { strategies, steering },
    recordsSteps: why,
    record,
    earlierChanges: data?.clusterData.earlierChanges,
    userCalls,
    observers
  })
  yield* observability.loadRecorders

  const controlPlane = yield* startControlPlane(core, observability, observers)
  const { clients, faults, attachObserver, publishCertificate } = controlPlane
  observability.attachControlPlane({ attachObserver, faults })
  durability = data === undefined ? undefined : yield* keepData(data.clusterData, core, faults)
  yield* Effect.addFinalizer(() => {
    userCalls.close()
    durability?.end()
    const end = Effect.andThen(
      controlPlane.end,
      Effect.sync(() => {
        storage.close()
        timeline.close()
      })
    )
    // Rejects `close` with an error of the user's listeners, if no call has been rejected with it.
    return Effect.andThen(end, userCalls.rejectObserverFailure)
  })
  // Lets the controllers react to the objects that they find.
  timeline.runToPresent()
  yield* whenLoaded(timeline, () => Effect.void)
  // Restored last, since the start has drawn random numbers.
  if (from?.kernel.shuffleState !== undefined) kernel.restoreRandom(from.kernel.shuffleState)

  const requests = makeRequestLog(requestsKept, checkOpen)
  // A client in this process acts while it sends requests: time waits for it.
  timeline.userCode.followRequests(requests)
  const interceptors = makeInterceptors(async (millis, signal) => {
    await Effect.runPromiseExit(runNow(Effect.sleep(millis)), { signal })
  }, observers)
  const { clock, advance } = makeClusterClock({
    timeline,
    userCalls,
    speedChanged: observability.speedChanged
  })
  const isAtRest = (): boolean => controlPlane.movingCount() + faults.movingCount() === 0
  const faultInjector = faultsForUsers(faults, userCalls)
  const snapshot = whileOpen(snapshotCluster(core, controlPlane.countDelayedFibers))
  const nowMillis = (): number => {
    timeline.runToPresentOncePerTurn()
    return kernel.nowMillis()
  }
  const serving = makeServingCalls(() => cluster, { requests, interceptors }, userCalls)
  const cluster = Cluster.of({
    ...makeObjectApi({ store, view, feed: storage.feed }, userCalls, observers),
    ...faultCalls(faultInjector),
    ...makeTimeCalls(userCalls, advance, isAtRest),
    ...loadCalls(checkedOptions, controlPlane, runNow),
    now: () => new Date(nowMillis()),
    nowMillis,
    run: runNow,
    checkOpen,
    step: (effect) => callNow(() => Effect.runSyncExit(effect)),
    clock: { ...clock, at },
    timers,
    isAtRest,
    forecast: makeForecastCall({
      view,
      seed,
      nowMillis: kernel.nowMillis,
      faults: faults.active,
      importForClientRequest: userCalls.importForClientRequest,
      prepareFork: Effect.map(snapshot, forkFrom)
    }),
    rollout: makeRolloutWait({ view, until, strategies, nowMillis: kernel.nowMillis }),
    snapshot,
    fork: (changes = {}) =>
      Effect.flatMap(snapshot, (currentSnapshot) =>
        makeClusterService({ ...changes, from: currentSnapshot })
      ),
    serve: serving.serve,
    fetch: serving.fetch,
    requests,
    intercept: (which, interceptor) => {
      checkOpen()
      return interceptors.add(which, interceptor)
    },
    why: makeWhyCall(view, observability.stepRecorder),
    queueMeters: () => queueMetersOf(kernel),
    stepRecorder: observability.stepRecorder,
    clusterRecorder: observability.recording,
    recording: Effect.map(observability.recording, (recorder) => recorder.text()),
    addNote: observability.addNote,
    note: (text) => observability.addNote("step", text),
    publishCertificate: (certificate) => runNow(Effect.sync(() => publishCertificate(certificate))),
    faultInjector,
    load: { shares: controlPlane.loadShares, outsideMetrics: controlPlane.outsideMetrics },
    strategies,
    store,
    view,
    durability,
    clientAccess: makeClientAccess(clients, { timeline, callNow, observers, meter: controlPlane.meter })
  })
  yield* Effect.addFinalizer(() => Effect.sync(requests.close))
  yield* Effect.addFinalizer(() => Effect.sync(serving.close))
  return cluster
})

/**
 * Makes clusters that continue from a snapshot, for forecasts. Nothing is recorded in them. `changeLife` replaces the
 * lives of Pods, to try, for example, what would happen if the Pods started.
 */
const forkFrom =
  (from: Snapshot): ForecastSource<never>["fork"] =>
  ({ seed, changeLife }) => {
    const { livesOf } = from.settings
    const changedLives: ClusterOptions =
      changeLife === undefined
        ? {}
        : { livesOf: (pod, drawn) => changeLife(pod, livesOf?.(pod, drawn) ?? drawn) }
    const changes: ClusterOptions = { requestsKept: 0, observerErrors: "report", ...changedLives }
    // The settings of a running cluster have been checked.
    return Effect.orDie(makeClusterService({ ...changes, ...(seed === undefined ? {} : { seed }), from }))
  }
