import {
  isPodActive,
  isPodReady,
  isPodTerminating,
  readySinceMillis
} from "../../kubernetes/pods/podState.ts"
import { podRequestsOf, type PodRequests } from "../../kubernetes/pods/podRequests.ts"
import type { ScheduleCallback } from "./ledgerTimers.ts"
import type { Pod } from "../../kubernetes/meta/objects.ts"

/** A Deployment's counts from `atMillis` until the next row. */
export interface LedgerRow {
  readonly atMillis: number
  readonly desired: number
  /** Pods that are neither finished nor terminating. */
  readonly existing: number
  readonly ready: number
  /** Ready for `minReadySeconds`, exactly, even if no controller has reported it yet. */
  readonly available: number
  /** Pods of the current template. */
  readonly updated: number
  readonly updatedReady: number
  readonly updatedAvailable: number
  /** Pods with a deletion timestamp, or of a deleted ReplicaSet. */
  readonly terminating: number
}

/** Extremes over a period. Every change counts, even if it lasts no time. */
export interface RolloutExtremes {
  readonly availableFewest: number
  readonly shortMillis: number
  /** Duration of `availableFewest`, if that is less than desired. */
  readonly fewestMillis: number
  readonly podsMost: number
  readonly podsMostWithTerminating: number
  /** Highest sum of the requests of all Pods that occupy nodes. */
  readonly requestsMost: PodRequests
}

/** Running counts of one Deployment's Pods; the cost of a change does not depend on their number. */
export interface PodAccount {
  readonly setDesired: (replicas: number) => void
  /** `minReadySeconds` of a ReplicaSet; old ReplicaSets keep their own value. */
  readonly setMinReady: (replicaSetUid: string, seconds: number, atMillis: number) => void
  readonly setNext: (replicaSetUid: string | undefined) => void
  readonly observePod: (pod: Pod, replicaSetUid: string, atMillis: number) => void
  readonly removePod: (uid: string) => void
  /** Counts the remaining Pods of a deleted ReplicaSet as terminating. */
  readonly replicaSetDeleted: (replicaSetUid: string) => void
  /** Removes the Pods of a ReplicaSet that another Deployment owns from now on. */
  readonly releaseReplicaSet: (replicaSetUid: string) => ReleasedPods
  readonly adoptReplicaSet: (released: ReleasedPods) => void
  readonly record: (atMillis: number) => void
  readonly now: () => Readonly<Counts>
  readonly activeOf: (replicaSetUid: string) => number
  readonly availableOf: (replicaSetUid: string) => number
  readonly presentOf: (replicaSetUid: string) => number
  readonly restart: (atMillis: number) => void
  readonly rows: () => ReadonlyArray<LedgerRow>
  /** Up to `atMillis`, which may lie in the past. */
  readonly extremes: (atMillis: number) => RolloutExtremes
}

type Counts = { -readonly [Name in Exclude<keyof LedgerRow, "atMillis">]: number }

/** The extremes since the start, valid until the next peak. */
interface Peak {
  readonly atMillis: number
  readonly fewest: number
  readonly pods: number
  readonly withTerminating: number
  readonly cpuMillis: bigint
  readonly memoryMillis: bigint
}

interface ReleasedPods {
  readonly replicaSetUid: string
  readonly minReadyMillis: number
  readonly entries: ReadonlyArray<readonly [uid: string, entry: Entry]>
}

interface Entry {
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
  isGone: boolean
}

