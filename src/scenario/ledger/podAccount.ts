import {
  isPodActive,
  isPodReady,
  isPodTerminating,
  readySinceMillis
} from "../../kubernetes/pods/podState.ts"
import { podRequestsOf, type PodRequests } from "../../kubernetes/pods/podRequests.ts"
import type { ScheduleCallback } from "./ledgerTimers.ts"
import type { Mutable } from "../../kubernetes/meta/fields.ts"
import type { Pod } from "../../kubernetes/meta/objects.ts"

export interface LedgerRow {
  readonly atMillis: number
  readonly desired: number
  /** Neither finished nor terminating. */
  readonly existing: number
  readonly ready: number
  /** Includes Pods whose availability is not reported yet. */
  readonly available: number
  readonly updated: number
  readonly updatedReady: number
  readonly updatedAvailable: number
  /** Pods with a deletion timestamp, and those of a deleted ReplicaSet. */
  readonly terminating: number
}

/** Extremes include counts that last no time. */
export interface RolloutExtremes {
  readonly availableFewest: number
  /** How long fewer Pods than desired were available. */
  readonly shortMillis: number
  /** How long `availableFewest` lasted, if below desired. */
  readonly fewestMillis: number
  readonly podsMost: number
  readonly podsMostWithTerminating: number
  readonly requestsMost: PodRequests
}

/** The cost of a change does not depend on the number of Pods. */
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
  readonly now: () => Readonly<Counts>
  /** How many Pods are neither finished nor terminating. */
  readonly activeOf: (replicaSetUid: string) => number
  readonly availableOf: (replicaSetUid: string) => number
  /** Like `activeOf`, with the terminating Pods. */
  readonly presentOf: (replicaSetUid: string) => number
  readonly restart: (atMillis: number) => void
  readonly rows: () => ReadonlyArray<LedgerRow>
  readonly extremes: (untilMillis: number) => RolloutExtremes
}

type Counts = Mutable<Omit<LedgerRow, "atMillis">>

/** The extremes of all counts up to a time. */
interface ExtremesSoFar {
  readonly atMillis: number
  readonly availableFewest: number
  readonly podsMost: number
  readonly podsMostWithTerminating: number
  readonly cpuMillicores: bigint
  readonly memoryMillibytes: bigint
}

interface ReleasedPods {
  readonly replicaSetUid: string
  readonly minReadyMillis: number
  readonly pods: ReadonlyArray<readonly [uid: string, pod: CountedPod]>
}

interface CountedPod {
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
  isDeleted: boolean
}

