import { compareRuns, comparisonCells, alternatingSides, medianRun } from "./comparisons.ts"
import { measureInChild } from "./measureInChild.ts"
import type { BenchArguments } from "./benchArguments.ts"
import type { Comparison, PairedRuns } from "./comparisons.ts"
import type { ChosenMeasure, Measure, MeasurementsByLine } from "./measure.ts"
import type { OtherCheckout } from "./otherCheckout.ts"

interface ComparedRow extends Comparison {
  readonly name: string
  readonly runs: PairedRuns
  readonly note: string
}

/** One of the two checkouts. `runs`: a list for each process. */
interface Side {
  readonly folder: string
  readonly runs: Array<ReadonlyArray<MeasurementsByLine>>
  /** Why it cannot be measured: then it is not tried again. */
  why?: string
  /** False if it cannot be measured for a reason that is no fault, such as a missing program. */
  isFailed: boolean
}

/** Runs in one process; the first, on cold code, does not count. */
const runsOfProcess = 4

/** In pairs of new processes, so that the machine is equally busy for both. Returns whether no measure failed here. */
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
      for (const side of alternatingSides(pair, mine, other)) await measureSideOnce(measure, side)
    isMeasured &&= !mine.isFailed
    rows.push(...lines.map((name) => rowOf(name, mine, other)))
  }
  const report = { node: process.version, against: there.title, pairs: args.runs, rows }
  if (args.json) process.stdout.write(`${JSON.stringify(report, undefined, 2)}\n`)
  else print(rows, there.title, args.runs)
  return isMeasured
}

/** A side that cannot be measured is not tried again; the other one goes on. */
const measureSideOnce = async (measure: Measure, side: Side): Promise<void> => {
  if (side.why !== undefined) return
  const runs = measure.needsFreshProcess ? 1 : runsOfProcess
  const outcome = await measureInChild({ take: measure.name, checkout: side.folder, runs })
  if ("runs" in outcome) side.runs.push(measure.needsFreshProcess ? outcome.runs : outcome.runs.slice(1))
  else {
    side.why = outcome.why
    side.isFailed = outcome.isFailure
  }
}

const rowOf = (name: string, mine: Side, other: Side): ComparedRow => {
  const runs: PairedRuns = { here: runsOf(name, mine), there: runsOf(name, other) }
  const notes = [runs.here.at(-1)?.note, whyMissing("here", mine), whyMissing("there", other)]
  return { name, ...compareRuns(runs), runs, note: notes.filter((note) => note !== undefined).join("; ") }
}

/** One median run per process. */
const runsOf = (name: string, { runs }: Side): PairedRuns["here"] =>
  runs.flatMap((process) => medianRun(process.flatMap((run) => run[name] ?? [])) ?? [])

const whyMissing = (where: string, { why }: Side): string | undefined =>
  why === undefined ? undefined : `not measured ${where}: ${why}`

const print = (rows: ReadonlyArray<ComparedRow>, title: string, pairs: number): void => {
  console.log(`here: the working tree; there: ${title}; ${pairs} pairs, ratios as median (least to most)`)
  console.table(Object.fromEntries(rows.map((row) => [row.name, comparisonCells(row, row.note)])))
}
