import type { Checkout } from "./checkout.ts"

export interface Measurement {
  readonly value: number
  /** `s`, `ms`, `us`, `kB`, `MB`, `x` (times another value), `/s` (a second). */
  readonly unit: string
  /** The target: at most this, in the same unit, on two cores. */
  readonly bound?: number
  /** The target: at least this, where more is better. */
  readonly least?: number
  /** CPU time of the measured work, all threads together. */
  readonly cpuMillis?: number
  readonly note?: string
}

export type MeasurementsByLine = Readonly<Record<string, Measurement>>

export interface Measure {
  readonly name: string
  /** The lines of the table that are measured together. */
  readonly lines: ReadonlyArray<string>
  readonly take: (checkout: Checkout) => Promise<MeasurementsByLine>
  /** Each run needs a process whose modules, heap and compiled code nothing else has touched. */
  readonly needsFreshProcess: boolean
}

/** A measure with those of its lines that were asked for. */
export interface ChosenMeasure {
  readonly measure: Measure
  readonly lines: ReadonlyArray<string>
}

type MeasureLine = (checkout: Checkout) => Promise<Measurement>

export const singleLineMeasure = (
  name: string,
  measureLine: MeasureLine,
  { needsFreshProcess = false } = {}
): Measure => ({
  name,
  lines: [name],
  needsFreshProcess,
  take: async (checkout) => ({ [name]: await measureLine(checkout) })
})

export const multiLineMeasure = (
  lines: readonly [string, ...ReadonlyArray<string>],
  take: Measure["take"]
): Measure => ({
  name: lines[0],
  lines,
  needsFreshProcess: true,
  take
})

/** Why a line has no number: a program is missing, or the commit had no such feature yet. */
export class CannotMeasure extends Error {}

/** Wall-clock time, and CPU time of this process. */
export const timed = async <A>(
  work: () => Promise<A>
): Promise<{ readonly result: A; readonly millis: number; readonly cpuMillis: number }> => {
  const cpuBefore = process.cpuUsage()
  const startMillis = performance.now()
  const result = await work()
  const millis = performance.now() - startMillis
  const { user, system } = process.cpuUsage(cpuBefore)
  return { result, millis, cpuMillis: (user + system) / 1000 }
}

/** The heap of this process after a collection. Needs `--expose-gc`. */
export const heapMegabytes = (): number => {
  globalThis.gc?.()
  globalThis.gc?.()
  return process.memoryUsage().heapUsed / 1e6
}
