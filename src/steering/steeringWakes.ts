import { annotationOf } from "../kubernetes/apps/revisions/revisions.ts"
import { changesOnlyTerminatingCount } from "../controllers/changeFilters.ts"
import { controllingOwner } from "../store/ownerLookup.ts"
import { isFailingPod } from "../kubernetes/steering/podFacts.ts"
import { hasApprovalGate } from "../kubernetes/steering/podApproval.ts"
import { isPodActive } from "../kubernetes/pods/podState.ts"
import { isSteered } from "../kubernetes/steering/steeringRecord.ts"
import { objectKeyOf } from "../kubernetes/meta/objects.ts"
import { resources } from "../kubernetes/meta/kinds.ts"
import { strategyAnnotation } from "../kubernetes/steering/steeringNames.ts"
import type { Change, ClusterView } from "../store/objectStore.ts"
import type {
  Deployment,
  Key,
  KubeObject,
  Pod,
  PodCondition,
  ReplicaSet
} from "../kubernetes/meta/objects.ts"
import type { Wake } from "../runtime/reconciler/controller.ts"

/** Wakes the steering actors of the Deployments that a change may concern. */
export const makeSteeringWakes = (view: ClusterView["Service"]): ((change: Change, wake: Wake) => void) => {
  const steered = makeSteeredSet(view)
  return (change, wake) => wakeSteering(view, steered, change, wake)
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
    const wasSteered = old !== undefined && isSteered(old)
    if ((isSteered(object) || wasSteered) && concernsDecisions(change)) wake(objectKeyOf(object))
    return
  }
  if (steered.isEmpty()) return
  if (resource === resources.pods) {
    if (!concernsPods(change)) return
    const replicaSet = controllingOwner(view, resources.replicaSets, object)
    if (replicaSet !== undefined) wakeOwner(view, replicaSet, wake)
    return
  }
  if (resource === resources.replicaSets) {
    if (concernsDecisions(change)) wakeOwner(view, object, wake)
    return
  }
  const replicaSet = controllingOwner(view, resources.replicaSets, object)
  if (replicaSet !== undefined) wakeOwner(view, replicaSet, wake)
  else for (const key of steered.keysNaming(object)) wake(key)
}

const wakeOwner = (view: ClusterView["Service"], replicaSet: KubeObject, wake: Wake): void => {
  const deployment = controllingOwner(view, resources.deployments, replicaSet)
  if (deployment !== undefined && isSteered(deployment)) wake(objectKeyOf(deployment))
}

/** Changes of a Deployment or a ReplicaSet: all but that a Pod which was told to stop has stopped. */
const concernsDecisions = ({ type, object, old }: Change): boolean => {
  const [workload, oldWorkload] = [
    object as Deployment | ReplicaSet,
    old as Deployment | ReplicaSet | undefined
  ]
  return (
    type !== "MODIFIED" || oldWorkload === undefined || !changesOnlyTerminatingCount(workload, oldWorkload)
  )
}

/**
 * Changes of a Pod: that it fails, and with the readiness gate, that it comes or goes, or that one of its conditions
 * becomes True or ceases to be. A Pod that was told to stop has gone: it is not observed any longer.
 */
const concernsPods = ({ type, object, old }: Change): boolean => {
  const [pod, oldPod] = [object as Pod, old as Pod | undefined]
  if (oldPod === undefined) return hasApprovalGate(pod) || isFailingPod(pod)
  const isActive = type !== "DELETED" && isPodActive(pod)
  const wasActive = isPodActive(oldPod)
  if (!isActive && !wasActive) return false
  if (isFailingPod(pod) || isFailingPod(oldPod)) return true
  return hasApprovalGate(pod) && (isActive !== wasActive || !hasSameTrueConditions(pod, oldPod))
}

/** A Pod's way to its node and the start of its sandbox and init containers, which no approval depends on. */
const startConditions: ReadonlySet<string> = new Set([
  "PodScheduled",
  "PodReadyToStartContainers",
  "Initialized"
])

const trueConditions = ({ status }: Pod): ReadonlyArray<PodCondition> => {
  const found: Array<PodCondition> = []
  for (const condition of status.conditions ?? [])
    if (condition.status === "True" && !startConditions.has(condition.type)) found.push(condition)
  return found
}

/** Whether the same conditions are True, since the same moments. */
const hasSameTrueConditions = (pod: Pod, old: Pod): boolean => {
  if (pod.status.conditions === old.status.conditions) return true
  const [present, former] = [trueConditions(pod), trueConditions(old)]
  return (
    present.length === former.length &&
    present.every((condition, index) => condition === former[index] || isSameMoment(condition, former[index]))
  )
}

const isSameMoment = (a: PodCondition, b: PodCondition | undefined): boolean =>
  a.type === b?.type && a.lastTransitionTime === b.lastTransitionTime
