import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import { deploymentMachine } from "../../machines/deployment.ts"
import { nodeMachine } from "../../machines/node.ts"
import { podMachine } from "../../machines/pod.ts"
import { replicaSetMachine } from "../../machines/replicaSet.ts"
import { daemonSetMachine } from "../../machines/daemonSet.ts"
import { horizontalPodAutoscalerMachine } from "../../machines/horizontalPodAutoscaler.ts"
import { cronJobMachine } from "../../machines/cronJob.ts"
import { jobMachine } from "../../machines/job.ts"
import { steeringMachine } from "../../machines/steering.ts"
import { builtInSteering } from "../../machines/steering/steeringStrategies.ts"
import { statefulSetMachine } from "../../machines/statefulSet.ts"
import { runGarbageCollector } from "../controllers/garbage/garbageCollector.ts"
import { deploymentController } from "../controllers/deploymentController.ts"
import { runPodGarbageCollector } from "../controllers/garbage/podGarbageCollector.ts"
import { runDisruptionController } from "../controllers/disruptionController.ts"
import { runEndpointsController } from "../controllers/endpointsController.ts"
import { runServiceAccountController } from "../controllers/serviceAccountController.ts"
import { runCustomResourceFinalizer } from "../controllers/customResourceFinalizer.ts"
import { runNamespaceController } from "../controllers/namespaceController.ts"
import { uniformInt } from "pure-rand/distribution/uniformInt"
import { podRandom } from "../behaviours/podRandom.ts"
import { behaviourSources } from "../steering/sources/behaviourSources.ts"
import { loadedStrategyReader, loadReaderForStrategies } from "../steering/strategyReader.ts"
import { steeringController } from "../steering/steeringController.ts"
import { selectControllers } from "../controllers/managerControllers.ts"
import { runScheduler } from "../scheduler/scheduler.ts"
import { makeSchedulingRequests } from "../scheduler/schedulingRequests.ts"
import { nodeController } from "../controllers/nodeController.ts"
import { podController } from "../controllers/podController.ts"
import { replicaSetController } from "../controllers/replicaSetController.ts"
import { daemonSetController } from "../controllers/daemonSets/daemonSetController.ts"
import { cronJobController } from "../controllers/cronJobs/cronJobController.ts"
import { autoscalerController } from "../controllers/autoscalers/autoscalerController.ts"
import { jobController } from "../controllers/jobs/jobController.ts"
import { runOrphanedJobPods } from "../controllers/jobs/orphanedJobPods.ts"
import { statefulSetController } from "../controllers/statefulSets/statefulSetController.ts"
import { runVolumeController } from "../controllers/volumes/volumeController.ts"
import { runResourceQuotaController } from "../controllers/resourceQuotaController.ts"
import { makePodFaults } from "../faults/pods/podFaults.ts"
import { CurrentWriter, withWriter } from "../runtime/reconciler/currentWriter.ts"
import { logDefect } from "../runtime/logDefect.ts"
import { makeLoadShares } from "./loads/loadShares.ts"
import { makePodLifecycles } from "./podLifecycles.ts"
import { makeOutsideMetrics } from "./loads/outsideMetrics.ts"
import { makePodMeter } from "./loads/podMeter.ts"
import { OnDefect } from "../runtime/workers/worker.ts"
import { reconcile } from "../runtime/reconciler/reconciler.ts"
import { makeClientConnection } from "../faults/clientConnection.ts"
import { withFieldManager } from "../store/withFieldManager.ts"
import {
  apiServerManager,
  controllerManager,
  kubeletManager,
  schedulerManager
} from "../kubernetes/apply/managedFields/fieldManagers.ts"
import { steeringManager } from "../kubernetes/steering/steeringNames.ts"
import type { ControllerName } from "../runtime/reconciler/controllerTurnOrder.ts"
import type { Scope } from "effect/Scope"
import type { AnyStateMachine, InspectionEvent } from "xstate"
import type { SteeringStrategy } from "../../machines/steering/steeringStrategy.ts"
import type { Strategy } from "../../machines/strategies/strategy.ts"
import type { Behaviour } from "../behaviours/behaviour.ts"
import type { ClusterOptions } from "./clusterOptions.ts"
import type { ControllerSelection } from "../controllers/managerControllers.ts"
import type { ControllerServices } from "../controllers/controllerServices.ts"
import type { GroupResource } from "../kubernetes/meta/kinds.ts"
import type { FeatureGates } from "../kubernetes/meta/featureGates.ts"
import type { OutsideMetrics } from "./loads/outsideMetrics.ts"
import type { LoadShares } from "./loads/loadShares.ts"
import type { PodMeter } from "../kubernetes/metrics/podMeter.ts"
import type { KubeObject, Pod } from "../kubernetes/meta/objects.ts"
import type { PodLife } from "../kubernetes/pods/podLife.ts"
import type { PodFaults } from "../faults/pods/podFaults.ts"
import type { Actors } from "../runtime/actors/actors.ts"
import type { ClusterSnapshotParts, SnapshotParts } from "../runtime/snapshotParts.ts"
import type { EventRecorder } from "../controllers/eventRecorder.ts"
import type { ActorObserver } from "../runtime/actors/actorObserver.ts"
import type { Controller } from "../runtime/reconciler/controller.ts"
import type { Supervisor } from "../runtime/workers/supervisor.ts"
import type { Kernel } from "../runtime/time/kernel.ts"
import type { Timeline } from "../runtime/time/timeline.ts"
import type { Timers } from "../runtime/timers.ts"
import type { SkipWrite } from "../store/memoryStore.ts"
import type { FaultyViewState } from "../faults/faultyView.ts"
import type { ClientConnection, ClientConnectionOptions } from "../faults/clientConnection.ts"
import type { ClusterView, ObjectStore } from "../store/objectStore.ts"

