import { wholeEvent } from "../domain/wholeEvent.ts"
import { controllerOf } from "../domain/ownerReferences.ts"
import { isActive, restartsOf } from "../domain/pods.ts"
import { resources } from "../domain/kinds.ts"
import { rolloutStatus } from "../domain/rolloutStatus.ts"
import { makeTroubles } from "./troubles.ts"
import type { Deployment, Node, Pod, ReplicaSet } from "../domain/objects.ts"
import type { Change } from "../store/objectStore.ts"
import type { Troubles } from "./troubles.ts"

/** What a rollout cost, counted from the beginning of its act. */
export interface Costs {
  /** From the beginning until it was complete, had failed or was superseded; undefined while none is so. */
  readonly millis: number | undefined
  /** The fewest available Pods at any time; undefined for a Deployment that was new and had none to lose. */
  readonly availableFewest: number | undefined
  /** The most Pods at any time that were neither terminating nor finished. */
  readonly podsMost: number
  /** The same with those on their way out, which still take room. */
  readonly podsMostWithTerminating: number
  readonly restarts: number
  /** What went wrong and why, a sentence each. */
  readonly troubles: ReadonlyArray<string>
}

/**
 * Adds up what happens, change by change, to what each rollout costs. It sees nothing but changes, so the
 * same changes always add up to the same.
 */
export interface Summary {
  /** Begins to count anew; what is there stays known. */
  readonly beginAct: (atMillis: number) => void
  readonly see: (change: Change, atMillis: number) => void
  /** Of a Deployment, or of a ReplicaSet or Pod that nobody controls. */
  readonly costsOf: (uid: string) => Costs
  /** What went wrong with nodes. */
  readonly nodeTroubles: () => ReadonlyArray<string>
}

export const makeSummary = (): Summary => {
  const tallies = new Map<string, Tally>()
  const deploymentByReplicaSet = new Map<string, string>()
  const pullErrors = new Map<string, string>()
  let nodeTroubles = makeTroubles()
  let beganMillis = 0

  const tallyOf = (uid: string): Tally => {
    const tally = tallies.get(uid) ?? makeTally()
    tallies.set(uid, tally)
    return tally
  }
  /** Whose cost a Pod is: that of its Deployment, else of its ReplicaSet, else its own. */
  const payerOf = (pod: Pod): Tally => {
    const owner = controllerOf(pod)?.uid
    return tallyOf(owner === undefined ? pod.metadata.uid : (deploymentByReplicaSet.get(owner) ?? owner))
  }

  return {
    beginAct: (atMillis) => {
      beganMillis = atMillis
      nodeTroubles = makeTroubles()
      for (const tally of tallies.values()) beginAnew(tally)
    },
    see: ({ type, resource, object, old }, atMillis) => {
      // The store says of what resource an object is; the types cannot follow.
      switch (resource) {
        case resources.deployments:
          if (type !== "DELETED") seeDeployment(tallyOf(object.metadata.uid), object as Deployment, atMillis)
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
          if (before !== undefined) countPod(payerOf(before), before, -1)
          if (type !== "DELETED") seePod(payerOf(object as Pod), before, object as Pod)
          break
        }
        case resources.nodes:
          nodeTroubles.seeNode(old as Node | undefined, object as Node)
          break
        case resources.events: {
          const { image, error } = pullFailure.exec(wholeEvent(object).message)?.groups ?? {}
          if (image !== undefined && error !== undefined) pullErrors.set(image, error)
          break
        }
      }
    },
    costsOf: (uid) => {
      const { overMillis, availableFewest, podsMost, podsMostWithTerminating, restarts, troubles } =
        tallyOf(uid)
      return {
        millis: overMillis === undefined ? undefined : overMillis - beganMillis,
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

/** The kubelet's event of a failed pull: the only place that repeats what the registry said. */
const pullFailure = /^Failed to pull image "(?<image>[^"]*)": (?<error>.*)$/su

/**
 * What is counted of one rollout. The first three numbers are of the present, the others of the act so far.
 */
interface Tally {
  podsActive: number
  podsTotal: number
  available: number | undefined
  availableFewest: number | undefined
  podsMost: number
  podsMostWithTerminating: number
  restarts: number
  overMillis: number | undefined
  troubles: Troubles
}

const makeTally = (): Tally => ({
  podsActive: 0,
  podsTotal: 0,
  available: undefined,
  availableFewest: undefined,
  podsMost: 0,
  podsMostWithTerminating: 0,
  restarts: 0,
  overMillis: undefined,
  troubles: makeTroubles()
})

const beginAnew = (tally: Tally): void => {
  tally.availableFewest = tally.available
  tally.podsMost = tally.podsActive
  tally.podsMostWithTerminating = tally.podsTotal
  tally.restarts = 0
  tally.overMillis = undefined
  tally.troubles = makeTroubles()
}

const seeDeployment = (tally: Tally, deployment: Deployment, atMillis: number): void => {
  if (rolloutStatus(deployment).state === "waiting") tally.overMillis = undefined
  else tally.overMillis ??= atMillis
  const available = deployment.status.availableReplicas ?? 0
  tally.available = available
  if (tally.availableFewest !== undefined) tally.availableFewest = Math.min(tally.availableFewest, available)
}

const seePod = (tally: Tally, before: Pod | undefined, after: Pod): void => {
  countPod(tally, after, 1)
  tally.podsMost = Math.max(tally.podsMost, tally.podsActive)
  tally.podsMostWithTerminating = Math.max(tally.podsMostWithTerminating, tally.podsTotal)
  tally.restarts += before === undefined ? 0 : Math.max(0, restartsOf(after) - restartsOf(before))
  tally.troubles.seePod(before, after)
}

const countPod = (tally: Tally, pod: Pod, by: 1 | -1): void => {
  tally.podsTotal += by
  if (isActive(pod)) tally.podsActive += by
}
