import { normalizeEvent } from "../../kubernetes/meta/normalizeEvent.ts"
import { controllerOf } from "../../kubernetes/meta/ownerReferences.ts"
import { isPodActive, isPodFinished, restartCountOf } from "../../kubernetes/pods/podState.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { workloadStatus } from "../../kubernetes/apps/workloadStatus.ts"
import { makeProblemCollector } from "./problemCollector.ts"
import type { DaemonSet } from "../../kubernetes/apps/daemonSets/daemonSetTypes.ts"
import type { Deployment, KubeObject, Node, Pod, ReplicaSet } from "../../kubernetes/meta/objects.ts"
import type { StatefulSet } from "../../kubernetes/apps/statefulSets/statefulSetTypes.ts"
import type { WorkloadResource } from "../../kubernetes/apps/workloadStatus.ts"
import type { Change } from "../../store/objectStore.ts"
import type { ProblemCollector } from "./problemCollector.ts"

/** What a rollout cost since `reset`, which is called when its file is applied. */
export interface RolloutCosts {
  /** Undefined until the rollout is complete, failed or superseded. */
  readonly millis: number | undefined
  /** Undefined for a new workload, and for a Job. */
  readonly availableFewest: number | undefined
  /** The most Pods at one time, without terminating and finished ones. */
  readonly podsMost: number
  readonly podsMostWithTerminating: number
  readonly restarts: number
  readonly troubles: ReadonlyArray<string>
}

/** Reads only changes, so that the same changes give the same costs. */
export interface CostTracker {
  readonly reset: (atMillis: number) => void
  readonly onChange: (change: Change, atMillis: number) => void
  readonly costsOf: (uid: string) => RolloutCosts
  readonly nodeTroubles: () => ReadonlyArray<string>
}

export const makeCostTracker = (): CostTracker => {
  const tallies = new Map<string, Tally>()
  const deploymentByReplicaSet = new Map<string, string>()
  const pullErrors = new Map<string, string>()
  let nodeTroubles = makeProblemCollector()
  let beganMillis = 0

  const tallyOf = (uid: string): Tally => {
    const tally = tallies.get(uid) ?? makeTally()
    tallies.set(uid, tally)
    return tally
  }
  const tallyForPod = (pod: Pod): Tally => {
    const owner = controllerOf(pod)?.uid
    return tallyOf(owner === undefined ? pod.metadata.uid : (deploymentByReplicaSet.get(owner) ?? owner))
  }

  return {
    reset: (atMillis) => {
      beganMillis = atMillis
      nodeTroubles = makeProblemCollector()
      for (const tally of tallies.values()) resetTally(tally)
    },
    onChange: ({ type, resource, object, old }, atMillis) => {
      switch (resource) {
        case resources.deployments:
        case resources.statefulSets:
        case resources.daemonSets:
        case resources.jobs:
          if (type !== "DELETED") addWorkload(tallyOf(object.metadata.uid), resource, object, atMillis)
          break
        case resources.replicaSets: {
          const owner = controllerOf(object)?.uid
          if (owner === undefined) deploymentByReplicaSet.delete(object.metadata.uid)
          else deploymentByReplicaSet.set(object.metadata.uid, owner)
          tallyOf(owner ?? object.metadata.uid).troubles.observeReplicaSet(object as ReplicaSet)
          break
        }
        case resources.pods: {
          const before = type === "ADDED" ? undefined : ((old ?? object) as Pod)
          if (before !== undefined) addToPodCounts(tallyForPod(before), before, -1)
          if (type !== "DELETED") addPod(tallyForPod(object as Pod), before, object as Pod)
          break
        }
        case resources.nodes:
          nodeTroubles.observeNode({ before: old as Node | undefined, after: object as Node })
          break
        case resources.events: {
          const { image, error } = pullFailure.exec(normalizeEvent(object).message)?.groups ?? {}
          if (image !== undefined && error !== undefined) pullErrors.set(image, error)
          break
        }
      }
    },
    costsOf: (uid) => {
      const tally = tallyOf(uid)
      const { endMillis, availableFewest, podsMost, podsMostWithTerminating, restarts, troubles } = tally
      return {
        millis: endMillis === undefined ? undefined : endMillis - beganMillis,
        availableFewest,
        podsMost,
        podsMostWithTerminating,
        restarts,
        troubles: troubles.sentences(pullErrors)
      }
    },
    nodeTroubles: () => nodeTroubles.sentences(pullErrors)
  }
}

/** Only the kubelet's Event has the registry's error. */
const pullFailure = /^Failed to pull image "(?<image>[^"]*)": (?<error>.*)$/su

/** Numbers without `Now` are since the last `reset`. */
interface Tally {
  activePodsNow: number
  podsNow: number
  availableNow: number | undefined
  availableFewest: number | undefined
  podsMost: number
  podsMostWithTerminating: number
  restarts: number
  endMillis: number | undefined
  troubles: ProblemCollector
}

const makeTally = (): Tally => ({
  activePodsNow: 0,
  podsNow: 0,
  availableNow: undefined,
  availableFewest: undefined,
  podsMost: 0,
  podsMostWithTerminating: 0,
  restarts: 0,
  endMillis: undefined,
  troubles: makeProblemCollector()
})

const resetTally = (tally: Tally): void => {
  tally.availableFewest = tally.availableNow
  tally.podsMost = tally.activePodsNow
  tally.podsMostWithTerminating = tally.podsNow
  tally.restarts = 0
  tally.endMillis = undefined
  tally.troubles = makeProblemCollector()
}

const addWorkload = (
  tally: Tally,
  resource: WorkloadResource,
  workload: KubeObject,
  atMillis: number
): void => {
  if (workloadStatus(resource, workload).state === "waiting") tally.endMillis = undefined
  else tally.endMillis ??= atMillis
  const available = availableOfWorkload(resource, workload)
  tally.availableNow = available
  if (tally.availableFewest !== undefined && available !== undefined)
    tally.availableFewest = Math.min(tally.availableFewest, available)
}

const availableOfWorkload = (resource: WorkloadResource, workload: KubeObject): number | undefined => {
  switch (resource) {
    case resources.jobs:
      return undefined
    case resources.daemonSets:
      return (workload as DaemonSet).status.numberAvailable ?? 0
    default:
      return (workload as Deployment | StatefulSet).status.availableReplicas ?? 0
  }
}

const addPod = (tally: Tally, before: Pod | undefined, after: Pod): void => {
  addToPodCounts(tally, after, 1)
  tally.podsMost = Math.max(tally.podsMost, tally.activePodsNow)
  tally.podsMostWithTerminating = Math.max(tally.podsMostWithTerminating, tally.podsNow)
  tally.restarts += before === undefined ? 0 : Math.max(0, restartCountOf(after) - restartCountOf(before))
  tally.troubles.observePod({ before, after })
}

const addToPodCounts = (tally: Tally, pod: Pod, by: 1 | -1): void => {
  if (isPodFinished(pod)) return
  tally.podsNow += by
  if (isPodActive(pod)) tally.activePodsNow += by
}
