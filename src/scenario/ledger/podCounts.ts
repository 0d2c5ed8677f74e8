import type { Mutable } from "../../kubernetes/meta/fields.ts"
import type { PodRequests } from "../../kubernetes/pods/podRequests.ts"
import type { LedgerCounts } from "./ledgerRows.ts"

/** What is counted of a Pod. */
export interface CountedPod {
  readonly replicaSetUid: string
  readonly isActive: boolean
  readonly isReady: boolean
  readonly isTerminating: boolean
  readonly requests: PodRequests
  readonly availableAtMillis: number
  isAvailable: boolean
}

interface ReplicaSetCounts {
  active: number
  ready: number
  available: number
  terminating: number
  minReadyMillis: number
  /** Its remaining Pods count as terminating. */
  isDeleted: boolean
}

/** Pods of a Deployment, counted in all and by ReplicaSet. */
interface PodCounts {
  readonly total: LedgerCounts
  readonly setDesired: (replicas: number) => void
  readonly requests: () => PodRequests
  /** Makes the counts of a ReplicaSet if there are none. */
  readonly of: (replicaSetUid: string) => ReplicaSetCounts
  readonly find: (replicaSetUid: string) => Readonly<ReplicaSetCounts> | undefined
  readonly remove: (replicaSetUid: string) => void
  readonly setNewReplicaSet: (replicaSetUid: string | undefined) => void
  readonly add: (pod: CountedPod) => void
  readonly subtract: (pod: CountedPod) => void
  /** Counts a Pod, which `add` has counted before, as available too. */
  readonly addAvailable: (pod: CountedPod) => void
}

export const makePodCounts = (): PodCounts => {
  const total: Mutable<LedgerCounts> = {
    desired: 0,
    existing: 0,
    ready: 0,
    available: 0,
    updated: 0,
    updatedReady: 0,
    updatedAvailable: 0,
    terminating: 0
  }
  const countsByReplicaSet = new Map<string, ReplicaSetCounts>()
  let newReplicaSetUid: string | undefined
  let cpuMillicores = 0n
  let memoryMillibytes = 0n

  const countsOf = (replicaSetUid: string): ReplicaSetCounts => {
    const present = countsByReplicaSet.get(replicaSetUid)
    if (present !== undefined) return present
    const counts = { active: 0, ready: 0, available: 0, terminating: 0, minReadyMillis: 0, isDeleted: false }
    countsByReplicaSet.set(replicaSetUid, counts)
    return counts
  }

  const changeAvailable = (pod: CountedPod, delta: 1 | -1): void => {
    total.available += delta
    countsOf(pod.replicaSetUid).available += delta
    if (pod.replicaSetUid === newReplicaSetUid) total.updatedAvailable += delta
  }

  const changeActive = (pod: CountedPod, counts: ReplicaSetCounts, delta: 1 | -1): void => {
    const isUpdated = pod.replicaSetUid === newReplicaSetUid
    total.existing += delta
    counts.active += delta
    if (isUpdated) total.updated += delta
    if (pod.isReady) {
      total.ready += delta
      counts.ready += delta
      if (isUpdated) total.updatedReady += delta
    }
    if (pod.isAvailable) changeAvailable(pod, delta)
  }

  const change = (pod: CountedPod, delta: 1 | -1): void => {
    if (!pod.isActive && !pod.isTerminating) return
    cpuMillicores += BigInt(delta) * pod.requests.cpuMillicores
    memoryMillibytes += BigInt(delta) * pod.requests.memoryMillibytes
    const counts = countsOf(pod.replicaSetUid)
    if (pod.isTerminating || counts.isDeleted) {
      total.terminating += delta
      counts.terminating += delta
    } else changeActive(pod, counts, delta)
  }

  return {
    total,
    setDesired: (replicas) => {
      total.desired = replicas
    },
    requests: () => ({ cpuMillicores, memoryMillibytes }),
    of: countsOf,
    find: (replicaSetUid) => countsByReplicaSet.get(replicaSetUid),
    remove: (replicaSetUid) => void countsByReplicaSet.delete(replicaSetUid),
    setNewReplicaSet: (replicaSetUid) => {
      if (replicaSetUid === newReplicaSetUid) return
      newReplicaSetUid = replicaSetUid
      const counts = replicaSetUid === undefined ? undefined : countsByReplicaSet.get(replicaSetUid)
      total.updated = counts?.active ?? 0
      total.updatedReady = counts?.ready ?? 0
      total.updatedAvailable = counts?.available ?? 0
    },
    add: (pod) => change(pod, 1),
    subtract: (pod) => change(pod, -1),
    addAvailable: (pod) => changeAvailable(pod, 1)
  }
}
