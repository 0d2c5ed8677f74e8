import type { Measurement } from "./measure.ts"

/** Runs of the two checkouts; those at one index were made one after the other. */
export interface PairedRuns {
  readonly here: ReadonlyArray<Measurement>
  readonly there: ReadonlyArray<Measurement>
}

interface Spread {
  readonly median: number
  readonly least: number
  readonly most: number
}

/** One line of the table. Ratios are here / there, by pairs of runs. */
export interface Comparison {
  readonly unit: string
  readonly here: number | undefined
  readonly there: number | undefined
  readonly ratio: Spread | undefined
  readonly cpuRatio: Spread | undefined
  /** `unclear` while the ratios lie on both sides of 1, or are too few. */
  readonly verdict: "better" | "worse" | "unclear" | undefined
}

/** `NaN` for no values. */
export const median = (values: ReadonlyArray<number>): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const upper = sorted[sorted.length >> 1] ?? Number.NaN
  const lower = sorted[(sorted.length - 1) >> 1] ?? Number.NaN
  return (lower + upper) / 2
}

/** Alternates, since the machine may be slower for the second of two processes, for instance because it is hotter. */
export const alternatingSides = <A>(pair: number, here: A, there: A): readonly [A, A] =>
  pair % 2 === 0 ? [here, there] : [there, here]

/** The medians of all runs of a process, with the last note; undefined without runs. */
export const medianRun = (runs: ReadonlyArray<Measurement>): Measurement | undefined => {
  const last = runs.at(-1)
  if (last === undefined) return undefined
  const cpuMillis = runs.flatMap((run) => run.cpuMillis ?? [])
  return {
    ...last,
    value: median(runs.map(({ value }) => value)),
    ...(cpuMillis.length === 0 ? {} : { cpuMillis: median(cpuMillis) })
  }
}

/** Undefined without pairs, or after a division by 0. */
const spreadOf = (pairs: ReadonlyArray<readonly [number, number]>): Spread | undefined => {
  const ratios = pairs.map(([here, there]) => here / there)
  if (ratios.length === 0 || !ratios.every(Number.isFinite)) return undefined
  return { median: median(ratios), least: Math.min(...ratios), most: Math.max(...ratios) }
}

const medianOf = (runs: ReadonlyArray<Measurement>): number | undefined =>
  runs.length === 0 ? undefined : median(runs.map(({ value }) => value))

export const compareRuns = ({ here, there }: PairedRuns): Comparison => {
  const pairs = here.flatMap((mine, index) => {
    const other = there[index]
    return other === undefined ? [] : [[mine, other] as const]
  })
  const ratio = spreadOf(pairs.map(([mine, other]) => [mine.value, other.value]))
  const cpuRatio = spreadOf(
    pairs.flatMap(([mine, other]) =>
      mine.cpuMillis === undefined || other.cpuMillis === undefined ? [] : [[mine.cpuMillis, other.cpuMillis]]
    )
  )
  const unit = (here[0] ?? there[0])?.unit ?? ""
  return {
    unit,
    here: medianOf(here),
    there: medianOf(there),
    ratio,
    cpuRatio,
    verdict: ratio === undefined ? undefined : verdictOf(ratio, pairs.length, unit.endsWith("/s"))
  }
}

/** Two pairs lie on one side of 1 by mere chance half of the time; five, once in sixteen times. */
const verdictPairsMin = 3

const verdictOf = (
  { least, most }: Spread,
  pairs: number,
  isMoreBetter: boolean
): "better" | "worse" | "unclear" => {
  if (pairs < verdictPairsMin) return "unclear"
  if (most < 1) return isMoreBetter ? "worse" : "better"
  if (least > 1) return isMoreBetter ? "better" : "worse"
  return "unclear"
}

export const comparisonCells = (
  { unit, here, there, ratio, cpuRatio, verdict }: Comparison,
  note: string
): Readonly<Record<string, string>> => ({
  here: here === undefined ? "" : `${roundedText(here)} ${unit}`,
  there: there === undefined ? "" : `${roundedText(there)} ${unit}`,
  "here / there": ratio === undefined ? "" : spreadText(ratio),
  "of CPU time": cpuRatio === undefined ? "" : spreadText(cpuRatio),
  verdict: verdict ?? "",
  note
})

const spreadText = ({ median, least, most }: Spread): string =>
  `${median.toFixed(2)} (${least.toFixed(2)} to ${most.toFixed(2)})`

export const roundedText = (value: number): string => {
  const size = Math.abs(value)
  return size >= 100 ? value.toFixed(0) : value.toFixed(size < 10 ? 2 : 1)
}
