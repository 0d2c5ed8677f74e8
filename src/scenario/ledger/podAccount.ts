import {
  isPodActive,
  isPodReady,
  isPodTerminating,
  readySinceMillis
} from "../../kubernetes/pods/podState.ts"
import { podRequestsOf } from "../../kubernetes/pods/podRequests.ts"
import { makeLedgerRows } from "./ledgerRows.ts"
import { makePodCounts } from "./podCounts.ts"
import type { Pod } from "../../kubernetes/meta/objects.ts"
import type { LedgerCounts, LedgerRow, RolloutExtremes } from "./ledgerRows.ts"
import type { ScheduleCallback } from "./ledgerTimers.ts"
import type { CountedPod } from "./podCounts.ts"

export interface PodAccount {
  readonly setDesired: (replicas: number) => void
  /** Each ReplicaSet has its own `minReadySeconds`. */
  readonly setMinReadySeconds: (replicaSetUid: string, seconds: number, atMillis: number) => void
  readonly setNewReplicaSet: (replicaSetUid: string | undefined) => void
  readonly observePod: (pod: Pod, replicaSetUid: string, atMillis: number) => void
  readonly removePod: (uid: string) => void
  /** The remaining Pods of the ReplicaSet count as terminating. */
  readonly replicaSetDeleted: (replicaSetUid: string) => void
  readonly releaseReplicaSet: (replicaSetUid: string) => ReleasedPods
  readonly adoptReplicaSet: (released: ReleasedPods) => void
  /** Must follow every change: adds a row if a count differs. */
  readonly record: (atMillis: number) => void
  readonly now: () => LedgerCounts
  /** How many Pods are neither finished nor terminating. */
  readonly activeOf: (replicaSetUid: string) => number
  readonly availableOf: (replicaSetUid: string) => number
  /** Like `activeOf`, with the terminating Pods. */
  readonly presentOf: (replicaSetUid: string) => number
  /** Forgets the rows so far. */
  readonly restart: (atMillis: number) => void
  readonly rows: () => ReadonlyArray<LedgerRow>
  readonly extremes: (untilMillis: number) => RolloutExtremes
}

interface ReleasedPods {
  readonly replicaSetUid: string
  readonly minReadyMillis: number
  readonly pods: ReadonlyArray<readonly [uid: string, pod: CountedPod]>
}

