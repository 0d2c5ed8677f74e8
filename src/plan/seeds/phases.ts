import { takeBackAmong } from "./steeredSteps.ts"
import type { SteeredStep } from "./steeredSteps.ts"
import type { RolloutExtremes, LedgerRow } from "../../scenario/ledger/podAccount.ts"

/** The numbers of a workload's Pods from a moment of its rollout on. */
export interface PlayedCounts {
  /** Since the rollout began. */
  readonly atMillis: number
  readonly desired: number
  readonly updated: number
  readonly ready: number
  readonly updatedReady: number
  readonly available: number
  readonly pods: number
  readonly terminating: number
}

/** A moment of a rollout, with the counts from then on. */
export interface Phase extends PlayedCounts {
  /** What happened: `first new Pod available`. */
  readonly what: string
}

/** All counts of a rollout, one for each moment at which they change. */
export const countsOverTime = (
  rows: ReadonlyArray<LedgerRow>,
  { beganMillis, endMillis }: { readonly beganMillis: number; readonly endMillis: number }
): ReadonlyArray<PlayedCounts> =>
  rows.filter(({ atMillis }) => atMillis <= endMillis).map((row) => countsAt(row.atMillis - beganMillis, row))

const countsAt = (atMillis: number, row: LedgerRow | undefined): PlayedCounts => ({
  atMillis,
  desired: row?.desired ?? 0,
  updated: row?.updated ?? 0,
  ready: row?.ready ?? 0,
  updatedReady: row?.updatedReady ?? 0,
  available: row?.available ?? 0,
  pods: row?.existing ?? 0,
  terminating: row?.terminating ?? 0
})

const unchangedText = "applied: nothing to change"

/** Whether applying the manifest has changed nothing in a workload that was complete. */
export const isUnchangedRollout = ([first]: ReadonlyArray<Phase>): boolean => first?.what === unchangedText

/** The moments that summarize a rollout, in order. Simultaneous moments are merged. */
export const phasesOf = (run: {
  readonly rows: ReadonlyArray<LedgerRow>
  readonly extremes: RolloutExtremes
  readonly isChanged: boolean
  /** Whether the workload is a Job. */
  readonly runsToEnd: boolean
  readonly beganMillis: number
  /** When an incomplete rollout was given up. */
  readonly endMillis: number
  readonly completeMillis: number | undefined
  /** When the rollout missed its progress deadline. */
  readonly failedMillis: number | undefined
  /** The steps of a steered rollout; empty for others. */
  readonly steps: ReadonlyArray<SteeredStep>
}): ReadonlyArray<Phase> => {
  const { rows, extremes, isChanged, runsToEnd, beganMillis, endMillis, completeMillis, failedMillis } = run
  const firstMillis = (holds: (row: LedgerRow) => boolean): number | undefined => rows.find(holds)?.atMillis
  const takenBackMillis = takeBackAmong(run.steps)?.atMillis
  // Once it is taken back, the Pods that count as new are those from before.
  const firstMillisOfNew = (holds: (row: LedgerRow) => boolean): number | undefined =>
    firstMillis((row) => row.atMillis < (takenBackMillis ?? Infinity) && holds(row))
  const desired = rows.at(-1)?.desired ?? 0
  const hadOldPods = rows.some(({ existing, updated }) => existing > updated)
  const isUnchanged = !isChanged && completeMillis === beganMillis
  const fellShort = extremes.availableFewest < desired && hadOldPods
  const ends: ReadonlyArray<readonly [number | undefined, string]> = [
    [failedMillis, runsToEnd ? "failed" : "deadline missed"],
    [
      completeMillis === undefined && !(runsToEnd && failedMillis !== undefined) ? endMillis : undefined,
      "given up"
    ],
    [completeMillis, takenBackMillis === undefined ? "complete" : "back at the revision from before"]
  ]
  const applied = [beganMillis, isUnchanged ? unchangedText : "applied"] as const
  const moments: ReadonlyArray<readonly [number | undefined, string]> = runsToEnd
    ? [applied, ...ends]
    : [
        applied,
        [
          fellShort ? firstMillis(({ available }) => available === extremes.availableFewest) : undefined,
          "fewest available"
        ],
        [firstMillisOfNew(({ updatedAvailable }) => updatedAvailable > 0), "first new Pod available"],
        // With few Pods, half of them are almost the first or all.
        [
          desired < 4 ? undefined : firstMillisOfNew((row) => row.updatedAvailable * 2 >= desired),
          "half the new available"
        ],
        [
          hadOldPods
            ? firstMillisOfNew(({ existing, updated }) => updated > 0 && existing === updated)
            : undefined,
          "last old Pod stopping"
        ],
        ...run.steps.map(({ atMillis, what }) => [atMillis, what] as const),
        ...ends
      ]
  const textsByTime = new Map<number, Array<string>>()
  for (const [atMillis, what] of isUnchanged ? moments.slice(0, 1) : moments) {
    if (atMillis === undefined || atMillis > (completeMillis ?? endMillis)) continue
    textsByTime.set(atMillis, [...(textsByTime.get(atMillis) ?? []), what])
  }
  return [...textsByTime]
    .sort(([a], [b]) => a - b)
    .map(([atMillis, texts]) => {
      const row = rows.findLast((candidate) => candidate.atMillis <= atMillis)
      return { ...countsAt(atMillis - beganMillis, row), what: texts.join(", ") }
    })
}