/** `dueAt` must call back at the given instant, before any later change is passed in. */
export const makePodAccount = (dueAt: ScheduleCallback): PodAccount => {
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
  const entries = new Map<string, Entry>()
  const countsByReplicaSet = new Map<string, ReplicaSetCounts>()
  let nextUid: string | undefined
  let cpuMillis = 0n
  let memoryMillis = 0n
  let rows: Array<LedgerRow> = []
  let peaks: Array<Peak> = []

  const replicaSetCountsOf = (uid: string): ReplicaSetCounts => {
    const existing = countsByReplicaSet.get(uid)
    if (existing !== undefined) return existing
    const replicaSetCounts = {
      active: 0,
      ready: 0,
      available: 0,
      terminating: 0,
      minReadyMillis: 0,
      isGone: false
    }
    countsByReplicaSet.set(uid, replicaSetCounts)
    return replicaSetCounts
  }
  const countAvailable = (entry: Entry, delta: 1 | -1): void => {
    counts.available += delta
    replicaSetCountsOf(entry.replicaSetUid).available += delta
    if (entry.replicaSetUid === nextUid) counts.updatedAvailable += delta
  }
  const count = (entry: Entry, delta: 1 | -1): void => {
    const replicaSetCounts = replicaSetCountsOf(entry.replicaSetUid)
    if (entry.isTerminating || (replicaSetCounts.isGone && entry.isActive)) {
      counts.terminating += delta
      replicaSetCounts.terminating += delta
    } else if (entry.isActive) {
      counts.existing += delta
      replicaSetCounts.active += delta
      const isNext = entry.replicaSetUid === nextUid
      if (isNext) counts.updated += delta
      if (entry.isReady) {
        counts.ready += delta
        replicaSetCounts.ready += delta
        if (isNext) counts.updatedReady += delta
      }
      if (entry.isAvailable) countAvailable(entry, delta)
    }
    if (!entry.isActive && !entry.isTerminating) return
    cpuMillis += BigInt(delta) * entry.requests.cpuMillis
    memoryMillis += BigInt(delta) * entry.requests.memoryMillis
  }
  const awaitAvailability = (uid: string, entry: Entry): void =>
    dueAt(entry.availableAtMillis, () => {
      if (entries.get(uid) !== entry || entry.isAvailable) return
      entry.isAvailable = true
      if (replicaSetCountsOf(entry.replicaSetUid).isGone) return
      countAvailable(entry, 1)
      note(entry.availableAtMillis)
    })
  const removeEntry = (uid: string): void => {
    const entry = entries.get(uid)
    if (entry === undefined) return
    count(entry, -1)
    entries.delete(uid)
  }
  /** O(number of Pods), but only if the ReplicaSet has any. */
  const entriesOf = (replicaSetUid: string): ReleasedPods["entries"] => {
    const replicaSetCounts = countsByReplicaSet.get(replicaSetUid)
    if (replicaSetCounts === undefined || replicaSetCounts.active + replicaSetCounts.terminating === 0)
      return []
    return [...entries].filter(([, entry]) => entry.replicaSetUid === replicaSetUid)
  }
  const updatePeaks = (atMillis: number): void => {
    const last = peaks.at(-1) ?? noPeak
    const withTerminating = counts.existing + counts.terminating
    const isHigher =
      counts.existing > last.pods ||
      withTerminating > last.withTerminating ||
      cpuMillis > last.cpuMillis ||
      memoryMillis > last.memoryMillis
    if (!isHigher && counts.available >= last.fewest) return
    if (last.atMillis === atMillis) peaks.pop()
    peaks.push({
      atMillis,
      fewest: Math.min(last.fewest, counts.available),
      pods: Math.max(last.pods, counts.existing),
      withTerminating: Math.max(last.withTerminating, withTerminating),
      cpuMillis: cpuMillis > last.cpuMillis ? cpuMillis : last.cpuMillis,
      memoryMillis: memoryMillis > last.memoryMillis ? memoryMillis : last.memoryMillis
    })
  }
  const note = (atMillis: number): void => {
    updatePeaks(atMillis)
    const last = rows.at(-1)
    if (last !== undefined && isSame(last, counts)) return
    if (last?.atMillis === atMillis) rows.pop()
    rows.push({ atMillis, ...counts })
  }

  return {
    setDesired: (replicas) => {
      counts.desired = replicas
    },
    setMinReady: (replicaSetUid, seconds, atMillis) => {
      const replicaSetCounts = replicaSetCountsOf(replicaSetUid)
      const millis = seconds * 1000
      if (millis === replicaSetCounts.minReadyMillis) return
      // Rare, and the only operation that visits every Pod: each becomes available at another time.
      const shiftMillis = millis - replicaSetCounts.minReadyMillis
      replicaSetCounts.minReadyMillis = millis
      for (const [uid, entry] of entries) {
        if (entry.replicaSetUid !== replicaSetUid) continue
        count(entry, -1)
        const availableAtMillis = entry.availableAtMillis + shiftMillis
        const isAvailable = entry.isReady && (millis === 0 || availableAtMillis <= atMillis)
        const updated = { ...entry, availableAtMillis, isAvailable }
        entries.set(uid, updated)
        count(updated, 1)
        if (updated.isReady && !isAvailable && availableAtMillis < Infinity) awaitAvailability(uid, updated)
      }
    },
    setNext: (uid) => {
      if (uid === nextUid) return
      nextUid = uid
      const replicaSetCounts = uid === undefined ? undefined : countsByReplicaSet.get(uid)
      counts.updated = replicaSetCounts?.active ?? 0
      counts.updatedReady = replicaSetCounts?.ready ?? 0
      counts.updatedAvailable = replicaSetCounts?.available ?? 0
    },
    observePod: (pod, replicaSetUid, atMillis) => {
      const { uid } = pod.metadata
      const before = entries.get(uid)
      const active = isPodActive(pod)
      const ready = active && isPodReady(pod)
      // A Pod without a transition time of its Ready condition never becomes available.
      const sinceMillis = ready ? (readySinceMillis(pod) ?? Infinity) : Infinity
      const { minReadyMillis } = replicaSetCountsOf(replicaSetUid)
      const availableAtMillis = sinceMillis + minReadyMillis
      const terminating = isPodTerminating(pod)
      if (
        before !== undefined &&
        before.replicaSetUid === replicaSetUid &&
        before.isActive === active &&
        before.isReady === ready &&
        before.isTerminating === terminating &&
        before.availableAtMillis === availableAtMillis
      ) {
        return
      }
      removeEntry(uid)
      const entry: Entry = {
        replicaSetUid,
        isActive: active,
        isReady: ready,
        isTerminating: terminating,
        requests: podRequestsOf(pod.spec),
        availableAtMillis,
        isAvailable: ready && (minReadyMillis === 0 || availableAtMillis <= atMillis)
      }
      entries.set(uid, entry)
      count(entry, 1)
      if (ready && !entry.isAvailable && availableAtMillis < Infinity) awaitAvailability(uid, entry)
    },
    removePod: removeEntry,
    replicaSetDeleted: (replicaSetUid) => {
      const remaining = entriesOf(replicaSetUid)
      for (const [, entry] of remaining) count(entry, -1)
      replicaSetCountsOf(replicaSetUid).isGone = true
      for (const [, entry] of remaining) count(entry, 1)
    },
    releaseReplicaSet: (replicaSetUid) => {
      const released = entriesOf(replicaSetUid)
      for (const [uid] of released) removeEntry(uid)
      const { minReadyMillis } = replicaSetCountsOf(replicaSetUid)
      countsByReplicaSet.delete(replicaSetUid)
      return { replicaSetUid, minReadyMillis, entries: released }
    },
    adoptReplicaSet: ({ replicaSetUid, minReadyMillis, entries: adopted }) => {
      replicaSetCountsOf(replicaSetUid).minReadyMillis = minReadyMillis
      for (const [uid, entry] of adopted) {
        entries.set(uid, entry)
        count(entry, 1)
        if (entry.isReady && !entry.isAvailable && entry.availableAtMillis < Infinity)
          awaitAvailability(uid, entry)
      }
    },
    record: note,
    now: () => counts,
    activeOf: (uid) => countsByReplicaSet.get(uid)?.active ?? 0,
    availableOf: (uid) => countsByReplicaSet.get(uid)?.available ?? 0,
    presentOf: (uid) => {
      const replicaSetCounts = countsByReplicaSet.get(uid)
      return replicaSetCounts === undefined ? 0 : replicaSetCounts.active + replicaSetCounts.terminating
    },
    restart: (atMillis) => {
      rows = []
      peaks = []
      note(atMillis)
    },
    rows: () => rows,
    extremes: (atMillis) => {
      const peak = peaks.findLast((it) => it.atMillis <= atMillis) ?? noPeak
      const { fewest, pods, withTerminating, cpuMillis: cpu, memoryMillis: memory } = peak
      return {
        availableFewest: fewest,
        ...shortageDurations(rows, fewest, atMillis),
        podsMost: pods,
        podsMostWithTerminating: withTerminating,
        requestsMost: { cpuMillis: cpu, memoryMillis: memory }
      }
    }
  }
}

const noPeak: Peak = {
  atMillis: -Infinity,
  fewest: Infinity,
  pods: 0,
  withTerminating: 0,
  cpuMillis: 0n,
  memoryMillis: 0n
}

const isSame = (row: LedgerRow, counts: Counts): boolean =>
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
