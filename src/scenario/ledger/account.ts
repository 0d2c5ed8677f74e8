import { isActive, isReady, isStillTerminating, readySinceMillis } from "../../domain/pods.ts"
import { requestsOf, type Requests } from "../../domain/requests.ts"
import type { DueAt } from "./dueTimes.ts"
import type { Pod } from "../../domain/objects.ts"

/** What is true of one Deployment from `atMillis` on, until the next row. */
export interface LedgerRow {
  readonly atMillis: number
  readonly desired: number
  /** Pods that are neither finished nor on their way out. */
  readonly existing: number
  readonly ready: number
  /** Ready for `minReadySeconds`, to the instant, whoever has noticed yet. */
  readonly available: number
  /** Pods of the present template. */
  readonly updated: number
  readonly updatedReady: number
  readonly updatedAvailable: number
  /** Told to stop, or of a ReplicaSet that is gone. */
  readonly terminating: number
}

/** The extremes of a stretch of time: every change counts, also one that lasts no time at all. */
export interface Extremes {
  readonly availableFewest: number
  /** How long there were fewer available than desired. */
  readonly shortMillis: number
  /** How long there were as few as the fewest, where that was fewer than desired. */
  readonly fewestMillis: number
  readonly podsMost: number
  readonly podsMostWithTerminating: number
  /** What the Pods that take room on nodes ask for, at the most. */
  readonly requestsMost: Requests
}

/** Running counts of one Deployment's Pods: a change costs the same whatever their number. */
export interface Account {
  readonly setDesired: (replicas: number) => void
  /** How long the Pods of a ReplicaSet must have been ready: its own say, since an old one keeps what it had. */
  readonly setMinReady: (replicaSetUid: string, seconds: number, atMillis: number) => void
  /** Says which ReplicaSet is of the present template. */
  readonly setNext: (replicaSetUid: string | undefined) => void
  readonly seePod: (pod: Pod, replicaSetUid: string, atMillis: number) => void
  readonly forgetPod: (uid: string) => void
  /** A ReplicaSet is gone: what Pods it has left are on their way out, told to stop or not. */
  readonly bury: (replicaSetUid: string) => void
  /** Gives up the Pods of a ReplicaSet that belongs to somebody else from now on. */
  readonly release: (replicaSetUid: string) => Released
  readonly take: (released: Released) => void
  /** Writes down what is so now. */
  readonly note: (atMillis: number) => void
  readonly now: () => Readonly<Counts>
  readonly activeOf: (replicaSetUid: string) => number
  readonly availableOf: (replicaSetUid: string) => number
  /** Those that are there at all and have not ended: the active ones and those on their way out. */
  readonly presentOf: (replicaSetUid: string) => number
  /** Counts extremes and rows anew, from what is there. */
  readonly begin: (atMillis: number) => void
  readonly rows: () => ReadonlyArray<LedgerRow>
  /** Up to this moment, which may have passed already. */
  readonly extremes: (atMillis: number) => Extremes
}

type Counts = { -readonly [Name in Exclude<keyof LedgerRow, "atMillis">]: number }

/** The extremes from `atMillis` on, until one of them is another. */
interface Peak {
  readonly atMillis: number
  readonly fewest: number
  readonly pods: number
  readonly withTerminating: number
  readonly cpuMillis: bigint
  readonly memoryMillis: bigint
}

/** The Pods of one ReplicaSet on their way from one account to another. */
interface Released {
  readonly replicaSetUid: string
  readonly minReadyMillis: number
  readonly entries: ReadonlyArray<readonly [uid: string, entry: Entry]>
}

interface Entry {
  readonly replicaSetUid: string
  readonly isActive: boolean
  readonly isReady: boolean
  readonly isTerminating: boolean
  readonly requests: Requests
  readonly availableAtMillis: number
  isAvailable: boolean
}

interface Brood {
  active: number
  ready: number
  available: number
  terminating: number
  minReadyMillis: number
  isGone: boolean
}

