import * as Effect from "effect/Effect"
import { annotationOf } from "../kubernetes/apps/revisions/revisions.ts"
import { builtInSteering } from "../../machines/steering/steeringStrategies.ts"
import { compareByCreation } from "../kubernetes/meta/ownerReferences.ts"
import { controllerTurnOrder } from "../runtime/reconciler/controllerTurnOrder.ts"
import { controllingOwner } from "../store/ownerLookup.ts"
import { decodeStrategy } from "./decodeStrategy.ts"
import { findNewReplicaSet } from "../kubernetes/apps/revisions/findNewReplicaSet.ts"
import { gitManagersOf } from "../kubernetes/steering/gitManagers.ts"
import { hasBeenComplete } from "../kubernetes/steering/steeringObservation.ts"
import { isGatedPod, isGatedTemplate } from "../kubernetes/steering/gatedPods.ts"
import { isFailingPod } from "../kubernetes/steering/rolloutFailures.ts"
import { isPodActive } from "../kubernetes/pods/podState.ts"
import { objectKeyOf } from "../kubernetes/meta/objects.ts"
import { keyInNamespaceOf } from "../controllers/controllerServices.ts"
import { performSteering } from "./performSteering.ts"
import { isSteered } from "../kubernetes/steering/steeringRecord.ts"
import { strategyAnnotation } from "../kubernetes/steering/steeringNames.ts"
import { resources } from "../kubernetes/meta/kinds.ts"
import type { AnyStateMachine } from "xstate"
import type { Change, ClusterView } from "../store/objectStore.ts"
import type { Controller, Wake } from "../runtime/reconciler/controller.ts"
import type { ControllerServices } from "../controllers/controllerServices.ts"
import type { DecodedStrategy } from "./decodeStrategy.ts"
import type { Deployment, Key, KubeObject, Pod } from "../kubernetes/meta/objects.ts"
import type { GroupResource } from "../kubernetes/meta/kinds.ts"
import type { ObjectOf } from "../kubernetes/meta/resourceTypes.ts"
import type { SteeringObservation, SteeringSettings } from "../kubernetes/steering/steeringObservation.ts"
import type { ObservedNames, SteeringStrategy } from "../../machines/steering/steeringStrategy.ts"
import type { SteeringSources } from "./sources/steeringSources.ts"

interface SteeringOptions {
  readonly machine: AnyStateMachine
  readonly strategies?: ReadonlyArray<SteeringStrategy>
  /** The names of the field managers that apply templates from Git. */
  readonly gitManagers?: ReadonlyArray<string>
  /** Answers the questions that hooks and analyses ask outside of the cluster. */
  readonly sources: SteeringSources
}

/** Steers Deployments with the annotation `charthouse.dev/strategy`, beside their own controller. */
export const steeringController = (
  services: ControllerServices,
  { machine, strategies = builtInSteering, gitManagers, sources }: SteeringOptions
): Controller<typeof resources.deployments> => {
  const { view, nowMillis } = services
  const steered = makeSteeredSet(view)
  const strategyOf = memoizeDecoding(strategies)
  return {
    resource: resources.deployments,
    turnOrder: controllerTurnOrder.steering,
    machine,
    actorIdOf: steeringActorId,
    hasActor: isSteered,
    watches: [
      resources.deployments,
      resources.replicaSets,
      resources.pods,
      resources.jobs,
      resources.services
    ],
    wakeActors: (change, wake) => wakeSteering(view, steered, change, wake),
    look: (deployment) => {
      const decoded = strategyOf(deployment)
      const replicaSets = [...view.controlled(resources.replicaSets, deployment.metadata.uid)].sort(
        compareByCreation
      )
      const newReplicaSet = findNewReplicaSet(deployment, replicaSets)
      const observed = observedNamesOf(decoded?.strategy, strategies)
      const observation: SteeringObservation = {
        deployment,
        strategy: decoded?.strategy,
        problems: decoded?.problems.map(({ message }) => message) ?? [],
        replicaSets,
        newReplicaSet,
        newPods:
          newReplicaSet === undefined
            ? []
            : view.controlled(resources.pods, newReplicaSet.metadata.uid).filter((pod) => isPodActive(pod)),
        completePods: replicaSets
          .filter((replicaSet) => isGatedTemplate(replicaSet.spec.template) && hasBeenComplete(replicaSet))
          .flatMap((replicaSet) => view.controlled(resources.pods, replicaSet.metadata.uid))
          .filter((pod) => isPodActive(pod) && isGatedPod(pod)),
        services: objectsNamed(view, deployment, resources.services, observed.services),
        jobs: objectsNamed(view, deployment, resources.jobs, observed.jobs),
        hookJobs:
          newReplicaSet === undefined || observed.jobs.length === 0
            ? []
            : view.controlled(resources.jobs, newReplicaSet.metadata.uid),
        // Computed only when a chart reads it, after a failure: decoding managed fields takes a while.
        get gitManagers() {
          return gitManagersOf(deployment, gitManagers)
        },
        nowMillis: nowMillis()
      }
      return observation
    },
    perform: (deployment, commands) =>
      Effect.asVoid(performSteering({ ...services, sources }, deployment, commands))
  }
}

