import { toCompleteEvent } from "../../kubernetes/meta/completeEvent.ts"
import { controllerOf } from "../../kubernetes/meta/ownerReferences.ts"
import { isPodActive, restartCountOf } from "../../kubernetes/pods/podState.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { rolloutStatus } from "../../kubernetes/apps/rolloutStatus.ts"
import { makeProblemCollector } from "./problemCollector.ts"
import type { Deployment, Node, Pod, ReplicaSet } from "../../kubernetes/meta/objects.ts"
import type { Change } from "../../store/objectStore.ts"
import type { ProblemCollector } from "./problemCollector.ts"

/** What a rollout cost since the beginning of its stage: the application of one file, and what follows from it. */
export interface RolloutCosts {
  /** How long the rollout took until it was complete, failed or superseded; undefined before. */
  readonly millis: number | undefined
  /** Undefined for a new Deployment. */
  readonly availableFewest: number | undefined
  /** Without terminating and finished Pods. */
  readonly podsMost: number
  readonly podsMostWithTerminating: number
  readonly restarts: number
  /** Problems of its Pods and ReplicaSets, a sentence each. */
  readonly troubles: ReadonlyArray<string>
}

/** Measures the costs of rollouts from changes only, so that the same changes give the same costs. */
export interface CostTracker {
  readonly beginStage: (atMillis: number) => void
  readonly onChange: (change: Change, atMillis: number) => void
  /** Of a Deployment, or of a ReplicaSet or Pod without an owner. */
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
  /** The tally of the Pod's Deployment, else of its ReplicaSet, else of itself. */
  const tallyForPod = (pod: Pod): Tally => {
    const owner = controllerOf(pod)?.uid
    return tallyOf(owner === undefined ? pod.metadata.uid : (deploymentByReplicaSet.get(owner) ?? owner))
  }

  return {
    beginStage: (atMillis) => {
      beganMillis = atMillis
      nodeTroubles = makeProblemCollector()
      for (const tally of tallies.values()) resetTally(tally)
    },
    onChange: ({ type, resource, object, old }, atMillis) => {
      // The resource determines the type, which TypeScript cannot infer.
      switch (resource) {
        case resources.deployments:
          if (type !== "DELETED") addDeployment(tallyOf(object.metadata.uid), object as Deployment, atMillis)
          break
        case resources.replicaSets: {
          const owner = controllerOf(object)?.uid
          if (owner === undefined) deploymentByReplicaSet.delete(object.metadata.uid)
          else deploymentByReplicaSet.set(object.metadata.uid, owner)
          tallyOf(owner ?? object.metadata.uid).troubles.seeReplicaSet(object as ReplicaSet)
          break
        }
        case resources.pods: {
          const before = type === "ADDED" ? undefined : ((old ?? object) as Pod)
          if (before !== undefined) countPod(tallyForPod(before), before, -1)
          if (type !== "DELETED") addPod(tallyForPod(object as Pod), before, object as Pod)
          break
        }
        case resources.nodes:
          nodeTroubles.seeNode(old as Node | undefined, object as Node)
          break
        case resources.events: {
          const { image, error } = pullFailure.exec(toCompleteEvent(object).message)?.groups ?? {}
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

/** Only the kubelet's event has the registry's error. */
const pullFailure = /^Failed to pull image "(?<image>[^"]*)": (?<error>.*)$/su

/** The costs of one rollout so far. The first three numbers are current; the others are since the stage began. */
interface Tally {
  podsActive: number
  podsTotal: number
  available: number | undefined
  availableFewest: number | undefined
  podsMost: number
  podsMostWithTerminating: number
  restarts: number
  endMillis: number | undefined
  troubles: ProblemCollector
}

const makeTally = (): Tally => ({
  podsActive: 0,
  podsTotal: 0,
  available: undefined,
  availableFewest: undefined,
  podsMost: 0,
  podsMostWithTerminating: 0,
  restarts: 0,
  endMillis: undefined,
  troubles: makeProblemCollector()
})

const resetTally = (tally: Tally): void => {
  tally.availableFewest = tally.available
  tally.podsMost = tally.podsActive
  tally.podsMostWithTerminating = tally.podsTotal
  tally.restarts = 0
  tally.endMillis = undefined
  tally.troubles = makeProblemCollector()
}

const addDeployment = (tally: Tally, deployment: Deployment, atMillis: number): void => {
  if (rolloutStatus(deployment).state === "waiting") tally.endMillis = undefined
  else tally.endMillis ??= atMillis
  const available = deployment.status.availableReplicas ?? 0
  tally.available = available
  if (tally.availableFewest !== undefined) tally.availableFewest = Math.min(tally.availableFewest, available)
}

const addPod = (tally: Tally, before: Pod | undefined, after: Pod): void => {
  countPod(tally, after, 1)
  tally.podsMost = Math.max(tally.podsMost, tally.podsActive)
  tally.podsMostWithTerminating = Math.max(tally.podsMostWithTerminating, tally.podsTotal)
  tally.restarts += before === undefined ? 0 : Math.max(0, restartCountOf(after) - restartCountOf(before))
  tally.troubles.seePod(before, after)
}

const countPod = (tally: Tally, pod: Pod, by: 1 | -1): void => {
  tally.podsTotal += by
  if (isPodActive(pod)) tally.podsActive += by
}