/** `dueAt` calls back at an instant that is to come, or soon after it, before anything later is told. */
export const makeAccount = (dueAt: DueAt): Account => {
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
  const broods = new Map<string, Brood>()
  let nextUid: string | undefined
  let cpuMillis = 0n
  let memoryMillis = 0n
  let rows: Array<LedgerRow> = []
  let peaks: Array<Peak> = []

  const broodOf = (uid: string): Brood => {
    const known = broods.get(uid)
    if (known !== undefined) return known
    const brood = { active: 0, ready: 0, available: 0, terminating: 0, minReadyMillis: 0, isGone: false }
    broods.set(uid, brood)
    return brood
  }
  const countAvailable = (entry: Entry, by: 1 | -1): void => {
    counts.available += by
    broodOf(entry.replicaSetUid).available += by
    if (entry.replicaSetUid === nextUid) counts.updatedAvailable += by
  }
  const count = (entry: Entry, by: 1 | -1): void => {
    const brood = broodOf(entry.replicaSetUid)
    if (entry.isTerminating || (brood.isGone && entry.isActive)) {
      counts.terminating += by
      brood.terminating += by
    } else if (entry.isActive) {
      counts.existing += by
      brood.active += by
      const isNext = entry.replicaSetUid === nextUid
      if (isNext) counts.updated += by
      if (entry.isReady) {
        counts.ready += by
        brood.ready += by
        if (isNext) counts.updatedReady += by
      }
      if (entry.isAvailable) countAvailable(entry, by)
    }
    if (!entry.isActive && !entry.isTerminating) return
    cpuMillis += BigInt(by) * entry.requests.cpuMillis
    memoryMillis += BigInt(by) * entry.requests.memoryMillis
  }
  const wait = (uid: string, entry: Entry): void =>
    dueAt(entry.availableAtMillis, () => {
      if (entries.get(uid) !== entry || entry.isAvailable) return
      entry.isAvailable = true
      if (broodOf(entry.replicaSetUid).isGone) return
      countAvailable(entry, 1)
      note(entry.availableAtMillis)
    })
  const forget = (uid: string): void => {
    const entry = entries.get(uid)
    if (entry === undefined) return
    count(entry, -1)
    entries.delete(uid)
  }
  /** Looks at every Pod, unless there is none. */
  const entriesOf = (replicaSetUid: string): Released["entries"] => {
    const brood = broods.get(replicaSetUid)
    if (brood === undefined || brood.active + brood.terminating === 0) return []
    return [...entries].filter(([, entry]) => entry.replicaSetUid === replicaSetUid)
  }
  const measure = (atMillis: number): void => {
    const last = peaks.at(-1) ?? flat
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
    measure(atMillis)
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
      const brood = broodOf(replicaSetUid)
      const millis = seconds * 1000
      if (millis === brood.minReadyMillis) return
      // Rare, and the one thing that looks at every Pod: each has another time to wait for.
      const shift = millis - brood.minReadyMillis
      brood.minReadyMillis = millis
      for (const [uid, entry] of entries) {
        if (entry.replicaSetUid !== replicaSetUid) continue
        count(entry, -1)
        const availableAtMillis = entry.availableAtMillis + shift
        const isAvailable = entry.isReady && (millis === 0 || availableAtMillis <= atMillis)
        const moved = { ...entry, availableAtMillis, isAvailable }
        entries.set(uid, moved)
        count(moved, 1)
        if (moved.isReady && !isAvailable && availableAtMillis < Infinity) wait(uid, moved)
      }
    },
    setNext: (uid) => {
      if (uid === nextUid) return
      nextUid = uid
      const brood = uid === undefined ? undefined : broods.get(uid)
      counts.updated = brood?.active ?? 0
      counts.updatedReady = brood?.ready ?? 0
      counts.updatedAvailable = brood?.available ?? 0
    },
    seePod: (pod, replicaSetUid, atMillis) => {
      const { uid } = pod.metadata
      const before = entries.get(uid)
      const active = isActive(pod)
      const ready = active && isReady(pod)
      // What does not say since when it is ready never has been for long enough.
      const sinceMillis = ready ? (readySinceMillis(pod) ?? Infinity) : Infinity
      const { minReadyMillis } = broodOf(replicaSetUid)
      const availableAtMillis = sinceMillis + minReadyMillis
      const terminating = isStillTerminating(pod)
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
      forget(uid)
      const entry: Entry = {
        replicaSetUid,
        isActive: active,
        isReady: ready,
        isTerminating: terminating,
        requests: requestsOf(pod.spec),
        availableAtMillis,
        isAvailable: ready && (minReadyMillis === 0 || availableAtMillis <= atMillis)
      }
      entries.set(uid, entry)
      count(entry, 1)
      if (ready && !entry.isAvailable && availableAtMillis < Infinity) wait(uid, entry)
    },
    forgetPod: forget,
    bury: (replicaSetUid) => {
      const left = entriesOf(replicaSetUid)
      for (const [, entry] of left) count(entry, -1)
      broodOf(replicaSetUid).isGone = true
      for (const [, entry] of left) count(entry, 1)
    },
    release: (replicaSetUid) => {
      const released = entriesOf(replicaSetUid)
      for (const [uid] of released) forget(uid)
      const { minReadyMillis } = broodOf(replicaSetUid)
      broods.delete(replicaSetUid)
      return { replicaSetUid, minReadyMillis, entries: released }
    },
    take: ({ replicaSetUid, minReadyMillis, entries: taken }) => {
      broodOf(replicaSetUid).minReadyMillis = minReadyMillis
      for (const [uid, entry] of taken) {
        entries.set(uid, entry)
        count(entry, 1)
        if (entry.isReady && !entry.isAvailable && entry.availableAtMillis < Infinity) wait(uid, entry)
      }
    },
    note,
    now: () => counts,
    activeOf: (uid) => broods.get(uid)?.active ?? 0,
    availableOf: (uid) => broods.get(uid)?.available ?? 0,
    presentOf: (uid) => {
      const brood = broods.get(uid)
      return brood === undefined ? 0 : brood.active + brood.terminating
    },
    begin: (atMillis) => {
      rows = []
      peaks = []
      note(atMillis)
    },
    rows: () => rows,
    extremes: (atMillis) => {
      const peak = peaks.findLast((it) => it.atMillis <= atMillis) ?? flat
      const { fewest, pods, withTerminating, cpuMillis: cpu, memoryMillis: memory } = peak
      return {
        availableFewest: fewest,
        ...spans(rows, fewest, atMillis),
        podsMost: pods,
        podsMostWithTerminating: withTerminating,
        requestsMost: { cpuMillis: cpu, memoryMillis: memory }
      }
    }
  }
}

/** Before anything was seen. */
const flat: Peak = {
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

const spans = (rows: ReadonlyArray<LedgerRow>, fewest: number, endMillis: number) => {
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
