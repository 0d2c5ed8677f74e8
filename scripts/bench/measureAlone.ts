import { median, roundedText } from "./comparisons.ts"
import { measureInChild } from "./measureInChild.ts"
import type { BenchArguments } from "./benchArguments.ts"
import type { ChosenMeasure, Measure, Measurement } from "./measure.ts"
import type { ProcessRuns } from "./measureInChild.ts"

interface Row extends Omit<Measurement, "value" | "cpuMillis"> {
  readonly name: string
  readonly first: number
  /** All runs but the first, sorted; all runs where each has a process of its own. */
  readonly runs: ReadonlyArray<number>
  readonly median: number
}

interface MissingRow {
  readonly name: string
  readonly why: string
}

/**
 * Takes each measure several times in a process: a single command pays the first run, on cold code; a test suite or a
 * long run pays the median of the others. Returns whether no measure failed.
 */
export const measureAlone = async (
  chosen: ReadonlyArray<ChosenMeasure>,
  here: string,
  args: BenchArguments
): Promise<boolean> => {
  const rows: Array<Row | MissingRow> = []
  let isMeasured = true
  for (const { measure, lines } of chosen) {
    if (!args.json) process.stderr.write(`measuring ${lines.join("; ")}\n`)
    const outcome = measure.needsFreshProcess
      ? await measureInFreshProcesses(measure, here, args)
      : await measureRuns(measure, here, args.runs + 1)
    isMeasured &&= !("why" in outcome && outcome.isFailure)
    rows.push(...lines.map((name) => rowOf(name, measure, outcome)))
  }
  if (args.json) process.stdout.write(`${JSON.stringify({ node: process.version, rows }, undefined, 2)}\n`)
  else if (args.markdown) process.stdout.write(markdownTable(rows))
  else console.table(Object.fromEntries(rows.map((row) => [row.name, cells(row)])))
  return isMeasured
}

const measureRuns = ({ name }: Measure, checkout: string, runs: number) =>
  measureInChild({ take: name, checkout, runs })

/** Each run in a process of its own; stops at the first process without a result. */
const measureInFreshProcesses = async (
  measure: Measure,
  here: string,
  args: BenchArguments
): Promise<ProcessRuns> => {
  const runs = []
  for (let run = 0; run < args.runs; run += 1) {
    const outcome = await measureRuns(measure, here, 1)
    if ("why" in outcome) return outcome
    runs.push(...outcome.runs)
  }
  return { runs }
}

const rowOf = (name: string, { needsFreshProcess }: Measure, outcome: ProcessRuns): Row | MissingRow => {
  if ("why" in outcome) return { name, why: outcome.why }
  const all = outcome.runs.flatMap((run) => run[name] ?? [])
  const last = all.at(-1)
  if (last === undefined) return { name, why: "its measure has no such line" }
  const values = all.map((it) => it.value)
  const counted = (needsFreshProcess ? values : values.slice(1)).toSorted((a, b) => a - b)
  const { value, cpuMillis: _, ...rest } = last
  return { name, ...rest, first: values[0] ?? value, runs: counted, median: median(counted) }
}

const cells = (row: Row | MissingRow): Readonly<Record<string, string>> => {
  if ("why" in row)
    return { first: "", median: "", bound: "", met: "", spread: "", note: `not measured: ${row.why}` }
  const { first, median, unit, bound, least, runs, note = "" } = row
  return {
    first: `${roundedText(first)} ${unit}`,
    median: `${roundedText(median)} ${unit}`,
    bound: bound === undefined ? (least === undefined ? "" : `>= ${least} ${unit}`) : `<= ${bound} ${unit}`,
    met: isMet(median, bound, least),
    spread: `${roundedText(runs[0] ?? median)} to ${roundedText(runs.at(-1) ?? median)}`,
    note
  }
}

const markdownTable = (rows: ReadonlyArray<Row | MissingRow>): string => {
  const lines = rows.map((row) => {
    const { median = "", note = "" } = cells(row)
    return `| ${row.name} | ${median} | ${note} |\n`
  })
  return ["| line | median | |\n", "|---|---|---|\n", ...lines].join("")
}

const isMet = (median: number, bound: number | undefined, least: number | undefined): string => {
  if (bound === undefined && least === undefined) return ""
  return median <= (bound ?? Infinity) && median >= (least ?? -Infinity) ? "yes" : "NO"
}
