import { memoizeUpTo } from "../kubernetes/meta/text/memoizeUpTo.ts"
import { annotationOf } from "../kubernetes/apps/revisions/revisions.ts"
import { builtInSteering } from "../../machines/steering/steeringStrategies.ts"
import { changesOnlySteeringReport } from "../controllers/changeFilters.ts"
import { compareByCreation } from "../kubernetes/meta/objectOrder.ts"
import { controllerTurnOrder } from "../runtime/reconciler/controllerTurnOrder.ts"
import { findNewReplicaSet } from "../kubernetes/apps/revisions/findNewReplicaSet.ts"
import { gitManagersOwningTemplate } from "./gitManagers.ts"
import { hasBeenComplete } from "../kubernetes/steering/steeringObservation.ts"
import { hasApprovalGate } from "../kubernetes/steering/podApproval.ts"
import { isPodActive } from "../kubernetes/pods/podState.ts"
import { keyInNamespaceOf } from "../controllers/controllerServices.ts"
import { makeSteeringWakes } from "./steeringWakes.ts"
import { performSteering } from "./performSteering.ts"
import { isSteered } from "../kubernetes/steering/steeringRecord.ts"
import { strategyAnnotation } from "../kubernetes/steering/steeringNames.ts"
import { resources } from "../kubernetes/meta/kinds.ts"
import type { AnyStateMachine } from "xstate"
import type { ClusterView } from "../store/objectStore.ts"
import type { Controller } from "../runtime/reconciler/controller.ts"
import type { ControllerServices } from "../controllers/controllerServices.ts"
import type { DecodedStrategy, CheckStrategy, readStrategy } from "./decodeStrategy.ts"
import type { Deployment, Pod, ReplicaSet } from "../kubernetes/meta/objects.ts"
import type { GroupResource } from "../kubernetes/meta/kinds.ts"
import type { ObjectOf } from "../kubernetes/meta/resourceTypes.ts"
import type { SteeringObservation } from "../kubernetes/steering/steeringObservation.ts"
import type { ObservedNames, SteeringStrategy } from "../../machines/steering/steeringStrategy.ts"
import type { SteeringSources } from "./sources/steeringSources.ts"

interface SteeringOptions {
  /** Composed when the first Deployment is steered. */
  readonly machine: () => AnyStateMachine
  readonly strategies?: ReadonlyArray<SteeringStrategy>
  readonly gitManagers?: ReadonlyArray<string>
  readonly sources: SteeringSources
  /** Undefined while it is being loaded: no actor looks until then. */
  readonly strategyReader: () => StrategyReader | undefined
}

export type StrategyReader = typeof readStrategy

/** Steers Deployments with the annotation `charthouse.dev/strategy`, beside their own controller. */
export const steeringController = (
  services: ControllerServices,
  options: SteeringOptions
): Controller<typeof resources.deployments> => {
  const { strategies = builtInSteering, gitManagers, sources, strategyReader } = options
  const { view, nowMillis } = services
  const steeringOf = memoizeSteering(strategies, strategyReader)
  const writeServices = { ...services, sources }
  /**
   * Computed only when a chart reads it, since decoding managed fields is slow. All observations share the getter:
   * otherwise each would get its own hidden class in V8.
   */
  const gitManagersProperty = {
    enumerable: true,
    get(this: SteeringObservation) {
      return gitManagersOwningTemplate(this.deployment, gitManagers)
    }
  }
  return {
    resource: resources.deployments,
    turnOrder: controllerTurnOrder.steering,
    machine: options.machine,
    actorIdOf: steeringActorId,
    hasActor: isSteered,
    watches: [
      resources.deployments,
      resources.replicaSets,
      resources.pods,
      resources.jobs,
      resources.services
    ],
    wakeActors: makeSteeringWakes(view, (deployment) => {
      const { strategy, chart } = steeringOf(deployment) ?? unsteered
      // A step that awaits a number of available Pods is woken by that count alone.
      const awaitedPodCountOf = chart?.awaitedPods
      return awaitedPodCountOf === undefined
        ? undefined
        : (replicaSet) => awaitedPodCountOf(strategy?.settings, deployment, replicaSet)
    }),
    needsNoLook: ({ resource, object, old }) => {
      if (resource !== resources.deployments || old === undefined) return false
      const [deployment, oldDeployment] = [object as Deployment, old as Deployment]
      const chart = steeringOf(deployment)?.chart
      // Charts of users may read this condition.
      return (
        chart !== undefined &&
        builtInSteering.includes(chart) &&
        changesOnlySteeringReport(deployment, oldDeployment)
      )
    },
    look: (deployment) => {
      const steering = steeringOf(deployment)
      if (steering === undefined) throw new Error("the decoder of strategies is not loaded")
      const { strategy, problems, observedNames } = steering
      const replicaSets = view
        .controlled(resources.replicaSets, deployment.metadata.uid)
        .toSorted(compareByCreation)
      const newReplicaSet = findNewReplicaSet(deployment, replicaSets)
      const observation: Omit<SteeringObservation, "gitManagers"> = {
        deployment,
        strategy,
        problems,
        replicaSets,
        newReplicaSet,
        newPods:
          newReplicaSet === undefined
            ? []
            : view.controlled(resources.pods, newReplicaSet.metadata.uid).filter(isPodActive),
        completePods: podsOfCompleteRevisions(view, replicaSets),
        services: objectsNamed(view, deployment, resources.services, observedNames.services),
        jobs: objectsNamed(view, deployment, resources.jobs, observedNames.jobs),
        // The Job of a removed hook may still run.
        hookJobs: replicaSets.flatMap(({ metadata }) => view.controlled(resources.jobs, metadata.uid)),
        nowMillis: nowMillis()
      }
      return Object.defineProperty(observation, "gitManagers", gitManagersProperty)
    },
    perform: (deployment, commands) => performSteering(writeServices, deployment, commands)
  }
}

