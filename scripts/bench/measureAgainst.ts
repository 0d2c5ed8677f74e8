import { compareRuns, comparisonCells, inTurn, medianRun } from "./comparisons.ts"
import { takeInChild } from "./takeInChild.ts"
import type { BenchArguments } from "./benchArguments.ts"
import type { Comparison, PairedRuns } from "./comparisons.ts"
import type { ChosenMeasure, Measure, MeasuredLines } from "./measure.ts"
import type { OtherCheckout } from "./otherCheckout.ts"

interface ComparedRow extends Comparison {
  readonly name: string
  readonly runs: PairedRuns
  readonly note: string
}

/** One of the two checkouts: what has been measured of it, or why it cannot be. */
interface Side {
  readonly folder: string
  readonly runs: Array<ReadonlyArray<MeasuredLines>>
  why?: string
  isFailed: boolean
}

/** In one process; the first run, on cold code, does not count. */
const runsOfProcess = 4

/**
 * Takes each measure here and there in pairs of new processes, so that both of a pair have the machine as busy as each
 * other, and prints the ratios of the pairs. Answers whether none failed here.
 */
export const measureAgainst = async (
  chosen: ReadonlyArray<ChosenMeasure>,
  here: string,
  there: OtherCheckout,
  args: BenchArguments
): Promise<boolean> => {
  const rows: Array<ComparedRow> = []
  let isMeasured = true
  for (const { measure, lines } of chosen) {
    if (!args.json) process.stderr.write(`measuring ${lines.join("; ")}\n`)
    const mine: Side = { folder: here, runs: [], isFailed: false }
    const other: Side = { folder: there.folder, runs: [], isFailed: false }
    for (let pair = 0; pair < args.runs; pair += 1)
      for (const side of inTurn(pair, mine, other)) await takeOnce(measure, side, args)
    isMeasured &&= !mine.isFailed
    rows.push(...lines.map((name) => rowOf(name, mine, other)))
  }
  const all = { node: process.version, against: there.title, pairs: args.runs, rows }
  if (args.json) process.stdout.write(`${JSON.stringify(all, undefined, 2)}\n`)
  else print(rows, there.title, args.runs)
  return isMeasured
}

/** A side that cannot be measured is not tried again, and the other one goes on. */
const takeOnce = async (measure: Measure, side: Side, { seeds }: BenchArguments): Promise<void> => {
  if (side.why !== undefined) return
  const runs = measure.needsFreshProcess ? 1 : runsOfProcess
  const taken = await takeInChild({ take: measure.name, checkout: side.folder, runs, seeds })
  if ("runs" in taken) side.runs.push(measure.needsFreshProcess ? taken.runs : taken.runs.slice(1))
  else {
    side.why = taken.why
    side.isFailed = taken.isFailure
  }
}

const rowOf = (name: string, mine: Side, other: Side): ComparedRow => {
  const runs: PairedRuns = { here: runsOf(name, mine), there: runsOf(name, other) }
  const notes = [runs.here.at(-1)?.note, whyMissing("here", mine), whyMissing("there", other)]
  return { name, ...compareRuns(runs), runs, note: notes.filter((note) => note !== undefined).join("; ") }
}

/** One of each process. */
const runsOf = (name: string, { runs }: Side): PairedRuns["here"] =>
  runs.flatMap((process) => medianRun(process.flatMap((run) => run[name] ?? [])) ?? [])

const whyMissing = (where: string, { why }: Side): string | undefined =>
  why === undefined ? undefined : `not measured ${where}: ${why}`

const print = (rows: ReadonlyArray<ComparedRow>, title: string, pairs: number): void => {
  console.log(`here: the working tree; there: ${title}; ${pairs} pairs, ratios as median (least to most)`)
  console.table(Object.fromEntries(rows.map((row) => [row.name, comparisonCells(row, row.note)])))
}
