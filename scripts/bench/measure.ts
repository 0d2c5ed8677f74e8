import type { Checkout } from "./checkout.ts"

/** One number that was measured. */
export interface Measured {
  readonly value: number
  /** `s`, `ms`, `us`, `kB`, `MB`, `x` (times another value), `/s` (a second). */
  readonly unit: string
  /** What it is meant to stay below, in the same unit, on two cores. */
  readonly bound?: number
  /** What it is meant to stay above, where more is better. */
  readonly least?: number
  /** The processor's milliseconds of the measured work: what else the machine does is not in them. */
  readonly cpuMillis?: number
  readonly note?: string
}

/** By line. */
export type MeasuredLines = Readonly<Record<string, Measured>>

export interface Measure {
  /** The first of its lines. */
  readonly name: string
  /** The lines of the table that are measured together, since one world serves them all. */
  readonly lines: ReadonlyArray<string>
  readonly take: (checkout: Checkout, settings: MeasureSettings) => Promise<MeasuredLines>
  /** Each run needs a process of its own, whose modules, heap and compiled code nothing else has touched. */
  readonly needsFreshProcess: boolean
}

/** A measure, and those of its lines that are asked for. */
export interface ChosenMeasure {
  readonly measure: Measure
  readonly lines: ReadonlyArray<string>
}

export interface MeasureSettings {
  /** The number of seeds that a plan is played with. */
  readonly seeds: number
}

type Take = (checkout: Checkout, settings: MeasureSettings) => Promise<Measured>

/** A measure of one line. */
export const line = (name: string, take: Take, { needsFreshProcess = false } = {}): Measure => ({
  name,
  lines: [name],
  needsFreshProcess,
  take: async (checkout, settings) => ({ [name]: await take(checkout, settings) })
})

/** A measure of several lines. */
export const linesOf = (
  lines: readonly [string, ...ReadonlyArray<string>],
  take: Measure["take"]
): Measure => ({
  name: lines[0],
  lines,
  needsFreshProcess: true,
  take
})

/** Why a line has no number here: a program that it needs is missing, or this commit had no such thing yet. */
export class CannotMeasure extends Error {}

/** How long some work took: by the clock on the wall, and of this process's processor. */
export const timed = async <A>(
  work: () => Promise<A>
): Promise<{ readonly result: A; readonly millis: number; readonly cpuMillis: number }> => {
  const begunCpu = process.cpuUsage()
  const begun = performance.now()
  const result = await work()
  const millis = performance.now() - begun
  const { user, system } = process.cpuUsage(begunCpu)
  return { result, millis, cpuMillis: (user + system) / 1000 }
}

/** What this process keeps on its heap, without what can be collected. Needs `--expose-gc`. */
export const heapMegabytes = (): number => {
  globalThis.gc?.()
  globalThis.gc?.()
  return process.memoryUsage().heapUsed / 1e6
}
