import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import { deploymentMachine } from "../machines/deployment.ts"
import { nodeMachine } from "../machines/node.ts"
import { podMachine } from "../machines/pod.ts"
import { replicaSetMachine } from "../machines/replicaSet.ts"
import { collectGarbage } from "./controllers/garbageCollector.ts"
import { deploymentController } from "./controllers/deployments.ts"
import { collectPodGarbage } from "./controllers/podGarbage.ts"
import { keepDisruptionBudgets } from "./controllers/disruptionBudgets.ts"
import { keepEndpoints } from "./controllers/endpoints.ts"
import { keepServiceAccounts } from "./controllers/serviceAccounts.ts"
import { removeCustomResources } from "./controllers/customResources.ts"
import { emptyNamespaces } from "./controllers/namespaces.ts"
import { makeEventRecorder } from "./controllers/eventRecorder.ts"
import { makePlacementRequests, makeScheduler } from "./controllers/scheduler.ts"
import { nodeController } from "./controllers/nodes.ts"
import { podController } from "./controllers/pods.ts"
import { replicaSetController } from "./controllers/replicaSets.ts"
import { reportQuotas } from "./controllers/resourceQuotas.ts"
import { makeBodies } from "./faults/bodies.ts"
import { Writing } from "./faults/writing.ts"
import { makeActors } from "./runtime/actors.ts"
import { laterOn } from "./runtime/laterOn.ts"
import { logDefect } from "./runtime/logDefect.ts"
import { makeMemory } from "./runtime/memory.ts"
import { makePodLives } from "./podLives.ts"
import { keyOf } from "./domain/objects.ts"
import { resources } from "./domain/kinds.ts"
import { OnDefect } from "./runtime/workers.ts"
import { reconcile } from "./runtime/reconciler.ts"
import { makeSupervisor } from "./runtime/supervisor.ts"
import { carrySight } from "./runtime/sights.ts"
import { makeGatedStore } from "./store/gatedStore.ts"
import { makeLink } from "./store/link.ts"
import { writtenBy } from "./store/writtenBy.ts"
import { apiServer, controllerManager, kubelet, library, scheduler } from "./domain/managedFields/managers.ts"
import type { Scope } from "effect/Scope"
import type { AnyStateMachine, InspectionEvent } from "xstate"
import type { Strategy } from "../machines/strategies/strategy.ts"
import type { Behaviour } from "./behaviours/behaviour.ts"
import type { ClusterOptions } from "./clusterOptions.ts"
import type { ControllerServices } from "./controllers/services.ts"
import type { GroupResource } from "./domain/kinds.ts"
import type { FeatureGates } from "./domain/featureGates.ts"
import type { KubeObject, Pod } from "./domain/objects.ts"
import type { PodLife } from "./domain/podLife.ts"
import type { Bodies } from "./faults/bodies.ts"
import type { ControllerName } from "./faults/fault.ts"
import type { Actors } from "./runtime/actors.ts"
import type { WorldMemory } from "./runtime/memory.ts"
import type { EventRecorder } from "./controllers/eventRecorder.ts"
import type { Onlooker } from "./runtime/onlooker.ts"
import type { Controller } from "./runtime/reconciler.ts"
import type { Supervisor } from "./runtime/supervisor.ts"
import type { Timeline } from "./runtime/timeline.ts"
import type { HeldUp } from "./snapshots/snapshot.ts"
import type { Link } from "./store/link.ts"
import type { ClusterView, ObjectStore } from "./store/objectStore.ts"

interface ControlPlaneOptions {
  readonly timeline: Timeline
  readonly store: ObjectStore["Service"]
  readonly view: ClusterView["Service"]
  readonly seed: number
  /** Tried in order; the first that matches a Pod tells how it lives. */
  readonly behaviours: ReadonlyArray<Behaviour>
  /** For Pods that none of `behaviours` matches. */
  readonly behaviour: Behaviour
  /** Has the word after the behaviour. */
  readonly livesOf?: ClusterOptions["livesOf"] | undefined
  readonly strategies: ReadonlyArray<Strategy>
  readonly featureGates: FeatureGates
  /** When a node counts as lost of which nothing is heard; 50 where it is left out. */
  readonly lostAfterSeconds?: number | undefined
  readonly inspect?: (event: InspectionEvent) => void
  /** Is told from the beginning what all actors do. */
  readonly onlooker?: Onlooker | undefined
  readonly memory?: WorldMemory
}

