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

interface ChangeEffects {
  /** Whether the chart may decide otherwise after the change. */
  readonly affectsChart: () => boolean
  /** Whether the change may end the step, which waits for so many available Pods. */
  readonly affectsStep: (availablePodsToEndStep: AvailablePodsToEndStep) => boolean
}

const affectsAll: ChangeEffects = { affectsChart: () => true, affectsStep: () => true }

/** Wakes the charts of the Deployments that a change is about. */
export const makeSteeringWakes = (
  view: ClusterView["Service"],
  /** Undefined for a chart without `awaitedPods`, the count of available Pods that ends its step. */
  availablePodsToEndStepOf: (deployment: Deployment) => AvailablePodsToEndStep | undefined
): ((change: Change, wake: Wake) => void) => {
  const steered = makeSteeredSet(view)
  /**
   * A change that cannot end the step wakes a chart with `awaitedPods` only in a state with the tag `awaitsCounts`,
   * which each changed count of Pods wakes.
   */
  const wakeDeployment = (
    deployment: Deployment,
    wake: Wake,
    { affectsChart, affectsStep }: ChangeEffects
  ): void => {
    const availablePodsToEndStep = availablePodsToEndStepOf(deployment)
    if (availablePodsToEndStep === undefined ? affectsChart() : affectsStep(availablePodsToEndStep))
      wake(objectKeyOf(deployment))
    else if (availablePodsToEndStep !== undefined)
      wake(objectKeyOf(deployment), { tag: "awaitsCounts", isNeeded: affectsChart })
  }
  const wakeOwner = (replicaSet: KubeObject, wake: Wake, effects: ChangeEffects): void => {
    const deployment = controllingOwner(view, resources.deployments, replicaSet)
    if (deployment !== undefined && isSteered(deployment)) wakeDeployment(deployment, wake, effects)
  }
  return (change, wake) => {
    const { resource, object, old } = change
    if (resource === resources.deployments) steered.update(change)
    else if (steered.isEmpty()) return
    switch (resource) {
      case resources.deployments:
        if (isSteered(object) || (old !== undefined && isSteered(old)))
          wakeDeployment(object as Deployment, wake, {
            affectsChart: () => workloadChangeAffectsChart(change),
            affectsStep: () => deploymentChangeAffectsStep(change)
          })
        return
      case resources.replicaSets:
        return wakeOwner(object, wake, {
          affectsChart: () => workloadChangeAffectsChart(change),
          affectsStep: (availablePodsToEndStep) => replicaSetChangeAffectsStep(change, availablePodsToEndStep)
        })
      case resources.pods: {
        // Checked before the search for owners, as it is false for most changes of Pods.
        if (!podChangeAffectsChart(change)) return
        const replicaSet = controllingOwner(view, resources.replicaSets, object)
        if (replicaSet !== undefined)
          wakeOwner(replicaSet, wake, {
            affectsChart: () => true,
            affectsStep: () => podChangeAffectsStep(change, replicaSet)
          })
        return
      }
      default: {
        const replicaSet = controllingOwner(view, resources.replicaSets, object)
        if (replicaSet !== undefined) wakeOwner(replicaSet, wake, affectsAll)
        else for (const key of steered.keysNaming(object)) wake(key)
      }
    }
  }
}

interface SteeredSet {
  /** The Deployments whose annotations name the object, such as the Job of a hook. */
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
