import { lastTakeBack } from "./steeredSteps.ts"
import type { SteeredStep } from "./steeredSteps.ts"
import type { RolloutExtremes, LedgerRow } from "../../scenario/ledger/ledgerRows.ts"

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

export interface Phase extends PlayedCounts {
  /** What happened, such as `first new Pod available`. */
  readonly what: string
}

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

export const isUnchangedRollout = ([first]: ReadonlyArray<Phase>): boolean => first?.what === unchangedText

/** Moments at the same time become one phase. */
export const phasesOf = (run: {
  readonly rows: ReadonlyArray<LedgerRow>
  readonly extremes: RolloutExtremes
  readonly isChanged: boolean
  readonly isJob: boolean
  readonly beganMillis: number
  readonly endMillis: number
  readonly completeMillis: number | undefined
  readonly failedMillis: number | undefined
  readonly steps: ReadonlyArray<SteeredStep>
}): ReadonlyArray<Phase> => {
  const { rows, extremes, isChanged, isJob, beganMillis, endMillis, completeMillis, failedMillis } = run
  const firstMillis = (holds: (row: LedgerRow) => boolean): number | undefined => rows.find(holds)?.atMillis
  const takenBackMillis = lastTakeBack(run.steps)?.atMillis
  // After a rollback, the Pods from before count as new.
  const firstMillisBeforeTakeBack = (holds: (row: LedgerRow) => boolean): number | undefined =>
    firstMillis((row) => row.atMillis < (takenBackMillis ?? Infinity) && holds(row))
  const desired = rows.at(-1)?.desired ?? 0
  const hadOldPods = rows.some(({ existing, updated }) => existing > updated)
  const isUnchanged = !isChanged && completeMillis === beganMillis
  const fellBelowDesired = extremes.availableFewest < desired && hadOldPods
  const ends: ReadonlyArray<readonly [atMillis: number | undefined, what: string]> = [
    [
      failedMillis,
      isJob ? "failed" : failedMillis === beganMillis ? "deadline missed before" : "deadline missed"
    ],
    [
      completeMillis === undefined && !(isJob && failedMillis !== undefined) ? endMillis : undefined,
      "given up"
    ],
    [completeMillis, takenBackMillis === undefined ? "complete" : "back at the revision from before"]
  ]
  const appliedMoment = [beganMillis, isUnchanged ? unchangedText : "applied"] as const
  const moments: ReadonlyArray<readonly [atMillis: number | undefined, what: string]> = isJob
    ? [appliedMoment, ...ends]
    : [
        appliedMoment,
        [
          fellBelowDesired
            ? firstMillis(({ available }) => available === extremes.availableFewest)
            : undefined,
          "fewest available"
        ],
        [
          firstMillisBeforeTakeBack(({ updatedAvailable }) => updatedAvailable > 0),
          "first new Pod available"
        ],
        // Half of fewer than 4 Pods are the first Pod, or nearly all.
        [
          desired < 4 ? undefined : firstMillisBeforeTakeBack((row) => row.updatedAvailable * 2 >= desired),
          "half the new available"
        ],
        [
          hadOldPods
            ? firstMillisBeforeTakeBack(({ existing, updated }) => updated > 0 && existing === updated)
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