const withActors = [resources.deployments, resources.replicaSets, resources.pods, resources.nodes] as const

/** node-monitor-grace-period, since 1.32. */
const lostAfterDefaultSeconds = 50

/**
 * All controllers of one cluster on one timeline; the scope's end stops every fiber, actor and timer of it.
 */
export const runControlPlane = Effect.fnUntraced(function* (
  options: ControlPlaneOptions
): Effect.fn.Return<ControlPlane, never, Scope> {
  const { timeline, store, view, featureGates, inspect, memory = makeMemory() } = options
  const { kernel } = timeline
  const { nowMillis } = kernel
  const actors = makeActors({ kernel, ...(inspect === undefined ? {} : { inspect }) })
  yield* Effect.addFinalizer(() => Effect.sync(actors.stopAll))
  const recorder = yield* makeEventRecorder({ store, view, kernel, memory: memory.of("events") })
  const events: EventRecorder = {
    record: (happened) => {
      const { onlooker } = actors
      if (onlooker === undefined) return recorder.record(happened)
      return Effect.suspend(() => {
        onlooker.records(happened.about.metadata.uid, happened.event)
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

  if (options.onlooker !== undefined) actors.lookOn(options.onlooker)
  const supervisor = yield* makeSupervisor<ControllerName>(memory.of("supervisor"))
  const links = new Map<ControllerName, Link>()
  const later = laterOn(kernel)
  const sights = memory.of("sights")
  const connect = (name: string, party: Pick<Parameters<typeof makeLink>[0], "store" | "of">): Link => {
    const link = makeLink({ ...party, view, later })
    carrySight(sights, name, link.sight)
    return link
  }
  /** Starts a controller that can be stopped, slowed down and cut off from the rest. */
  const run = (
    name: ControllerName,
    life: (services: ControllerServices) => Effect.Effect<unknown, never, Scope>
  ): Effect.Effect<void> => {
    const link = connect(name, { store: writtenBy(store, managerOf(name)), of: "controller" })
    links.set(name, link)
    // One that is stopped in the world that this one goes on from has its place all the same.
    link.sight.attend()
    if (actors.onlooker !== undefined) link.gate.overhear(actors.onlooker.overhears(name))
    const begin = Effect.suspend(() => {
      const own = memory.of(name)
      const living = life({ ...services, store: link.store, view: link.view, memory: own }).pipe(
        Effect.provideService(Writing, name),
        Effect.provideService(OnDefect, defectsOf(name))
      )
      return Effect.andThen(
        Effect.addFinalizer(() => Effect.sync(own.end)),
        living
      )
    })
    return supervisor.supervise(name, begin)
  }
  const runActors = <R extends GroupResource>(
    name: ControllerName,
    make: (services: ControllerServices) => Controller<R>
  ): Effect.Effect<void> =>
    run(name, (own) => {
      const { view: seen, memory: ownMemory } = own
      return reconcile(make(own), { kernel, view: seen, actors, onDefect, memory: ownMemory })
    })

  const requests = makePlacementRequests(memory.of("placementRequests"))
  const bodies = makeBodies(view)
  memory.of("bodies").carry("bodies", bodies)
  const drawnLifeOf = makePodLives({ ...options, memory: memory.of("podLives") })
  const lifeOf = (pod: Pod): PodLife => bodies.livesOf(pod, drawnLifeOf(pod))
  const lostAfterMillis = (options.lostAfterSeconds ?? lostAfterDefaultSeconds) * 1000
  const deployments = chartFor(options.strategies)

  yield* run("scheduler", (own) => makeScheduler(own, kernel, requests))
  yield* runActors("pod", (own) =>
    podController({ ...own, lifeOf, requestBinding: requests.request, awaken: bodies.onWake }, podMachine)
  )
  yield* runActors("node", (own) => nodeController({ ...own, lostAfterMillis }, nodeMachine))
  yield* runActors("replicaSet", (own) => replicaSetController(own, replicaSetMachine))
  yield* runActors("deployment", (own) => deploymentController(own, deployments))
  yield* run("garbageCollector", (own) => collectGarbage(own, kernel))
  yield* run("podGarbageCollector", (own) => collectPodGarbage(own, kernel))
  yield* run("namespace", (own) => emptyNamespaces(own, kernel))
  const definitionServices = { ...services, store: writtenBy(store, apiServer) }
  yield* removeCustomResources({ ...definitionServices, memory: memory.of("customResources") }, kernel)
  yield* run("resourceQuota", (own) => reportQuotas(own, kernel))
  const accountServices = {
    ...services,
    store: writtenBy(store, controllerManager),
    memory: memory.of("serviceAccounts")
  }
  const { publish } = yield* keepServiceAccounts(accountServices, kernel)
  yield* run("disruptionBudget", (own) => keepDisruptionBudgets(own, kernel))
  yield* run("endpoints", (own) => keepEndpoints(own, kernel))

  // Clients say with each write whose it is.
  const clients = connect("clients", { store, of: "client" })
  // What faults do nothing comes in between of; who looks on hears of it.
  const fates = makeGatedStore({
    store: writtenBy(store, library),
    kinds: () => view.kinds,
    later,
    retries: false
  })
  const listenTo = (onlooker: Onlooker): void => {
    clients.gate.overhear(onlooker.overhears("clients"))
    fates.overhear(onlooker.overhears("faults"))
  }
  if (actors.onlooker !== undefined) listenTo(actors.onlooker)
  // By now every controller has its own.
  const all: ReadonlyArray<Link> = [clients, ...links.values()]
  const sum = (of: (link: Link) => number): number => all.reduce((count, it) => count + of(it), 0)
  const held = (): number =>
    supervisor.underway() + sum(({ gate, sight }) => gate.underway() + sight.underway())
  return {
    lookOn: (onlooker) => {
      actors.lookOn(onlooker)
      for (const [name, { gate }] of links) gate.overhear(onlooker.overhears(name))
      listenTo(onlooker)
      for (const resource of withActors) {
        for (const object of view.all(resource)) {
          const { uid } = object.metadata
          const actor = actors.get(uid)
          if (actor !== undefined) onlooker.meets({ uid, key: keyOf(object), ref: actor.ref })
        }
      }
    },
    moving: () => actors.moving() + held(),
    heldUp: () => ({
      writes: sum(({ gate }) => gate.underway()),
      awaited: sum(({ sight }) => sight.awaited())
    }),
    publishCertificate: publish,
    actors,
    bodies,
    lifeOf,
    supervisor,
    links,
    clients,
    fates: fates.store
  }
})

/** What a cluster asks of its control plane. */
interface ControlPlane {
  /** Introduces all actors to somebody who is told of whatever they do from now on. */
  readonly lookOn: (onlooker: Onlooker) => void
  /** How many actors are on their way somewhere by themselves, and how much is held up that will go on. */
  readonly moving: () => number
  /** What faults hold up at this instant. */
  readonly heldUp: () => HeldUp
  /** Tells every namespace by which certificate (PEM) the API server is known. */
  readonly publishCertificate: (certificate: string) => void
  readonly actors: Actors
  readonly bodies: Bodies
  /** How a Pod lives, with what has come over it. */
  readonly lifeOf: (pod: Pod) => PodLife
  readonly supervisor: Supervisor<ControllerName>
  /** What comes between a controller and the rest. */
  readonly links: ReadonlyMap<ControllerName, Link>
  /** What comes between every client from outside and the cluster. */
  readonly clients: Link
  /** What faults write to. */
  readonly fates: ObjectStore["Service"]
}

/** Nearly all controllers are of one process. The Pod's is its kubelet. */
const managerOf = (controller: ControllerName): string =>
  controller === "pod" ? kubelet : controller === "scheduler" ? scheduler : controllerManager

/** Composing a chart is a good part of making a cluster: those without strategies of their own share one. */
const charts = new WeakMap<ReadonlyArray<Strategy>, AnyStateMachine>()
const chartFor = (strategies: ReadonlyArray<Strategy>): AnyStateMachine => {
  const chart = charts.get(strategies) ?? deploymentMachine(strategies)
  charts.set(strategies, chart)
  return chart
}

/** What a controller fails at that is no actor's; it is tried again. */
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