export interface ControlPlaneOptions {
  readonly timeline: Timeline
  readonly store: ObjectStore["Service"]
  readonly view: ClusterView["Service"]
  readonly seed: number
  readonly behaviours: ReadonlyArray<Behaviour>
  readonly behaviour: Behaviour
  readonly livesOf?: ClusterOptions["livesOf"] | undefined
  readonly strategies: ReadonlyArray<Strategy>
  readonly steering: ReadonlyArray<SteeringStrategy>
  readonly featureGates: FeatureGates
  readonly controllers?: ReadonlyArray<string> | undefined
  readonly lostAfterSeconds?: number | undefined
  readonly skipRoutineEvent?: SkipWrite | undefined
  readonly inspect?: (event: InspectionEvent) => void
  readonly observer?: ActorObserver | undefined
  readonly snapshotParts?: ClusterSnapshotParts
}

/** `node-monitor-grace-period` since 1.32. */
const lostAfterDefaultSeconds = 50

export interface ControllerRuntime {
  readonly kernel: Kernel
  readonly snapshotParts: ClusterSnapshotParts
  readonly actors: Actors
  readonly supervisor: Supervisor<ControllerName>
  readonly services: Omit<ControllerServices, "snapshotParts">
  readonly connect: Connect
  readonly connections: Map<ControllerName, ClientConnection>
}

interface SelectedRuntime extends ControllerRuntime {
  readonly selection: ControllerSelection
}

export interface StartedControllers {
  readonly podFaults: PodFaults
  readonly lifeOf: (pod: Pod) => PodLife
  readonly publishCertificate: (certificate: string) => void
  readonly loadShares: LoadShares
  readonly outsideMetrics: OutsideMetrics
  readonly meter: PodMeter
}

