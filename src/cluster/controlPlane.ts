import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import { deploymentMachine } from "../../machines/deployment.ts"
import { nodeMachine } from "../../machines/node.ts"
import { podMachine } from "../../machines/pod.ts"
import { replicaSetMachine } from "../../machines/replicaSet.ts"
import { runGarbageCollector } from "../controllers/garbage/garbageCollector.ts"
import { deploymentController } from "../controllers/deploymentController.ts"
import { runPodGarbageCollector } from "../controllers/garbage/podGarbageCollector.ts"
import { runDisruptionController } from "../controllers/disruptionController.ts"
import { runEndpointsController } from "../controllers/endpointsController.ts"
import { runServiceAccountController } from "../controllers/serviceAccountController.ts"
import { runCustomResourceFinalizer } from "../controllers/customResourceFinalizer.ts"
import { runNamespaceController } from "../controllers/namespaceController.ts"
import { makeEventRecorder } from "../controllers/eventRecorder.ts"
import { makeSchedulingRequests, runScheduler } from "../controllers/scheduler/scheduler.ts"
import { nodeController } from "../controllers/nodeController.ts"
import { podController } from "../controllers/podController.ts"
import { replicaSetController } from "../controllers/replicaSetController.ts"
import { runResourceQuotaController } from "../controllers/resourceQuotaController.ts"
import { makePodFaults } from "../faults/pods/podFaults.ts"
import { CurrentWriter } from "../faults/currentWriter.ts"
import { makeActors } from "../runtime/actors/actors.ts"
import { makeStoreTimers } from "../runtime/time/storeTimers.ts"
import { logDefect } from "../runtime/logDefect.ts"
import { makeClusterMemory } from "../runtime/snapshotMemory.ts"
import { makePodLifecycles } from "./podLifecycles.ts"
import { objectKeyOf } from "../kubernetes/meta/objects.ts"
import { resources } from "../kubernetes/meta/kinds.ts"
import { OnDefect } from "../runtime/workers/worker.ts"
import { reconcile } from "../runtime/reconciler/reconciler.ts"
import { makeSupervisor } from "../runtime/workers/supervisor.ts"
import { makeClientConnection } from "../faults/clientConnection.ts"
import { withManager } from "../store/withManager.ts"
import { observedStore } from "../store/writeObserver.ts"
import {
  apiServerManager,
  controllerManager,
  kubeletManager,
  libraryManager,
  schedulerManager
} from "../kubernetes/apply/managedFields/fieldManagers.ts"
import type { Scope } from "effect/Scope"
import type { AnyStateMachine, InspectionEvent } from "xstate"
import type { Strategy } from "../../machines/strategies/strategy.ts"
import type { Behaviour } from "../behaviours/behaviour.ts"
import type { ClusterOptions } from "./clusterOptions.ts"
import type { ControllerServices } from "../controllers/controllerServices.ts"
import type { GroupResource } from "../kubernetes/meta/kinds.ts"
import type { FeatureGates } from "../kubernetes/meta/featureGates.ts"
import type { KubeObject, Pod } from "../kubernetes/meta/objects.ts"
import type { PodLife } from "../kubernetes/pods/podLife.ts"
import type { PodFaults } from "../faults/pods/podFaults.ts"
import type { ControllerName } from "../faults/fault.ts"
import type { Actors } from "../runtime/actors/actors.ts"
import type { ClusterMemory } from "../runtime/snapshotMemory.ts"
import type { EventRecorder } from "../controllers/eventRecorder.ts"
import type { ActorObserver } from "../runtime/actors/actorObserver.ts"
import type { Controller } from "../runtime/reconciler/controller.ts"
import type { Supervisor } from "../runtime/workers/supervisor.ts"
import type { Timeline } from "../runtime/time/timeline.ts"
import type { HeldUpFibers } from "./snapshots/snapshot.ts"
import type { FaultyViewState } from "../faults/faultyView.ts"
import type { ClientConnection } from "../faults/clientConnection.ts"
import type { ClusterView, ObjectStore } from "../store/objectStore.ts"

interface ControlPlaneOptions {
  readonly timeline: Timeline
  readonly store: ObjectStore["Service"]
  readonly view: ClusterView["Service"]
  readonly seed: number
  readonly behaviours: ReadonlyArray<Behaviour>
  readonly behaviour: Behaviour
  readonly livesOf?: ClusterOptions["livesOf"] | undefined
  readonly strategies: ReadonlyArray<Strategy>
  readonly featureGates: FeatureGates
  /** Time without a heartbeat after which a node is lost; 50 s by default. */
  readonly lostAfterSeconds?: number | undefined
  readonly inspect?: (event: InspectionEvent) => void
  readonly onlooker?: ActorObserver | undefined
  readonly memory?: ClusterMemory
}