/** `schedule` must call back at its instant, before any later change. */
export const makePodAccount = (schedule: ScheduleCallback): PodAccount => {
  const counts: Counts = {
    desired: 0,
    existing: 0,
    ready: 0,
    available: 0,
    updated: 0,
    updatedReady: 0,
    updatedAvailable: 0,
    terminating: 0
  }
  const pods = new Map<string, CountedPod>()
  const countsByReplicaSet = new Map<string, ReplicaSetCounts>()
  let newReplicaSetUid: string | undefined
  let cpuMillicores = 0n
  let memoryMillibytes = 0n
  let rows: Array<LedgerRow> = []
  let extremesOverTime: Array<ExtremesSoFar> = []

  const replicaSetCountsOf = (uid: string): ReplicaSetCounts => {
    const existing = countsByReplicaSet.get(uid)
    if (existing !== undefined) return existing
    const replicaSetCounts = {
      active: 0,
      ready: 0,
      available: 0,
      terminating: 0,
      minReadyMillis: 0,
      isDeleted: false
    }
    countsByReplicaSet.set(uid, replicaSetCounts)
    return replicaSetCounts
  }
  const addToAvailable = (pod: CountedPod, delta: 1 | -1): void => {
    counts.available += delta
    replicaSetCountsOf(pod.replicaSetUid).available += delta
    if (pod.replicaSetUid === newReplicaSetUid) counts.updatedAvailable += delta
  }
  const addToCounts = (pod: CountedPod, delta: 1 | -1): void => {
    const replicaSetCounts = replicaSetCountsOf(pod.replicaSetUid)
    if (pod.isTerminating || (replicaSetCounts.isDeleted && pod.isActive)) {
      counts.terminating += delta
      replicaSetCounts.terminating += delta
    } else if (pod.isActive) {
      counts.existing += delta
      replicaSetCounts.active += delta
      const isUpdated = pod.replicaSetUid === newReplicaSetUid
      if (isUpdated) counts.updated += delta
      if (pod.isReady) {
        counts.ready += delta
        replicaSetCounts.ready += delta
        if (isUpdated) counts.updatedReady += delta
      }
      if (pod.isAvailable) addToAvailable(pod, delta)
    }
    if (!pod.isActive && !pod.isTerminating) return
    cpuMillicores += BigInt(delta) * pod.requests.cpuMillicores
    memoryMillibytes += BigInt(delta) * pod.requests.memoryMillibytes
  }
  const awaitAvailability = (uid: string, pod: CountedPod): void =>
    schedule(pod.availableAtMillis, () => {
      if (pods.get(uid) !== pod || pod.isAvailable) return
      pod.isAvailable = true
      if (replicaSetCountsOf(pod.replicaSetUid).isDeleted) return
      addToAvailable(pod, 1)
      record(pod.availableAtMillis)
    })
  const removeFromAccount = (uid: string): void => {
    const pod = pods.get(uid)
    if (pod === undefined) return
    addToCounts(pod, -1)
    pods.delete(uid)
  }
  const podsOf = (replicaSetUid: string): ReleasedPods["pods"] => {
    const replicaSetCounts = countsByReplicaSet.get(replicaSetUid)
    if (replicaSetCounts === undefined || replicaSetCounts.active + replicaSetCounts.terminating === 0)
      return []
    return [...pods].filter(([, pod]) => pod.replicaSetUid === replicaSetUid)
  }
  const updateExtremes = (atMillis: number): void => {
    const last = extremesOverTime.at(-1) ?? noExtremes
    const withTerminating = counts.existing + counts.terminating
    const isHigher =
      counts.existing > last.podsMost ||
      withTerminating > last.podsMostWithTerminating ||
      cpuMillicores > last.cpuMillicores ||
      memoryMillibytes > last.memoryMillibytes
    if (!isHigher && counts.available >= last.availableFewest) return
    if (last.atMillis === atMillis) extremesOverTime.pop()
    extremesOverTime.push({
      atMillis,
      availableFewest: Math.min(last.availableFewest, counts.available),
      podsMost: Math.max(last.podsMost, counts.existing),
      podsMostWithTerminating: Math.max(last.podsMostWithTerminating, withTerminating),
      cpuMillicores: cpuMillicores > last.cpuMillicores ? cpuMillicores : last.cpuMillicores,
      memoryMillibytes: memoryMillibytes > last.memoryMillibytes ? memoryMillibytes : last.memoryMillibytes
    })
  }
  const record = (atMillis: number): void => {
    updateExtremes(atMillis)
    const last = rows.at(-1)
    if (last !== undefined && hasSameCounts(last, counts)) return
    if (last?.atMillis === atMillis) rows.pop()
    // The counts of an instant may come back to those before it.
    const before = rows.at(-1)
    if (before === undefined || !hasSameCounts(before, counts)) rows.push({ atMillis, ...counts })
  }

  return {
    setDesired: (replicas) => {
      counts.desired = replicas
    },
    setMinReadySeconds: (replicaSetUid, seconds, atMillis) => {
      const replicaSetCounts = replicaSetCountsOf(replicaSetUid)
      const millis = seconds * 1000
      if (millis === replicaSetCounts.minReadyMillis) return
      const shiftMillis = millis - replicaSetCounts.minReadyMillis
      replicaSetCounts.minReadyMillis = millis
      for (const [uid, pod] of pods) {
        if (pod.replicaSetUid !== replicaSetUid) continue
        addToCounts(pod, -1)
        const availableAtMillis = pod.availableAtMillis + shiftMillis
        const isAvailable = pod.isReady && (millis === 0 || availableAtMillis <= atMillis)
        const updated = { ...pod, availableAtMillis, isAvailable }
        pods.set(uid, updated)
        addToCounts(updated, 1)
        if (updated.isReady && !isAvailable && availableAtMillis < Infinity) awaitAvailability(uid, updated)
      }
    },
    setNewReplicaSet: (uid) => {
      if (uid === newReplicaSetUid) return
      newReplicaSetUid = uid
      const replicaSetCounts = uid === undefined ? undefined : countsByReplicaSet.get(uid)
      counts.updated = replicaSetCounts?.active ?? 0
      counts.updatedReady = replicaSetCounts?.ready ?? 0
      counts.updatedAvailable = replicaSetCounts?.available ?? 0
    },
    observePod: (pod, replicaSetUid, atMillis) => {
      const { uid } = pod.metadata
      const before = pods.get(uid)
      const active = isPodActive(pod)
      const ready = active && isPodReady(pod)
      // Without a transition time of its Ready condition, a Pod never becomes available.
      const sinceMillis = ready ? (readySinceMillis(pod) ?? Infinity) : Infinity
      const { minReadyMillis } = replicaSetCountsOf(replicaSetUid)
      const availableAtMillis = sinceMillis + minReadyMillis
      const terminating = isPodTerminating(pod)
      const requests = podRequestsOf(pod.spec)
      if (
        before !== undefined &&
        before.replicaSetUid === replicaSetUid &&
        before.isActive === active &&
        before.isReady === ready &&
        before.isTerminating === terminating &&
        before.availableAtMillis === availableAtMillis &&
        // Requests change when a Pod is resized in place.
        before.requests.cpuMillicores === requests.cpuMillicores &&
        before.requests.memoryMillibytes === requests.memoryMillibytes
      ) {
        return
      }
      removeFromAccount(uid)
      const counted: CountedPod = {
        replicaSetUid,
        isActive: active,
        isReady: ready,
        isTerminating: terminating,
        requests,
        availableAtMillis,
        isAvailable: ready && (minReadyMillis === 0 || availableAtMillis <= atMillis)
      }
      pods.set(uid, counted)
      addToCounts(counted, 1)
      if (ready && !counted.isAvailable && availableAtMillis < Infinity) awaitAvailability(uid, counted)
    },
    removePod: removeFromAccount,
    replicaSetDeleted: (replicaSetUid) => {
      const remaining = podsOf(replicaSetUid)
      for (const [, pod] of remaining) addToCounts(pod, -1)
      replicaSetCountsOf(replicaSetUid).isDeleted = true
      for (const [, pod] of remaining) addToCounts(pod, 1)
    },
    releaseReplicaSet: (replicaSetUid) => {
      const releasedPods = podsOf(replicaSetUid)
      for (const [uid] of releasedPods) removeFromAccount(uid)
      const { minReadyMillis } = replicaSetCountsOf(replicaSetUid)
      countsByReplicaSet.delete(replicaSetUid)
      return { replicaSetUid, minReadyMillis, pods: releasedPods }
    },
    adoptReplicaSet: ({ replicaSetUid, minReadyMillis, pods: adopted }) => {
      replicaSetCountsOf(replicaSetUid).minReadyMillis = minReadyMillis
      for (const [uid, pod] of adopted) {
        pods.set(uid, pod)
        addToCounts(pod, 1)
        if (pod.isReady && !pod.isAvailable && pod.availableAtMillis < Infinity) awaitAvailability(uid, pod)
      }
    },
    record,
    now: () => counts,
    activeOf: (uid) => countsByReplicaSet.get(uid)?.active ?? 0,
    availableOf: (uid) => countsByReplicaSet.get(uid)?.available ?? 0,
    presentOf: (uid) => {
      const replicaSetCounts = countsByReplicaSet.get(uid)
      return replicaSetCounts === undefined ? 0 : replicaSetCounts.active + replicaSetCounts.terminating
    },
    restart: (atMillis) => {
      rows = []
      extremesOverTime = []
      record(atMillis)
    },
    rows: () => rows,
    extremes: (untilMillis) => {
      const extremes = extremesOverTime.findLast(({ atMillis }) => atMillis <= untilMillis) ?? noExtremes
      const { availableFewest, podsMost, podsMostWithTerminating, cpuMillicores, memoryMillibytes } = extremes
      return {
        availableFewest,
        ...shortageDurations(rows, availableFewest, untilMillis),
        podsMost,
        podsMostWithTerminating,
        requestsMost: { cpuMillicores, memoryMillibytes }
      }
    }
  }
}

const noExtremes: ExtremesSoFar = {
  atMillis: -Infinity,
  availableFewest: Infinity,
  podsMost: 0,
  podsMostWithTerminating: 0,
  cpuMillicores: 0n,
  memoryMillibytes: 0n
}

const hasSameCounts = (row: LedgerRow, counts: Counts): boolean =>
  row.desired === counts.desired &&
  row.existing === counts.existing &&
  row.ready === counts.ready &&
  row.available === counts.available &&
  row.updated === counts.updated &&
  row.updatedReady === counts.updatedReady &&
  row.updatedAvailable === counts.updatedAvailable &&
  row.terminating === counts.terminating

const shortageDurations = (rows: ReadonlyArray<LedgerRow>, fewest: number, endMillis: number) => {
  let shortMillis = 0
  let fewestMillis = 0
  for (const [index, { atMillis, available, desired }] of rows.entries()) {
    const millis = Math.min(rows[index + 1]?.atMillis ?? endMillis, endMillis) - atMillis
    if (millis <= 0) continue
    if (available >= desired) continue
    shortMillis += millis
    if (available === fewest) fewestMillis += millis
  }
  return { shortMillis, fewestMillis }
}