/** Controllers get changes in the order in which they start. */
export const startControllers = Effect.fnUntraced(function* (
  options: ControlPlaneOptions,
  controllerRuntime: ControllerRuntime
): Effect.fn.Return<StartedControllers, never, Scope> {
  const { store, view, strategies } = options
  const { kernel, snapshotParts, services } = controllerRuntime
  const selection = selectControllers(options.controllers)
  const runtime: SelectedRuntime = { ...controllerRuntime, selection }
  const run: RunController = (name, startController) => runController(runtime, name, startController)
  const runActors: RunActors = (name, makeController) => runActorsOf(runtime, name, makeController)

  const schedulingRequests = makeSchedulingRequests(snapshotParts.forOwner("placementRequests"))
  const drawNodeIndex = (pod: Pod, count: number): number =>
    uniformInt(podRandom(options.seed, `${pod.metadata.uid}/node`), 0, count - 1)
  const podFaults = makePodFaults(view)
  // `bodies` is the name of this part in the format of snapshots.
  snapshotParts.forOwner("bodies").registerPart("bodies", podFaults)
  const drawnLifeOf = makePodLifecycles({ ...options, snapshotParts: snapshotParts.forOwner("podLives") })
  const lifeOf = (pod: Pod): PodLife => podFaults.lifeOf(pod, drawnLifeOf(pod))
  const lostAfterMillis = (options.lostAfterSeconds ?? lostAfterDefaultSeconds) * 1000
  const deploymentChart = chartFor(strategies)

  yield* run("scheduler", (ownServices) =>
    runScheduler(ownServices, kernel, { requests: schedulingRequests, drawNodeIndex })
  )
  yield* runActors("pod", (ownServices) =>
    podController(
      {
        ...ownServices,
        lifeOf,
        requestBinding: schedulingRequests.request,
        // A fault on a Pod changes no object: it wakes the Pod's actor itself.
        giveWakeToFaults: podFaults.connectWake
      },
      podMachine
    )
  )
  yield* runActors("node", (ownServices) =>
    nodeController({ ...ownServices, lostAfterMillis, runs: selection.runs }, nodeMachine)
  )
  yield* runActors("replicaSet", (ownServices) => replicaSetController(ownServices, replicaSetMachine))
  yield* runActors("statefulSet", (ownServices) => statefulSetController(ownServices, statefulSetMachine))
  yield* runActors("daemonSet", (ownServices) => daemonSetController(ownServices, daemonSetMachine))
  const expiresFinishedJobs = selection.runs("ttl-after-finished-controller")
  yield* runActors("job", (ownServices) =>
    jobController({ ...ownServices, deletesExpired: expiresFinishedJobs }, jobMachine)
  )
  yield* runActors("cronJob", (ownServices) => cronJobController(ownServices, cronJobMachine))
  const loadShares = makeLoadShares({
    ...options,
    nowMillis: kernel.nowMillis,
    snapshotParts: snapshotParts.forOwner("loads")
  })
  const outsideMetrics = makeOutsideMetrics(kernel.nowMillis, snapshotParts.forOwner("outsideMetrics"))
  const meter = makePodMeter({ ...options, loadShares, outsideMetrics, nowMillis: kernel.nowMillis })
  yield* runActors("horizontalPodAutoscaler", (ownServices) =>
    autoscalerController({ ...ownServices, meter }, horizontalPodAutoscalerMachine)
  )
  yield* runActors("deployment", (ownServices) =>
    deploymentController(ownServices, deploymentChart, strategies)
  )
  yield* loadReaderForStrategies(services.view, options.timeline.holdWhileLoading)
  yield* runActors("steering", (ownServices) => {
    // XState may refuse a chart of the user's: the controller does not start with it.
    if (options.steering !== builtInSteering) steeringChartFor(options.steering)
    return steeringController(ownServices, {
      machine: () => steeringChartFor(options.steering),
      strategies: options.steering,
      strategyReader: loadedStrategyReader,
      sources: behaviourSources(ownServices.view, meter)
    })
  })
  yield* run("garbageCollector", (ownServices) => runGarbageCollector(ownServices, kernel))
  yield* run("podGarbageCollector", (ownServices) => runPodGarbageCollector(ownServices, kernel))
  yield* run("namespace", (ownServices) => runNamespaceController(ownServices, kernel))
  // Faults cannot affect controllers that write to `store` itself, as this one does.
  const definitionServices = { ...services, store: withFieldManager(store, apiServerManager) }
  yield* runCustomResourceFinalizer(
    { ...definitionServices, snapshotParts: snapshotParts.forOwner("customResources") },
    kernel
  )
  yield* run("resourceQuota", (ownServices) => runResourceQuotaController(ownServices, kernel))
  const accountServices = {
    ...services,
    store: withFieldManager(store, controllerManager),
    snapshotParts: snapshotParts.forOwner("serviceAccounts")
  }
  const { publish } = yield* runServiceAccountController(accountServices, kernel, selection)
  if (selection.runs("job-controller"))
    yield* runOrphanedJobPods(
      { ...accountServices, snapshotParts: snapshotParts.forOwner("orphanedJobPods") },
      kernel
    )
  const volumeServices = { ...accountServices, snapshotParts: snapshotParts.forOwner("volumes") }
  yield* runVolumeController(volumeServices, kernel, selection)
  yield* run("disruptionBudget", (ownServices) => runDisruptionController(ownServices, kernel))
  yield* run("endpoints", (ownServices) => runEndpointsController(ownServices, kernel, selection))
  return { podFaults, lifeOf, publishCertificate: publish, loadShares, outsideMetrics, meter }
})

type StartController = (services: ControllerServices) => Effect.Effect<unknown, never, Scope>

type RunController = (name: ControllerName, startController: StartController) => Effect.Effect<void>

type RunActors = <R extends GroupResource>(
  name: ControllerName,
  makeController: (services: ControllerServices) => Controller<R>
) => Effect.Effect<void>

