import { annotationOf } from "../kubernetes/apps/revisions/revisions.ts"
import {
  workloadChangeAffectsChart,
  podChangeAffectsChart,
  deploymentChangeAffectsStep,
  podChangeAffectsStep,
  replicaSetChangeAffectsStep
} from "./steeringChanges.ts"
import { controllingOwner } from "../store/ownerLookup.ts"
import { isSteered } from "../kubernetes/steering/steeringRecord.ts"
import { objectKeyOf } from "../kubernetes/meta/objects.ts"
import { resources } from "../kubernetes/meta/kinds.ts"
import { recordAnnotation, strategyAnnotation } from "../kubernetes/steering/steeringNames.ts"
import type { Change, ClusterView } from "../store/objectStore.ts"
import type { AvailablePodsToEndStep } from "./steeringChanges.ts"
import type { Deployment, Key, KubeObject } from "../kubernetes/meta/objects.ts"
import type { Wake } from "../runtime/reconciler/controller.ts"

export const makeSteeringWakes = (
  view: ClusterView["Service"],
  /** Undefined for a chart without `awaitedPods`, the count of available Pods that ends its step. */
  availablePodsToEndStepOf: (deployment: Deployment) => AvailablePodsToEndStep | undefined
): ((change: Change, wake: Wake) => void) => {
  const steered = makeSteeredSet(view)
  /**
   * A chart with `awaitedPods` is woken for changes that concern its step, and for others only in a state with the
   * tag `awaitsCounts`.
   */
  const wakeSteered = (
    deployment: Deployment,
    wake: Wake,
    affectsChart: () => boolean,
    affectsStep: (availablePodsToEndStep: AvailablePodsToEndStep) => boolean
  ): void => {
    const availablePodsToEndStep = availablePodsToEndStepOf(deployment)
    const isNeeded =
      availablePodsToEndStep === undefined ? affectsChart() : affectsStep(availablePodsToEndStep)
    if (isNeeded) wake(objectKeyOf(deployment))
    else if (availablePodsToEndStep !== undefined)
      wake(objectKeyOf(deployment), { tag: "awaitsCounts", isNeeded: affectsChart })
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
          () => workloadChangeAffectsChart(change),
          () => deploymentChangeAffectsStep(change)
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
          () => workloadChangeAffectsChart(change),
          (availablePodsToEndStep) => replicaSetChangeAffectsStep(change, availablePodsToEndStep)
        )
      return
    }
    const isPod = resource === resources.pods
    // Checked before the search for owners, as it is false for most changes of Pods.
    if (isPod && !podChangeAffectsChart(change)) return
    const replicaSet = controllingOwner(view, resources.replicaSets, object)
    if (replicaSet !== undefined) {
      const deployment = steeredOwnerOf(replicaSet)
      if (deployment !== undefined)
        wakeSteered(
          deployment,
          wake,
          () => true,
          () => !isPod || podChangeAffectsStep(change, replicaSet)
        )
    } else if (!isPod) for (const key of steered.keysNaming(object)) wake(key)
  }
}

interface SteeredSet {
  /** The Deployments whose strategy or record has the object's name, such as a hook's Job. */
  readonly keysNaming: (object: KubeObject) => ReadonlyArray<Key>
  readonly update: (change: Change) => void
  readonly isEmpty: () => boolean
}

/** Changes of Pods must cost nothing in a cluster without steered Deployments. */
const makeSteeredSet = (view: ClusterView["Service"]): SteeredSet => {
  let keys: Set<string> | undefined
  // Deployments of a snapshot exist without a change.
  const steeredKeys = (): Set<string> =>
    (keys ??= new Set([...view.all(resources.deployments)].filter(isSteered).map(objectKeyOf)))
  return {
    keysNaming: ({ metadata }) =>
      [...steeredKeys()].filter((key) => {
        const deployment = view.get(resources.deployments, key)
        return (
          deployment !== undefined &&
          deployment.metadata.namespace === metadata.namespace &&
          [strategyAnnotation, recordAnnotation].some(
            (name) => annotationOf(deployment, name)?.includes(metadata.name) === true
          )
        )
      }),
    update: ({ type, object, old }) => {
      if (type === "MODIFIED" && old !== undefined && isSteered(object) === isSteered(old)) return
      const key = objectKeyOf(object)
      if (type !== "DELETED" && isSteered(object)) steeredKeys().add(key)
      else steeredKeys().delete(key)
    },
    isEmpty: () => steeredKeys().size === 0
  }
}
