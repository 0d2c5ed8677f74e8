import { spawn } from "node:child_process"
import { text } from "node:stream/consumers"
import { join } from "node:path"
import { CannotMeasure } from "./measure.ts"
import type { TakeArguments } from "./benchArguments.ts"
import type { MeasurementsByLine } from "./measure.ts"

/** Printed by the process of a measure: its runs in order, or why it has none. */
export type ProcessRuns =
  | { readonly runs: ReadonlyArray<MeasurementsByLine> }
  | {
      readonly why: string
      /** False if the measure is impossible on this machine or for this commit. */
      readonly isFailure: boolean
    }

export const measureInChild = async ({ take, checkout, runs }: TakeArguments): Promise<ProcessRuns> => {
  const args = ["--take", take, "--checkout", checkout, "--runs", String(runs)]
  const main = join(import.meta.dirname, "main.ts")
  const child = spawn(process.execPath, ["--expose-gc", main, ...args], { stdio: ["ignore", "pipe", "pipe"] })
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve))
  const [out, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  if (code !== 0) return { why: reasonIn(errors), isFailure: true }
  // The child prints with `printRuns`.
  return JSON.parse(out) as ProcessRuns
}

/** The message of an uncaught error in the output of a process, or its last line. */
export const reasonIn = (errors: string): string => {
  const lines = errors
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
  return (
    lines.find((line) => /^(\w+: )*\w*Error\b.*: /.test(line)) ?? lines.at(-1) ?? "it ended without a word"
  )
}

/** Runs in the child. */
export const printRuns = async (measure: () => Promise<MeasurementsByLine>, runs: number): Promise<void> => {
  const finishedRuns: Array<MeasurementsByLine> = []
  try {
    for (let run = 0; run < runs; run += 1) {
      globalThis.gc?.()
      finishedRuns.push(await measure())
    }
    print({ runs: finishedRuns })
  } catch (error) {
    if (!(error instanceof CannotMeasure)) throw error
    print({ why: error.message, isFailure: false })
  }
}

const print = (result: ProcessRuns): void => void process.stdout.write(JSON.stringify(result))
