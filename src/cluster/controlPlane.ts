import * as Effect from "effect/Effect"
import { actorKindList } from "../../machines/actorKinds.ts"
import { makeEventRecorder } from "../controllers/eventRecorder.ts"
import { makeActors } from "../runtime/actors/actors.ts"
import { makeTimersBeforeControllers } from "../runtime/time/timersBeforeControllers.ts"
import { makeClusterSnapshotParts } from "../runtime/snapshotParts.ts"
import { objectKeyOf } from "../kubernetes/meta/objects.ts"
import { makeSupervisor } from "../runtime/workers/supervisor.ts"
import { withFieldManager } from "../store/withFieldManager.ts"
import { observedStore } from "../store/writeObserver.ts"
import { libraryManager } from "../kubernetes/apply/managedFields/fieldManagers.ts"
import type { ControllerName } from "../runtime/reconciler/controllerTurnOrder.ts"
import type { Scope } from "effect/Scope"
import type { Actors } from "../runtime/actors/actors.ts"
import type { EventRecorder } from "../controllers/eventRecorder.ts"
import type { ActorObserver } from "../runtime/actors/actorObserver.ts"
import type { Supervisor } from "../runtime/workers/supervisor.ts"
import type { FibersDelayedByFaults } from "./snapshots/snapshot.ts"
import type { ClientConnection } from "../faults/clientConnection.ts"
import type { ClusterView, ObjectStore } from "../store/objectStore.ts"
import { makeConnect, startControllers } from "./startControllers.ts"
import type { ControlPlaneOptions, StartedControllers } from "./startControllers.ts"

export const runControlPlane = Effect.fnUntraced(function* (
  options: ControlPlaneOptions
): Effect.fn.Return<ControlPlane, never, Scope> {
  const { timeline, store, view, featureGates, inspect, skipRoutineEvent } = options
  const { snapshotParts = makeClusterSnapshotParts() } = options
  const { kernel } = timeline
  const { nowMillis } = kernel
  const actors = makeActors({ kernel, ...(inspect === undefined ? {} : { inspect }) })
  yield* Effect.addFinalizer(() => Effect.sync(actors.stopAll))
  const recorder = yield* makeEventRecorder({ store, view, kernel, snapshotParts, skipRoutineEvent })
  const services = { store, view, events: observedEvents(recorder, actors), featureGates, nowMillis }
  if (options.observer !== undefined) actors.attachObserver(options.observer)
  const supervisor = yield* makeSupervisor<ControllerName>(snapshotParts.forOwner("supervisor"))
  const connect = makeConnect({
    view,
    timers: makeTimersBeforeControllers(kernel),
    // `sights` is the name of this part in the format of snapshots: what each controller has seen.
    snapshotParts: snapshotParts.forOwner("sights")
  })
  const connections = new Map<ControllerName, ClientConnection>()
  const runtime = { kernel, snapshotParts, actors, supervisor, services, connect, connections }
  const startedControllers = yield* startControllers(options, runtime)

  const clients = connect("clients", { store, usedBy: "client" })
  // Faults do not affect their own writes; actor observers see these writes.
  const unobservedFaultStore = withFieldManager(store, libraryManager)
  const faultStore = { ...unobservedFaultStore }
  const observeOutsideWrites = (observer: ActorObserver): void => {
    clients.observeWrites(observer.observeWrites("clients"))
    // Assigned in place, because the faults already hold this store.
    Object.assign(
      faultStore,
      observedStore(unobservedFaultStore, view.kinds, observer.observeWrites("faults"))
    )
  }
  if (actors.observer !== undefined) observeOutsideWrites(actors.observer)
  const allConnections: ReadonlyArray<ClientConnection> = [clients, ...connections.values()]
  const sumOfConnections = (countOf: (connection: ClientConnection) => number): number =>
    allConnections.reduce((count, connection) => count + countOf(connection), 0)
  const delayedCount = (): number =>
    supervisor.delayedKeyCount() +
    sumOfConnections(
      ({ faultyStore, faultyView }) => faultyStore.waitingWrites() + faultyView.pendingChanges()
    )
  return {
    attachObserver: (observer) => {
      actors.attachObserver(observer)
      for (const [name, connection] of connections) connection.observeWrites(observer.observeWrites(name))
      observeOutsideWrites(observer)
      reportExistingActors(observer, actors, view)
    },
    movingCount: () => actors.movingCount() + delayedCount(),
    countDelayedFibers: () => ({
      writes: sumOfConnections(({ faultyStore }) => faultyStore.waitingWrites()),
      waitingControllers: sumOfConnections(({ faultyView }) => faultyView.waitingFibers())
    }),
    ...startedControllers,
    actors,
    supervisor,
    connections,
    clients,
    faultStore
  }
})

interface ControlPlane extends StartedControllers {
  readonly attachObserver: (observer: ActorObserver) => void
  readonly movingCount: () => number
  readonly countDelayedFibers: () => FibersDelayedByFaults
  readonly actors: Actors
  readonly supervisor: Supervisor<ControllerName>
  readonly connections: ReadonlyMap<ControllerName, ClientConnection>
  readonly clients: ClientConnection
  readonly faultStore: ObjectStore["Service"]
}

const observedEvents = (recorder: EventRecorder, actors: Actors): EventRecorder => ({
  record: (request) => {
    const { observer } = actors
    if (observer === undefined) return recorder.record(request)
    return Effect.suspend(() => {
      observer.eventRecorded(request.about.metadata.uid, request.event)
      return recorder.record(request)
    })
  }
})

const reportExistingActors = (
  observer: ActorObserver,
  actors: Actors,
  view: ClusterView["Service"]
): void => {
  for (const { resource } of actorKindList) {
    if (resource === undefined) continue
    for (const object of view.all(resource)) {
      const { uid } = object.metadata
      const actor = actors.get(uid)
      if (actor !== undefined) observer.actorStarted({ uid, key: objectKeyOf(object), ref: actor.ref })
    }
  }
}