const actorResources = [
  resources.deployments,
  resources.replicaSets,
  resources.pods,
  resources.nodes
] as const

/** `node-monitor-grace-period` since 1.32. */
const lostAfterDefaultSeconds = 50

/** Starts all controllers of a cluster on one timeline. The end of the scope stops all fibers, actors and timers. */
export const runControlPlane = Effect.fnUntraced(function* (
  options: ControlPlaneOptions
): Effect.fn.Return<ControlPlane, never, Scope> {
  const { timeline, store, view, featureGates, inspect, memory = makeClusterMemory() } = options
  const { kernel } = timeline
  const { nowMillis } = kernel
  const actors = makeActors({ kernel, ...(inspect === undefined ? {} : { inspect }) })
  yield* Effect.addFinalizer(() => Effect.sync(actors.stopAll))
  const recorder = yield* makeEventRecorder({ store, view, kernel, memory: memory.forOwner("events") })
  const events: EventRecorder = {
    record: (happened) => {
      const { observer: onlooker } = actors
      if (onlooker === undefined) return recorder.record(happened)
      return Effect.suspend(() => {
        onlooker.eventRecorded(happened.about.metadata.uid, happened.event)
        return recorder.record(happened)
      })
    }
  }
  const services = { store, view, events, featureGates, nowMillis }

  const onDefect = Effect.fnUntraced(function* (object: KubeObject, cause: Cause.Cause<unknown>) {
    const { kind, metadata } = object
    yield* Metric.update(actorFailures, 1)
    yield* logDefect(`the actor of ${kind} ${metadata.name} failed and is made anew`, cause)
    const event = { eventType: "Warning", reason: "ActorFailed", message: messageOf(cause) } as const
    yield* events.record({ component: "charthouse", about: object, event })
  })

  if (options.onlooker !== undefined) actors.attachObserver(options.onlooker)
  const supervisor = yield* makeSupervisor<ControllerName>(memory.forOwner("supervisor"))
  const links = new Map<ControllerName, ClientConnection>()
  const later = makeStoreTimers(kernel)
  const sights = memory.forOwner("sights")
  const connect = (
    name: string,
    party: Pick<Parameters<typeof makeClientConnection>[0], "store" | "of">
  ): ClientConnection => {
    const link = makeClientConnection({ ...party, view, timers: later })
    const { save, restore } = link.faultyView
    sights.registerPart<FaultyViewState>(name, {
      save: () => {
        const state = save()
        return state?.next === undefined ? state : { ...state, next: sights.placeOf(state.next) }
      },
      restore
    })
    return link
  }
  const run = (
    name: ControllerName,
    runController: (services: ControllerServices) => Effect.Effect<unknown, never, Scope>
  ): Effect.Effect<void> => {
    const link = connect(name, { store: withManager(store, managerOf(name)), of: "controller" })
    links.set(name, link)
    // Also for a controller that is stopped in the snapshot: subscribers keep their order.
    link.subscribeToStore()
    if (actors.observer !== undefined) link.observeWrites(actors.observer.observeWrites(name))
    const start = Effect.suspend(() => {
      const ownMemory = memory.forOwner(name)
      const running = runController({
        ...services,
        store: link.store,
        view: link.view,
        memory: ownMemory
      }).pipe(Effect.provideService(CurrentWriter, name), Effect.provideService(OnDefect, defectsOf(name)))
      return Effect.andThen(
        Effect.addFinalizer(() => Effect.sync(ownMemory.discard)),
        running
      )
    })
    return supervisor.supervise(name, start)
  }
  const runActors = <R extends GroupResource>(
    name: ControllerName,
    make: (services: ControllerServices) => Controller<R>
  ): Effect.Effect<void> =>
    run(name, (ownServices) => {
      const { view: ownView, memory: ownMemory } = ownServices
      return reconcile(make(ownServices), { kernel, view: ownView, actors, onDefect, memory: ownMemory })
    })

  const requests = makeSchedulingRequests(memory.forOwner("placementRequests"))
  const bodies = makePodFaults(view)
  memory.forOwner("bodies").registerPart("bodies", bodies)
  const drawnLifeOf = makePodLifecycles({ ...options, memory: memory.forOwner("podLives") })
  const lifeOf = (pod: Pod): PodLife => bodies.lifeOf(pod, drawnLifeOf(pod))
  const lostAfterMillis = (options.lostAfterSeconds ?? lostAfterDefaultSeconds) * 1000
  const deployments = chartFor(options.strategies)

  yield* run("scheduler", (ownServices) => runScheduler(ownServices, kernel, requests))
  yield* runActors("pod", (ownServices) =>
    podController(
      { ...ownServices, lifeOf, requestBinding: requests.request, awaken: bodies.onWake },
      podMachine
    )
  )
  yield* runActors("node", (ownServices) => nodeController({ ...ownServices, lostAfterMillis }, nodeMachine))
  yield* runActors("replicaSet", (ownServices) => replicaSetController(ownServices, replicaSetMachine))
  yield* runActors("deployment", (ownServices) =>
    deploymentController(ownServices, deployments, options.strategies)
  )
  yield* run("garbageCollector", (ownServices) => runGarbageCollector(ownServices, kernel))
  yield* run("podGarbageCollector", (ownServices) => runPodGarbageCollector(ownServices, kernel))
  yield* run("namespace", (ownServices) => runNamespaceController(ownServices, kernel))
  const definitionServices = { ...services, store: withManager(store, apiServerManager) }
  yield* runCustomResourceFinalizer(
    { ...definitionServices, memory: memory.forOwner("customResources") },
    kernel
  )
  yield* run("resourceQuota", (ownServices) => runResourceQuotaController(ownServices, kernel))
  const accountServices = {
    ...services,
    store: withManager(store, controllerManager),
    memory: memory.forOwner("serviceAccounts")
  }
  const { publish } = yield* runServiceAccountController(accountServices, kernel)
  yield* run("disruptionBudget", (ownServices) => runDisruptionController(ownServices, kernel))
  yield* run("endpoints", (ownServices) => runEndpointsController(ownServices, kernel))

  // Clients name the field manager with each write.
  const clients = connect("clients", { store, of: "client" })
  // Writes of faults meet no faults; actor observers see them.
  const faultStore = withManager(store, libraryManager)
  const fates = { ...faultStore }
  const listenTo = (onlooker: ActorObserver): void => {
    clients.observeWrites(onlooker.observeWrites("clients"))
    Object.assign(fates, observedStore(faultStore, view.kinds, onlooker.observeWrites("faults")))
  }
  if (actors.observer !== undefined) listenTo(actors.observer)
  const all: ReadonlyArray<ClientConnection> = [clients, ...links.values()]
  const sum = (of: (link: ClientConnection) => number): number => all.reduce((count, it) => count + of(it), 0)
  const delayedCount = (): number =>
    supervisor.delayedKeys() +
    sum(({ faultyStore, faultyView }) => faultyStore.waitingWrites() + faultyView.pendingChanges())
  return {
    lookOn: (onlooker) => {
      actors.attachObserver(onlooker)
      for (const [name, link] of links) link.observeWrites(onlooker.observeWrites(name))
      listenTo(onlooker)
      for (const resource of actorResources) {
        for (const object of view.all(resource)) {
          const { uid } = object.metadata
          const actor = actors.get(uid)
          if (actor !== undefined) onlooker.actorStarted({ uid, key: objectKeyOf(object), ref: actor.ref })
        }
      }
    },
    moving: () => actors.movingCount() + delayedCount(),
    heldUp: () => ({
      writes: sum(({ faultyStore }) => faultyStore.waitingWrites()),
      waitingControllers: sum(({ faultyView }) => faultyView.waitingFibers())
    }),
    publishCertificate: publish,
    actors,
    bodies,
    lifeOf,
    supervisor,
    links,
    clients,
    fates
  }
})