const runController = (
  { snapshotParts, actors, supervisor, services, connect, connections, selection }: SelectedRuntime,
  name: ControllerName,
  startController: StartController
): Effect.Effect<void> => {
  const store = withWriter(withFieldManager(services.store, managerOf(name)), name)
  const connection = connect(name, { store, usedBy: "controller" })
  connections.set(name, connection)
  // A stopped controller also subscribes, so that subscribers keep their order in snapshots.
  connection.subscribeToStore()
  if (actors.observer !== undefined) connection.observeWrites(actors.observer.observeWrites(name))
  const start = Effect.suspend(() => {
    const ownParts = snapshotParts.forOwner(name)
    const controllerEffect = startController({
      ...services,
      store: connection.store,
      view: connection.view,
      snapshotParts: ownParts
    }).pipe(
      Effect.provideService(CurrentWriter, name),
      Effect.provideService(OnDefect, onControllerDefect(name))
    )
    return Effect.andThen(
      Effect.addFinalizer(() => Effect.sync(ownParts.discard)),
      controllerEffect
    )
  })
  return supervisor.supervise(name, start, selection.runsController(name))
}

const runActorsOf = <R extends GroupResource>(
  runtime: SelectedRuntime,
  name: ControllerName,
  makeController: (services: ControllerServices) => Controller<R>
): Effect.Effect<void> => {
  const { kernel, actors, services } = runtime
  const onDefect = onActorDefect(services.events)
  return runController(runtime, name, (ownServices) => {
    const { view, snapshotParts } = ownServices
    return reconcile(makeController(ownServices), { kernel, view, actors, onDefect, snapshotParts })
  })
}

type Connect = (name: string, options: Pick<ClientConnectionOptions, "store" | "usedBy">) => ClientConnection

export const makeConnect =
  ({
    view,
    timers,
    snapshotParts
  }: {
    readonly view: ClusterView["Service"]
    readonly timers: Timers
    readonly snapshotParts: SnapshotParts
  }): Connect =>
  (name, options) => {
    const connection = makeClientConnection({ ...options, view, timers })
    const { save, restore } = connection.faultyView
    snapshotParts.registerPart<FaultyViewState>(name, {
      save: () => {
        const state = save()
        return state?.next === undefined
          ? state
          : { ...state, next: snapshotParts.saveTimerPlace(state.next) }
      },
      restore
    })
    return connection
  }

/** The `pod` controller is the kubelet. */
const managerByController: Partial<Readonly<Record<ControllerName, string>>> = {
  pod: kubeletManager,
  scheduler: schedulerManager,
  steering: steeringManager
}

const managerOf = (controller: ControllerName): string => managerByController[controller] ?? controllerManager

/** Composing a chart is slow. */
const memoizeChart = <S>(compose: (strategies: ReadonlyArray<S>) => AnyStateMachine) => {
  const charts = new WeakMap<ReadonlyArray<S>, AnyStateMachine>()
  return (strategies: ReadonlyArray<S>): AnyStateMachine => {
    const chart = charts.get(strategies) ?? compose(strategies)
    charts.set(strategies, chart)
    return chart
  }
}

const chartFor = memoizeChart(deploymentMachine)
const steeringChartFor = memoizeChart(steeringMachine)

const onActorDefect = (events: EventRecorder) =>
  Effect.fnUntraced(function* (object: KubeObject, cause: Cause.Cause<unknown>) {
    const { kind, metadata } = object
    yield* Metric.update(actorFailures, 1)
    yield* logDefect(`the actor of ${kind} ${metadata.name} failed and is made anew`, cause)
    const event = { eventType: "Warning", reason: "ActorFailed", message: messageOf(cause) } as const
    yield* events.record({ component: "charthouse", about: object, event })
  })

const onControllerDefect = (name: ControllerName): typeof OnDefect.Service =>
  Effect.fnUntraced(function* (key, cause) {
    yield* Metric.update(controllerFailures, 1)
    yield* logDefect(`the ${name} controller failed at ${key} and tries again`, cause)
  })

const controllerFailures = Metric.counter("charthouse_controller_failures_total", {
  description: "Defects of controllers outside their actors, each of which was tried again",
  incremental: true
})

const actorFailures = Metric.counter("charthouse_actor_failures_total", {
  description: "Actors that were discarded after a failure and made anew",
  incremental: true
})

const messageOf = (cause: Cause.Cause<unknown>): string => {
  const failure = Cause.squash(cause)
  return failure instanceof Error ? failure.message : String(failure)
}
