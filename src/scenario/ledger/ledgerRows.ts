import type { PodRequests } from "../../kubernetes/pods/podRequests.ts"

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

export type LedgerCounts = Omit<LedgerRow, "atMillis">

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

/** A Deployment's counts over time: a row for each change, and the extremes up to each time. */
interface LedgerRows {
  /** Adds a row if a count differs from the last row. */
  readonly record: (atMillis: number, counts: LedgerCounts, requests: PodRequests) => void
  readonly clear: () => void
  readonly rows: () => ReadonlyArray<LedgerRow>
  readonly extremes: (untilMillis: number) => RolloutExtremes
}

interface ExtremesUntil extends PodRequests {
  readonly atMillis: number
  readonly availableFewest: number
  readonly podsMost: number
  readonly podsMostWithTerminating: number
}

export const makeLedgerRows = (): LedgerRows => {
  let rows: Array<LedgerRow> = []
  let extremesOverTime: Array<ExtremesUntil> = []

  const updateExtremes = (
    atMillis: number,
    { available, existing, terminating }: LedgerCounts,
    { cpuMillicores, memoryMillibytes }: PodRequests
  ): void => {
    const last = extremesOverTime.at(-1) ?? noExtremes
    const withTerminating = existing + terminating
    const isHigher =
      existing > last.podsMost ||
      withTerminating > last.podsMostWithTerminating ||
      cpuMillicores > last.cpuMillicores ||
      memoryMillibytes > last.memoryMillibytes
    if (!isHigher && available >= last.availableFewest) return
    if (last.atMillis === atMillis) extremesOverTime.pop()
    extremesOverTime.push({
      atMillis,
      availableFewest: Math.min(last.availableFewest, available),
      podsMost: Math.max(last.podsMost, existing),
      podsMostWithTerminating: Math.max(last.podsMostWithTerminating, withTerminating),
      cpuMillicores: cpuMillicores > last.cpuMillicores ? cpuMillicores : last.cpuMillicores,
      memoryMillibytes: memoryMillibytes > last.memoryMillibytes ? memoryMillibytes : last.memoryMillibytes
    })
  }

  return {
    record: (atMillis, counts, requests) => {
      updateExtremes(atMillis, counts, requests)
      const last = rows.at(-1)
      if (last !== undefined && hasSameCounts(last, counts)) return
      if (last?.atMillis === atMillis) rows.pop()
      // The counts of an instant may come back to those before it.
      const before = rows.at(-1)
      if (before === undefined || !hasSameCounts(before, counts)) rows.push({ atMillis, ...counts })
    },
    clear: () => {
      rows = []
      extremesOverTime = []
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

const noExtremes: ExtremesUntil = {
  atMillis: -Infinity,
  availableFewest: Infinity,
  podsMost: 0,
  podsMostWithTerminating: 0,
  cpuMillicores: 0n,
  memoryMillibytes: 0n
}

const hasSameCounts = (row: LedgerRow, counts: LedgerCounts): boolean =>
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