const podsOfCompleteRevisions = (
  view: ClusterView["Service"],
  replicaSets: ReadonlyArray<ReplicaSet>
): ReadonlyArray<Pod> => {
  const completePods: Array<Pod> = []
  for (const replicaSet of replicaSets) {
    const { uid } = replicaSet.metadata
    // Avoids listing Pods: most old ReplicaSets have none, and most new ReplicaSets have not been complete.
    const hasCompletePods =
      view.pods.total(uid) > 0 && hasApprovalGate(replicaSet.spec.template) && hasBeenComplete(replicaSet)
    if (!hasCompletePods) continue
    for (const pod of view.controlled(resources.pods, uid))
      if (isPodActive(pod) && hasApprovalGate(pod)) completePods.push(pod)
  }
  return completePods
}

const objectsNamed = <R extends GroupResource>(
  view: ClusterView["Service"],
  deployment: Deployment,
  resource: R,
  names: ReadonlyArray<string>
): ReadonlyArray<ObjectOf<R>> =>
  names.flatMap((name) => view.get(resource, keyInNamespaceOf(deployment, name)) ?? [])

/** Differs from the uid, which is the id of the Deployment's own actor. */
const steeringActorId = (uid: string): string => `steering/${uid}`

interface Steering extends Pick<SteeringObservation, "strategy" | "problems"> {
  readonly chart: SteeringStrategy | undefined
  readonly observedNames: ObservedNames
}

const noObservedNames: ObservedNames = { services: [], jobs: [] }

const unsteered: Steering = {
  strategy: undefined,
  problems: [],
  chart: undefined,
  observedNames: noObservedNames
}

/** Reads an annotation again only when it changes, and checks it again when the Deployment's spec changes. */
const memoizeSteering = (
  strategies: ReadonlyArray<SteeringStrategy>,
  strategyReader: SteeringOptions["strategyReader"]
): ((deployment: Deployment) => Steering | undefined) => {
  const steeringBySpec = new WeakMap<
    Deployment["spec"],
    { readonly text: string; readonly steering: Steering }
  >()
  let readText: ((text: string) => CheckStrategy) | undefined
  const read = (text: string): CheckStrategy | undefined => {
    const reader = strategyReader()
    if (reader === undefined) return undefined
    readText ??= memoizeUpTo(cachedTextsMax, (unread: string) => reader(unread, strategies))
    return readText(text)
  }
  return (deployment) => {
    const text = annotationOf(deployment, strategyAnnotation)
    if (text === undefined) return unsteered
    const cached = steeringBySpec.get(deployment.spec)
    if (cached?.text === text) return cached.steering
    const decoded = read(text)?.(deployment)
    if (decoded === undefined) return undefined
    const steering = toSteering(decoded)
    steeringBySpec.set(deployment.spec, { text, steering })
    return steering
  }
}

/** Annotation texts whose decoded strategies are kept. */
const cachedTextsMax = 1000

const toSteering = ({ strategy, chart, problems }: DecodedStrategy): Steering => ({
  strategy,
  problems: problems.map(({ message }) => message),
  chart,
  observedNames: chart?.observedNames?.(strategy.settings) ?? noObservedNames
})