const noObservedNames: ObservedNames = { services: [], jobs: [] }

const observedNamesOf = (
  strategy: SteeringSettings | undefined,
  strategies: ReadonlyArray<SteeringStrategy>
): ObservedNames =>
  (strategy === undefined
    ? undefined
    : strategies.find(({ state }) => state === strategy.name)?.observedNames?.(strategy.settings)) ??
  noObservedNames

/** The objects with these names in the namespace of a Deployment, as far as they exist. */
const objectsNamed = <R extends GroupResource>(
  view: ClusterView["Service"],
  deployment: Deployment,
  resource: R,
  names: ReadonlyArray<string>
): ReadonlyArray<ObjectOf<R>> =>
  names.flatMap((name) => view.get(resource, keyInNamespaceOf(deployment, name)) ?? [])

/** Differs from the id of the Deployment's own actor, which is its uid. */
const steeringActorId = (uid: string): string => `steering/${uid}`

/** The keys of all steered Deployments. */
interface SteeredSet {
  /** The keys of the Deployments whose strategies name this object, such as the Job of a hook. */
  readonly keysNaming: (object: KubeObject) => ReadonlyArray<Key>
  readonly update: (change: Change) => void
  /** Whether no Deployment is steered, so that no change matters. */
  readonly isEmpty: () => boolean
}

/** Kept up to date, so that changes of Pods cost nothing in a cluster without steered Deployments. */
const makeSteeredSet = (view: ClusterView["Service"]): SteeredSet => {
  let keys: Set<string> | undefined
  // Reads all Deployments once: those of a snapshot exist without a change.
  const present = (): Set<string> =>
    (keys ??= new Set([...view.all(resources.deployments)].filter(isSteered).map(objectKeyOf)))
  return {
    keysNaming: ({ metadata }) =>
      [...present()].filter((key) => {
        const deployment = view.get(resources.deployments, key)
        return (
          deployment !== undefined &&
          deployment.metadata.namespace === metadata.namespace &&
          annotationOf(deployment, strategyAnnotation)?.includes(metadata.name) === true
        )
      }),
    update: ({ type, object }) => {
      const key = objectKeyOf(object)
      if (type !== "DELETED" && isSteered(object)) present().add(key)
      else present().delete(key)
    },
    isEmpty: () => present().size === 0
  }
}

const wakeSteering = (
  view: ClusterView["Service"],
  steered: SteeredSet,
  change: Change,
  wake: Wake
): void => {
  const { resource, object, old } = change
  if (resource === resources.deployments) {
    steered.update(change)
    if (isSteered(object) || (old !== undefined && isSteered(old))) wake(objectKeyOf(object))
    return
  }
  if (steered.isEmpty()) return
  if (resource === resources.pods) {
    if (!mayChangeDecision(object as Pod, old as Pod | undefined)) return
    const replicaSet = controllingOwner(view, resources.replicaSets, object)
    if (replicaSet !== undefined) wakeOwner(view, replicaSet, wake)
    return
  }
  if (resource === resources.replicaSets) {
    wakeOwner(view, object, wake)
    return
  }
  const replicaSet = controllingOwner(view, resources.replicaSets, object)
  if (replicaSet !== undefined) wakeOwner(view, replicaSet, wake)
  else for (const key of steered.keysNaming(object)) wake(key)
}

/** Whether a changed Pod may change what a chart decides. */
const mayChangeDecision = (pod: Pod, old: Pod | undefined): boolean => {
  if (isFailingPod(pod) || (old !== undefined && isFailingPod(old))) return true
  return (
    isGatedPod(pod) &&
    (old === undefined ||
      pod.status.conditions !== old.status.conditions ||
      pod.metadata.deletionTimestamp !== old.metadata.deletionTimestamp)
  )
}

const wakeOwner = (view: ClusterView["Service"], replicaSet: KubeObject, wake: Wake): void => {
  const deployment = controllingOwner(view, resources.deployments, replicaSet)
  if (deployment !== undefined && isSteered(deployment)) wake(objectKeyOf(deployment))
}

/** Decodes an annotation again only when it or the Deployment's spec, against which it is checked, has changed. */
const memoizeDecoding = (
  strategies: ReadonlyArray<SteeringStrategy>
): ((deployment: Deployment) => DecodedStrategy | undefined) => {
  const decodedBySpec = new WeakMap<
    Deployment["spec"],
    { readonly text: string; readonly decoded: DecodedStrategy }
  >()
  return (deployment) => {
    const text = annotationOf(deployment, strategyAnnotation)
    if (text === undefined) return undefined
    const cached = decodedBySpec.get(deployment.spec)
    if (cached?.text === text) return cached.decoded
    const decoded = decodeStrategy(text, deployment, strategies)
    decodedBySpec.set(deployment.spec, { text, decoded })
    return decoded
  }
}
