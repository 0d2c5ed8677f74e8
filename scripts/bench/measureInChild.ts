import { spawn } from "node:child_process"
import { text } from "node:stream/consumers"
import { join } from "node:path"
import { CannotMeasure } from "./measure.ts"
import type { TakeArguments } from "./benchArguments.ts"
import type { MeasuredLines } from "./measure.ts"

/** What a process of a measure prints: its runs in order, or why it has none. */
export type TakenRuns =
  | { readonly runs: ReadonlyArray<MeasuredLines> }
  | {
      readonly why: string
      /** It is not this machine or this commit that makes it impossible. */
      readonly isFailure: boolean
    }

/** Measures in a process of its own, whose modules, heap and compiled code nothing else has touched. */
export const takeInChild = async ({ take, checkout, runs, seeds }: TakeArguments): Promise<TakenRuns> => {
  const args = ["--take", take, "--checkout", checkout, "--runs", String(runs), "--seeds", String(seeds)]
  const main = join(import.meta.dirname, "main.ts")
  const child = spawn(process.execPath, ["--expose-gc", main, ...args], { stdio: ["ignore", "pipe", "pipe"] })
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve))
  const [out, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  if (code !== 0) return { why: reasonIn(errors), isFailure: true }
  // The child runs `printRuns` below.
  return JSON.parse(out) as TakenRuns
}

/** The message of an uncaught error among what a process has written, or the last line. */
export const reasonIn = (errors: string): string => {
  const lines = errors
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
  return (
    lines.find((line) => /^(\w+: )*\w*Error\b.*: /.test(line)) ?? lines.at(-1) ?? "it ended without a word"
  )
}

/** In the child. */
export const printRuns = async (take: () => Promise<MeasuredLines>, runs: number): Promise<void> => {
  const taken: Array<MeasuredLines> = []
  try {
    for (let run = 0; run < runs; run += 1) {
      globalThis.gc?.()
      taken.push(await take())
    }
    print({ runs: taken })
  } catch (error) {
    if (!(error instanceof CannotMeasure)) throw error
    print({ why: error.message, isFailure: false })
  }
}

const print = (taken: TakenRuns): void => void process.stdout.write(JSON.stringify(taken))
