import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { checkClusterOptions } from "./clusterOptions.ts"
import { faultsOutsideTimeline } from "../faults/faultsOutsideTimeline.ts"
import { makeObjectApi, resolveKind } from "./calls/objectApi.ts"
import { validateOptionNames } from "../options/invalidOptions.ts"
import {
  addressOptionNames,
  requireSynchronous,
  toLimitMillis,
  untilOptionNames
} from "./calls/callOptions.ts"
import { namespaceOrDefault } from "./calls/toStoreRequest.ts"
import { toDurationMillis } from "../kubernetes/meta/amounts/durations.ts"
import { makeObservability } from "./observability.ts"
import { loadCalls } from "./loads/loadCalls.ts"
import { makeForecastCall } from "./calls/forecastCall.ts"
import { makeRolloutWait } from "./calls/rolloutWait.ts"
import { makeClusterClock } from "../runtime/time/clusterClock.ts"
import { makeProgramTimers } from "../runtime/time/programTimers.ts"
import { makeUserCalls } from "../runtime/time/userCalls.ts"
import { makeObservers } from "../runtime/observers.ts"
import { queueMetersOf } from "../runtime/workers/queueMeters.ts"
import { libraryManager } from "../kubernetes/apply/managedFields/fieldManagers.ts"
import { withManager } from "../store/withManager.ts"
import { makeInterceptors } from "../server/traffic/interceptors.ts"
import { makeRequestLog } from "../server/traffic/makeRequestLog.ts"
import { makeClusterFetch } from "./serving/clusterFetch.ts"
import { keepData, openData } from "./data/keepData.ts"
import { makeClusterParts, snapshotCluster, startControlPlane } from "./clusterParts.ts"
import type { Exit } from "effect/Exit"
import type { Scope } from "effect/Scope"
import type { ClusterData, Durability } from "./data/clusterData.ts"
import type { ForecastSource } from "../forecast/makeForecast.ts"
import type { Snapshot } from "./snapshots/snapshot.ts"
import type { ClientAccess, ClusterService } from "./clusterService.ts"
import type { ClusterOptions, UnknownBehaviour } from "./clusterOptions.ts"
import type { InvalidOptions } from "../options/invalidOptions.ts"
import type { RunningServer } from "./serving/serveOptions.ts"
import type { Faults } from "../faults/activeFaults.ts"
import type { ObjectAddress } from "./calls/callOptions.ts"
import type { UserCalls } from "../runtime/time/userCalls.ts"
import type { Kernel } from "../runtime/time/kernel.ts"
import type { Observers } from "../runtime/observers.ts"
import type { ClientConnection } from "../faults/clientConnection.ts"

/** A running cluster on its own clock. Clusters of one process share nothing. */
export class Cluster extends Context.Service<Cluster, ClusterService>()("charthouse/Cluster") {
  static readonly layer = (
    options: ClusterOptions = {}
  ): Layer.Layer<Cluster, UnknownBehaviour | InvalidOptions> => Layer.effect(Cluster, makeCluster(options))
}

