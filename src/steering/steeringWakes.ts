import { annotationOf } from "../kubernetes/apps/revisions/revisions.ts"
import {
  concernsDecisions,
  concernsPods,
  concernsSteps,
  concernsStepsOfPod,
  concernsStepsOfReplicaSet
} from "./steeringChanges.ts"
import { controllingOwner } from "../store/ownerLookup.ts"
import { isSteered } from "../kubernetes/steering/steeringRecord.ts"
import { objectKeyOf } from "../kubernetes/meta/objects.ts"
import { resources } from "../kubernetes/meta/kinds.ts"
import { strategyAnnotation } from "../kubernetes/steering/steeringNames.ts"
import type { Change, ClusterView } from "../store/objectStore.ts"
import type { AwaitedPods } from "./steeringChanges.ts"
import type { Deployment, Key, KubeObject } from "../kubernetes/meta/objects.ts"
import type { Wake } from "../runtime/reconciler/controller.ts"

/** `awaitedPods` of a Deployment's steering chart; undefined if its chart has none. */
export type AwaitedPodsOf = (deployment: Deployment) => AwaitedPods | undefined

/** Wakes the steering actors of the Deployments that a change may concern. */
export const makeSteeringWakes = (
  view: ClusterView["Service"],
  awaitedPodsOf: AwaitedPodsOf
): ((change: Change, wake: Wake) => void) => {
  const steered = makeSteeredSet(view)
  /**
   * Wakes the actor of a steered Deployment for a change that its chart may decide on. A chart with `awaitedPods` looks
   * at what concerns its step, and at the rest only in a state that asks for it.
   */
  const wakeSteered = (
    deployment: Deployment,
    wake: Wake,
    concernsChart: () => boolean,
    concernsStep: (awaitedPods: AwaitedPods) => boolean
  ): void => {
    const awaitedPods = awaitedPodsOf(deployment)
    const isNeeded = awaitedPods === undefined ? concernsChart() : concernsStep(awaitedPods)
    if (isNeeded) wake(objectKeyOf(deployment))
    else if (awaitedPods !== undefined)
      wake(objectKeyOf(deployment), { tag: "awaitsCounts", isNeeded: concernsChart })
  }
  const steeredOwnerOf = (replicaSet: KubeObject): Deployment | undefined => {
    const deployment = controllingOwner(view, resources.deployments, replicaSet)
    return deployment !== undefined && isSteered(deployment) ? deployment : undefined
  }
  return (change, wake) => {
    const { resource, object, old } = change
    if (resource === resources.deployments) {
      steered.update(change)
      if (isSteered(object) || (old !== undefined && isSteered(old)))
        wakeSteered(
          object as Deployment,
          wake,
          () => concernsDecisions(change),
          () => concernsSteps(change)
        )
      return
    }
    if (steered.isEmpty()) return
    if (resource === resources.replicaSets) {
      const deployment = steeredOwnerOf(object)
      if (deployment !== undefined)
        wakeSteered(
          deployment,
          wake,
          () => concernsDecisions(change),
          (awaitedPods) => concernsStepsOfReplicaSet(change, awaitedPods)
        )
      return
    }
    const isPod = resource === resources.pods
    // Asked before the owners are searched, as it is false for most changes of Pods.
    if (isPod && !concernsPods(change)) return
    const replicaSet = controllingOwner(view, resources.replicaSets, object)
    if (replicaSet !== undefined) {
      const deployment = steeredOwnerOf(replicaSet)
      if (deployment !== undefined)
        wakeSteered(
          deployment,
          wake,
          () => true,
          () => !isPod || concernsStepsOfPod(change, replicaSet)
        )
    } else if (!isPod) for (const key of steered.keysNaming(object)) wake(key)
  }
}

/** The keys of all steered Deployments. */
interface SteeredSet {
  /** The keys of the Deployments whose strategies contain the name of this object, such as a Job that a hook runs. */
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
    update: ({ type, object, old }) => {
      // As nearly all changes do, it leaves the Deployment steered or not, as it was.
      if (type === "MODIFIED" && old !== undefined && isSteered(object) === isSteered(old)) return
      const key = objectKeyOf(object)
      if (type !== "DELETED" && isSteered(object)) present().add(key)
      else present().delete(key)
    },
    isEmpty: () => present().size === 0
  }
}
