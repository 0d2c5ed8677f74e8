import { spawnSync } from "node:child_process"
import { parseArgs } from "node:util"
import { measures } from "./measures.ts"
import type { Measured, Measure } from "./measures.ts"

/**
 * How fast Charthouse is, on this machine. Each measure has a process of its own and is taken several times in it: the
 * first, on cold code, is what a single command pays; the median of the others is what a test suite or a long run pays.
 *
 *   npm run bench -- [--json] [--runs 5] [--only NAME]
 */
const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    runs: { type: "string", default: "5" },
    only: { type: "string" },
    measure: { type: "string" }
  }
})

interface Row extends Omit<Measured, "value"> {
  readonly name: string
  readonly first: number
  /** Of all runs but the first, sorted; of all where each has a process of its own. */
  readonly runs: ReadonlyArray<number>
  readonly median: number
}

if (values.measure === undefined) compare()
else process.stdout.write(JSON.stringify(await takeAll(measureCalled(values.measure), Number(values.runs))))

function measureCalled(name: string): Measure {
  const measure = measures[name]
  if (measure === undefined) throw new Error(`nothing is measured under the name ${name}`)
  return measure
}

/** In a child process: one measure, several times. */
async function takeAll({ take }: Measure, runs: number): Promise<ReadonlyArray<Measured>> {
  const taken: Array<Measured> = []
  for (let run = 0; run < runs; run += 1) {
    globalThis.gc?.()
    taken.push(await take())
  }
  return taken
}

function compare(): void {
  const names = Object.keys(measures).filter((name) => values.only === undefined || name === values.only)
  const rows: Array<Row> = []
  for (const name of names) {
    if (!values.json) process.stderr.write(`measuring ${name}\n`)
    rows.push(rowOf(name, Number(values.runs)))
  }
  if (values.json) process.stdout.write(`${JSON.stringify({ node: process.version, rows }, undefined, 2)}\n`)
  else print(rows)
}

function rowOf(name: string, runs: number): Row {
  const alone = measureCalled(name).alone === true
  const taken = alone ? Array.from({ length: runs }, () => inChild(name, 1)).flat() : inChild(name, runs + 1)
  const [first] = taken
  if (first === undefined) throw new Error("no runs")
  const sorted = (alone ? taken : taken.slice(1)).map(({ value }) => value).sort((a, b) => a - b)
  const { value, ...rest } = taken.at(-1) ?? first
  return {
    name,
    ...rest,
    first: first.value,
    runs: sorted,
    median: sorted[Math.floor(sorted.length / 2)] ?? value
  }
}

function inChild(name: string, runs: number): ReadonlyArray<Measured> {
  const args = ["--expose-gc", import.meta.filename, "--measure", name, "--runs", String(runs)]
  const child = spawnSync(process.execPath, args, { encoding: "utf8" })
  if (child.status !== 0) throw new Error(`${name} failed:\n${child.stderr}`)
  // The child is this very file and prints what it measured.
  return JSON.parse(child.stdout) as ReadonlyArray<Measured>
}

function print(rows: ReadonlyArray<Row>): void {
  console.table(
    Object.fromEntries(
      rows.map(({ name, first, median, unit, bound, least, runs, note = "" }) => [
        name,
        {
          first: `${round(first)} ${unit}`,
          median: `${round(median)} ${unit}`,
          bound:
            bound === undefined ? (least === undefined ? "" : `>= ${least} ${unit}`) : `<= ${bound} ${unit}`,
          met: isMet(median, bound, least),
          spread: `${round(runs[0] ?? median)} to ${round(runs.at(-1) ?? median)}`,
          note
        }
      ])
    )
  )
}

function isMet(median: number, bound: number | undefined, least: number | undefined): string {
  if (bound === undefined && least === undefined) return ""
  return median <= (bound ?? Infinity) && median >= (least ?? -Infinity) ? "yes" : "NO"
}

function round(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(value < 10 ? 2 : 1)
}