interface ControlPlane {
  readonly lookOn: (onlooker: ActorObserver) => void
  /** Number of moving actors, and of writes and reads that faults delay. */
  readonly moving: () => number
  /** Writes and reads that faults delay at this instant. */
  readonly heldUp: () => HeldUpFibers
  readonly publishCertificate: (certificate: string) => void
  readonly actors: Actors
  readonly bodies: PodFaults
  /** The life of a Pod, with faults applied. */
  readonly lifeOf: (pod: Pod) => PodLife
  readonly supervisor: Supervisor<ControllerName>
  readonly links: ReadonlyMap<ControllerName, ClientConnection>
  readonly clients: ClientConnection
  readonly fates: ObjectStore["Service"]
}

/** Field manager of a controller. The `pod` controller is the kubelet. */
const managerOf = (controller: ControllerName): string =>
  controller === "pod" ? kubeletManager : controller === "scheduler" ? schedulerManager : controllerManager

/** Composing a chart is slow: clusters without own strategies share one. */
const chartsByStrategies = new WeakMap<ReadonlyArray<Strategy>, AnyStateMachine>()
const chartFor = (strategies: ReadonlyArray<Strategy>): AnyStateMachine => {
  const chart = chartsByStrategies.get(strategies) ?? deploymentMachine(strategies)
  chartsByStrategies.set(strategies, chart)
  return chart
}

const defectsOf = (name: ControllerName): typeof OnDefect.Service =>
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
