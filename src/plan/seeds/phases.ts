import type { RolloutExtremes, LedgerRow } from "../../scenario/ledger/podAccount.ts"

export interface Phase {
  readonly atMillis: number
  readonly what: string
  readonly desired: number
  readonly updated: number
  readonly ready: number
  readonly updatedReady: number
  readonly available: number
  readonly pods: number
  readonly terminating: number
}

/** The moments that summarize a rollout, in order; simultaneous ones are merged. */
export const phasesOf = (run: {
  readonly rows: ReadonlyArray<LedgerRow>
  readonly extremes: RolloutExtremes
  readonly isChanged: boolean
  readonly beganMillis: number
  readonly endMillis: number
  readonly completeMillis: number | undefined
  readonly failedMillis: number | undefined
}): ReadonlyArray<Phase> => {
  const { rows, extremes, isChanged, beganMillis, endMillis, completeMillis, failedMillis } = run
  const first = (holds: (row: LedgerRow) => boolean): number | undefined => rows.find(holds)?.atMillis
  const desired = rows.at(-1)?.desired ?? 0
  const hadOld = rows.some(({ existing, updated }) => existing > updated)
  const isIdle = !isChanged && completeMillis === beganMillis
  const isShort = extremes.availableFewest < desired && hadOld
  const moments: ReadonlyArray<readonly [number | undefined, string]> = [
    [beganMillis, isIdle ? "applied: nothing is to change" : "applied"],
    [
      isShort ? first(({ available }) => available === extremes.availableFewest) : undefined,
      "fewest available"
    ],
    [first(({ updatedAvailable }) => updatedAvailable > 0), "first new Pod available"],
    [desired < 4 ? undefined : first((row) => row.updatedAvailable * 2 >= desired), "half the new available"],
    [
      hadOld ? first(({ existing, updated }) => updated > 0 && existing === updated) : undefined,
      "last old Pod stops"
    ],
    [failedMillis, "deadline missed"],
    [completeMillis === undefined ? endMillis : undefined, "given up"],
    [completeMillis, "complete"]
  ]
  const texts = new Map<number, Array<string>>()
  for (const [atMillis, what] of isIdle ? moments.slice(0, 1) : moments) {
    if (atMillis === undefined || atMillis > (completeMillis ?? endMillis)) continue
    texts.set(atMillis, [...(texts.get(atMillis) ?? []), what])
  }
  return [...texts]
    .sort(([a], [b]) => a - b)
    .map(([atMillis, whats]) => {
      const row = rows.findLast((it) => it.atMillis <= atMillis)
      return {
        atMillis: atMillis - beganMillis,
        what: whats.join(", "),
        desired: row?.desired ?? 0,
        updated: row?.updated ?? 0,
        ready: row?.ready ?? 0,
        updatedReady: row?.updatedReady ?? 0,
        available: row?.available ?? 0,
        pods: row?.existing ?? 0,
        terminating: row?.terminating ?? 0
      }
    })
}