/** `openedData`: the directory of `data`, where the caller has opened it already. */
export const makeCluster = Effect.fnUntraced(function* (
  givenOptions: ClusterOptions = {},
  openedData?: ClusterData
): Effect.fn.Return<ClusterService, UnknownBehaviour | InvalidOptions, Scope> {
  const data = yield* openData(givenOptions, openedData)
  const { from } = data === undefined ? givenOptions : data.options
  const options: ClusterOptions = { ...from?.settings, ...(data?.options ?? givenOptions) }
  const checkedOptions = yield* checkClusterOptions(data?.options ?? givenOptions)
  const parts = makeClusterParts(options, checkedOptions)
  const { timeline, storage } = parts
  const { kernel } = timeline
  const { view } = storage
  const observers = makeObservers({ keepsFailures: options.observerErrors !== "report" })
  const store = withManager(storage.store, libraryManager)
  const { seed, strategies, steering } = checkedOptions

  let durability: Durability | undefined
  const userCalls = makeUserCalls({
    timeline,
    timeMoved: () => observability.timeMoved(),
    observers,
    ...(data === undefined ? {} : { makeDurable: () => durability?.commit() })
  })
  const { runNow, callNow, until, sleep, whileOpen, checkOpen, whileLoading } = userCalls
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
    charts: { strategies, steering },
    recordsSteps: why,
    record,
    earlierChanges: data?.opened.earlierChanges,
    userCalls,
    observers
  })
  yield* observability.loadRecorders

  const controlPlane = yield* startControlPlane(parts, observability, observers)
  const { clients, faults, attachObserver, publishCertificate, countDelayedFibers } = controlPlane
  observability.attachControlPlane({ attachObserver, faults })
  durability = data === undefined ? undefined : yield* keepData(data.opened, parts, faults)
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
    return Effect.andThen(end, userCalls.rejectObserverFailure)
  })
  timeline.catchUp()
  if (from?.kernel.shuffleState !== undefined) kernel.restoreRandom(from.kernel.shuffleState)

  const requests = makeRequestLog(requestsKept, checkOpen)
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
  const faultInjector = faultsOutsideTimeline(faults, userCalls)
  const snapshot = whileOpen(snapshotCluster(parts, countDelayedFibers))
  const nowMillis = (): number => {
    timeline.catchUpOncePerTurn()
    return kernel.nowMillis()
  }
  const servedTokens: Array<string> = []
  const keepToken = ({ token }: RunningServer): Effect.Effect<void, never, Scope> =>
    Effect.acquireRelease(
      Effect.sync(() => void servedTokens.push(token)),
      () => Effect.sync(() => void servedTokens.splice(servedTokens.indexOf(token), 1))
    )
  const clusterFetch = makeClusterFetch({
    userCalls,
    open: async () => {
      const { openClusterFetch } = await import("./serving/openClusterFetch.ts")
      return () => openClusterFetch(cluster, { requests, interceptors }, servedTokens)
    }
  })
  const cluster = Cluster.of({
    ...makeObjectApi({ store, view }, userCalls, observers),
    ...faultCalls(faultInjector),
    now: () => new Date(nowMillis()),
    nowMillis,
    run: runNow,
    checkOpen,
    step: (effect) => callNow(() => Effect.runSyncExit(effect)),
    clock: { ...clock, at },
    timers,
    advance: (duration) => Effect.suspend(() => advance(toDurationMillis(duration, "duration"))),
    sleep: (duration) => Effect.suspend(() => sleep(toDurationMillis(duration, "duration"))),
    settle: (limit) => Effect.suspend(() => until(isAtRest, toLimitMillis(limit), { skipsHeartbeats: true })),
    isAtRest,
    until: (condition, limit, untilOptions = {}) =>
      Effect.suspend(() => {
        validateOptionNames("until", untilOptions, untilOptionNames)
        return until(requireSynchronous(condition), toLimitMillis(limit), untilOptions)
      }),
    forecast: makeForecastCall({
      view,
      seed,
      nowMillis: kernel.nowMillis,
      faults: faults.active,
      whileLoading: userCalls.loadForClient,
      forks: Effect.map(snapshot, forksOf)
    }),
    rollout: makeRolloutWait({ view, until, strategies, nowMillis: kernel.nowMillis }),
    snapshot,
    fork: (changes = {}) =>
      Effect.flatMap(snapshot, (currentSnapshot) => makeCluster({ ...changes, from: currentSnapshot })),
    serve: (serveOptions) =>
      Effect.flatMap(
        whileLoading(() => import("./serving/serveCluster.ts")),
        ({ serve }) => Effect.tap(serve(cluster, serveOptions, { requests, interceptors }), keepToken)
      ),
    fetch: clusterFetch.fetch,
    requests,
    intercept: (which, interceptor) => {
      checkOpen()
      return interceptors.add(which, interceptor)
    },
    ...loadCalls(checkedOptions, controlPlane, runNow),
    why: (address) =>
      Effect.gen(function* () {
        const { resource, name } = validateOptionNames<ObjectAddress>("why", address, addressOptionNames)
        const { kind } = yield* resolveKind(view.kinds, resource)
        const { steps } = yield* observability.stepRecorder
        return steps({ kind, name, namespace: namespaceOrDefault(view.kinds, address) })
      }),
    queueMeters: () => queueMetersOf(kernel),
    stepRecorder: observability.stepRecorder,
    clusterRecorder: observability.recording,
    recording: Effect.map(observability.recording, (recorder) => recorder.text()),
    addNote: observability.note,
    note: (text) => observability.note("step", text),
    publishCertificate: (certificate) => runNow(Effect.sync(() => publishCertificate(certificate))),
    faultInjector,
    load: { shares: controlPlane.shares, outsideMetrics: controlPlane.outsideMetrics },
    strategies,
    store,
    view,
    durability,
    clientAccess: { ...makeClientAccess(clients, kernel, callNow, observers), meter: controlPlane.meter }
  })
  yield* Effect.addFinalizer(() => Effect.sync(requests.close))
  yield* Effect.addFinalizer(() => Effect.sync(clusterFetch.close))
  return cluster
})

/** Clusters that go on from a snapshot, for looking ahead. Nothing is recorded in them. */
const forksOf =
  (from: Snapshot): ForecastSource<never>["fork"] =>
  ({ seed, changeLife }) => {
    const { livesOf } = from.settings
    const changedLives: ClusterOptions =
      changeLife === undefined
        ? {}
        : { livesOf: (pod, drawn) => changeLife(pod, livesOf?.(pod, drawn) ?? drawn) }
    const changes: ClusterOptions = { requestsKept: 0, observerErrors: "report", ...changedLives }
    // The settings of a running cluster have been checked.
    return Effect.orDie(makeCluster({ ...changes, ...(seed === undefined ? {} : { seed }), from }))
  }

const faultCalls = ({ begin, active }: Faults): Pick<ClusterService, "fault" | "faults"> => ({
  fault: (fault) =>
    Effect.map(begin(fault), ({ id, end, met, endedMillis }) => ({
      id,
      end,
      ended: () => {
        const millis = endedMillis()
        return millis === undefined ? undefined : new Date(millis)
      },
      get met() {
        return met()
      }
    })),
  faults: () => active().map((fault) => ({ ...fault, met: fault.met() }))
})

const makeClientAccess = (
  { store, view, latestView, faultyStore, watches }: ClientConnection,
  kernel: Kernel,
  callNow: UserCalls["callNow"],
  observers: Observers
): Omit<ClientAccess, "meter"> => ({
  store,
  view,
  observers,
  viewOfLatestReads: latestView,
  runWithFaults: faultyStore.runAsOneRequest,
  watches,
  step: <A, E>(effect: Effect.Effect<A, E>) =>
    callNow((): Exit<A, E> | Promise<Exit<A, E>> => {
      if (!faultyStore.isDelayed()) return Effect.runSyncExit(effect)
      const fiber = kernel.run(effect)
      return fiber.pollUnsafe() ?? new Promise((resolve) => fiber.addObserver(resolve))
    })
})
