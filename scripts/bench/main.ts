import { spawnSync } from "node:child_process"
import { parseArgs } from "node:util"
import { measures } from "./measures.ts"
import type { Measured } from "./measures.ts"

/**
 * How fast Charthouse is, on this machine: medians of several runs, each in a process of its own, since a warm one
 * would flatter the figures and a cold one is what a test suite pays.
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

interface Row extends Measured {
  readonly name: string
  readonly runs: ReadonlyArray<number>
}

if (values.measure === undefined) await compare()
else process.stdout.write(JSON.stringify(await measureOne(values.measure)))

/** In a child process: one measure, once. */
async function measureOne(name: string): Promise<Measured> {
  const measure = measures[name]
  if (measure === undefined) throw new Error(`nothing is measured under the name ${name}`)
  return measure()
}

async function compare(): Promise<void> {
  const names = Object.keys(measures).filter((name) => values.only === undefined || name === values.only)
  const rows: Array<Row> = []
  for (const name of names) {
    if (!values.json) process.stderr.write(`measuring ${name}\n`)
    rows.push(medianOf(name, Number(values.runs)))
  }
  if (values.json) process.stdout.write(`${JSON.stringify({ node: process.version, rows }, undefined, 2)}\n`)
  else print(rows)
}

function medianOf(name: string, runs: number): Row {
  const results = Array.from({ length: runs }, () => {
    const args = ["--expose-gc", import.meta.filename, "--measure", name]
    const child = spawnSync(process.execPath, args, { encoding: "utf8" })
    if (child.status !== 0) throw new Error(`${name} failed:\n${child.stderr}`)
    // The child is this very file and prints what it measured.
    return JSON.parse(child.stdout) as Measured
  }).sort((a, b) => a.value - b.value)
  const median = results[Math.floor(results.length / 2)]
  if (median === undefined) throw new Error("no runs")
  return { name, ...median, runs: results.map(({ value }) => value) }
}

function print(rows: ReadonlyArray<Row>): void {
  console.table(
    Object.fromEntries(
      rows.map(({ name, value, unit, bound, runs, note = "" }) => [
        name,
        {
          median: `${round(value)} ${unit}`,
          bound: bound === undefined ? "" : `<= ${bound} ${unit}`,
          met: bound === undefined ? "" : value <= bound ? "yes" : "NO",
          spread: `${round(runs[0] ?? 0)} to ${round(runs.at(-1) ?? 0)}`,
          note
        }
      ])
    )
  )
}

function round(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(1)
}
