import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { LogToStderr } from "effect/Logger"
import * as Metric from "effect/Metric"
import { behaviourFor } from "./behaviours/match.ts"
import { drawLife } from "./behaviours/draw.ts"
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
import { makeScheduler } from "./controllers/scheduler.ts"
import { nodeController } from "./controllers/nodes.ts"
import { podController } from "./controllers/pods.ts"
import { replicaSetController } from "./controllers/replicaSets.ts"
import { reportQuotas } from "./controllers/resourceQuotas.ts"
import { makeActors } from "./runtime/actors.ts"
import { reconcile } from "./runtime/reconciler.ts"
import type { Scope } from "effect/Scope"
import type { InspectionEvent } from "xstate"
import type { Strategy } from "../machines/strategies/strategy.ts"
import type { Behaviour } from "./behaviours/behaviour.ts"
import type { KubeObject } from "./domain/objects.ts"
import type { Actors } from "./runtime/actors.ts"
import type { ReconcilerServices } from "./runtime/reconciler.ts"
import type { Timeline } from "./runtime/timeline.ts"
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
  readonly strategies: ReadonlyArray<Strategy>
  /** When a node counts as lost of which nothing is heard; 50 where it is left out. */
  readonly lostAfterSeconds?: number | undefined
  readonly inspect?: (event: InspectionEvent) => void
}

/** node-monitor-grace-period, since 1.32. */
const lostAfterDefaultSeconds = 50

/**
 * All controllers of one cluster on one timeline; the scope's end stops every fiber, actor and timer of it.
 */
export const runControlPlane = Effect.fnUntraced(function* (
  options: ControlPlaneOptions
): Effect.fn.Return<ControlPlane, never, Scope> {
  const { timeline, store, view, seed, inspect } = options
  const { kernel } = timeline
  const { nowMillis } = kernel
  const actors = makeActors({ kernel, ...(inspect === undefined ? {} : { inspect }) })
  yield* Effect.addFinalizer(() => Effect.sync(actors.stopAll))
  const events = yield* makeEventRecorder({ store, view, nowMillis })
  const services = { store, view, events, nowMillis }
  const scheduler = yield* makeScheduler(services, kernel)

  const onDefect = Effect.fnUntraced(function* (object: KubeObject, cause: Cause.Cause<unknown>) {
    const { kind, metadata } = object
    yield* Metric.update(actorFailures, 1)
    const log = Effect.logError(`the actor of ${kind} ${metadata.name} failed and is made anew`, cause)
    yield* Effect.provideService(log, LogToStderr, true)
    const event = { eventType: "Warning", reason: "ActorFailed", message: messageOf(cause) } as const
    yield* events.record({ component: "charthouse", about: object, event })
  })
  const shared: ReconcilerServices = { kernel, view, actors, onDefect }
  const podServices = {
    ...services,
    lifeOf: (pod: Parameters<typeof behaviourFor>[0]) =>
      drawLife(behaviourFor(pod, options.behaviours, options.behaviour), seed, pod.metadata.uid),
    requestBinding: scheduler.request
  }
  yield* reconcile(podController(podServices, podMachine), shared)
  const lostAfterMillis = (options.lostAfterSeconds ?? lostAfterDefaultSeconds) * 1000
  yield* reconcile(nodeController({ ...services, lostAfterMillis }, nodeMachine), shared)
  yield* reconcile(replicaSetController(services, replicaSetMachine), shared)
  yield* reconcile(deploymentController(services, deploymentMachine(options.strategies)), shared)
  yield* collectGarbage(services, kernel)
  yield* collectPodGarbage(services, kernel)
  yield* emptyNamespaces(services, kernel)
  yield* removeCustomResources(services, kernel)
  yield* reportQuotas(services, kernel)
  const { publish } = yield* keepServiceAccounts(services, kernel)
  yield* keepDisruptionBudgets(services, kernel)
  yield* keepEndpoints(services, kernel)
  return { moving: actors.moving, publishCertificate: publish }
})

/** What a cluster asks of its control plane. */
interface ControlPlane {
  /** How many actors are on their way somewhere by themselves. */
  readonly moving: Actors["moving"]
  /** Tells every namespace by which certificate (PEM) the API server is known. */
  readonly publishCertificate: (certificate: string) => void
}

const actorFailures = Metric.counter("charthouse_actor_failures_total", {
  description: "Actors that were discarded after a failure and made anew",
  incremental: true
})

const messageOf = (cause: Cause.Cause<unknown>): string => {
  const failure = Cause.squash(cause)
  return failure instanceof Error ? failure.message : String(failure)
}