/** `schedule` must call back at its instant, before any later change. */
export const makePodAccount = (schedule: ScheduleCallback): PodAccount => {
  const counts = makePodCounts()
  const ledgerRows = makeLedgerRows()
  const pods = new Map<string, CountedPod>()

  const record = (atMillis: number): void => ledgerRows.record(atMillis, counts.total, counts.requests())

  const addPod = (uid: string, pod: CountedPod): void => {
    pods.set(uid, pod)
    counts.add(pod)
    if (pod.isReady && !pod.isAvailable && pod.availableAtMillis < Infinity) awaitAvailability(uid, pod)
  }

  const removePod = (uid: string): void => {
    const pod = pods.get(uid)
    if (pod === undefined) return
    counts.subtract(pod)
    pods.delete(uid)
  }

  const awaitAvailability = (uid: string, pod: CountedPod): void =>
    schedule(pod.availableAtMillis, () => {
      if (pods.get(uid) !== pod || pod.isAvailable) return
      pod.isAvailable = true
      if (counts.of(pod.replicaSetUid).isDeleted) return
      counts.addAvailable(pod)
      record(pod.availableAtMillis)
    })

  const podsOf = (replicaSetUid: string): ReleasedPods["pods"] =>
    presentOf(replicaSetUid) === 0 ? [] : [...pods].filter(([, pod]) => pod.replicaSetUid === replicaSetUid)

  const presentOf = (replicaSetUid: string): number => {
    const { active = 0, terminating = 0 } = counts.find(replicaSetUid) ?? {}
    return active + terminating
  }

  return {
    setDesired: counts.setDesired,
    setMinReadySeconds: (replicaSetUid, seconds, atMillis) => {
      const replicaSetCounts = counts.of(replicaSetUid)
      const millis = seconds * 1000
      if (millis === replicaSetCounts.minReadyMillis) return
      const shiftMillis = millis - replicaSetCounts.minReadyMillis
      replicaSetCounts.minReadyMillis = millis
      for (const [uid, pod] of pods) {
        if (pod.replicaSetUid !== replicaSetUid) continue
        counts.subtract(pod)
        const availableAtMillis = pod.availableAtMillis + shiftMillis
        const isAvailable = pod.isReady && (millis === 0 || availableAtMillis <= atMillis)
        addPod(uid, { ...pod, availableAtMillis, isAvailable })
      }
    },
    setNewReplicaSet: counts.setNewReplicaSet,
    observePod: (pod, replicaSetUid, atMillis) => {
      const { uid } = pod.metadata
      const { minReadyMillis } = counts.of(replicaSetUid)
      const counted = countedPodOf(pod, { replicaSetUid, minReadyMillis, atMillis })
      const before = pods.get(uid)
      if (before !== undefined && countsAlike(before, counted)) return
      removePod(uid)
      addPod(uid, counted)
    },
    removePod,
    replicaSetDeleted: (replicaSetUid) => {
      const remaining = podsOf(replicaSetUid)
      for (const [, pod] of remaining) counts.subtract(pod)
      counts.of(replicaSetUid).isDeleted = true
      for (const [, pod] of remaining) counts.add(pod)
    },
    releaseReplicaSet: (replicaSetUid) => {
      const releasedPods = podsOf(replicaSetUid)
      for (const [uid] of releasedPods) removePod(uid)
      const { minReadyMillis } = counts.of(replicaSetUid)
      counts.remove(replicaSetUid)
      return { replicaSetUid, minReadyMillis, pods: releasedPods }
    },
    adoptReplicaSet: ({ replicaSetUid, minReadyMillis, pods: adopted }) => {
      counts.of(replicaSetUid).minReadyMillis = minReadyMillis
      for (const [uid, pod] of adopted) addPod(uid, pod)
    },
    record,
    now: () => counts.total,
    activeOf: (replicaSetUid) => counts.find(replicaSetUid)?.active ?? 0,
    availableOf: (replicaSetUid) => counts.find(replicaSetUid)?.available ?? 0,
    presentOf,
    restart: (atMillis) => {
      ledgerRows.clear()
      record(atMillis)
    },
    rows: ledgerRows.rows,
    extremes: ledgerRows.extremes
  }
}

const countedPodOf = (
  pod: Pod,
  {
    replicaSetUid,
    minReadyMillis,
    atMillis
  }: { readonly replicaSetUid: string; readonly minReadyMillis: number; readonly atMillis: number }
): CountedPod => {
  const isActive = isPodActive(pod)
  const isReady = isActive && isPodReady(pod)
  // Without a transition time of its Ready condition, a Pod never becomes available.
  const sinceMillis = isReady ? (readySinceMillis(pod) ?? Infinity) : Infinity
  const availableAtMillis = sinceMillis + minReadyMillis
  return {
    replicaSetUid,
    isActive,
    isReady,
    isTerminating: isPodTerminating(pod),
    requests: podRequestsOf(pod.spec),
    availableAtMillis,
    isAvailable: isReady && (minReadyMillis === 0 || availableAtMillis <= atMillis)
  }
}

/** Whether the counts stay the same; time, which makes a Pod available, has its own timer. */
const countsAlike = (before: CountedPod, pod: CountedPod): boolean =>
  before.replicaSetUid === pod.replicaSetUid &&
  before.isActive === pod.isActive &&
  before.isReady === pod.isReady &&
  before.isTerminating === pod.isTerminating &&
  before.availableAtMillis === pod.availableAtMillis &&
  // Requests change when a Pod is resized in place.
  before.requests.cpuMillicores === pod.requests.cpuMillicores &&
  before.requests.memoryMillibytes === pod.requests.memoryMillibytes
