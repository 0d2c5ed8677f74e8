import { pause } from "./connection.ts"
import type { Connection } from "./connection.ts"
import type { Kept } from "../kept.ts"

/** How time goes in the cluster. */
export interface Time {
  readonly now: string
  /** Seconds that pass in one of ours; 0 while it stands still. */
  readonly speed: number
  /** When something happens by itself next. */
  readonly next?: string
  /** When this was learned, by the browser's clock. */
  readonly learnedMillis: number
}

const everyMillis = 1000
/** A server that stands still is noticed soon. */
const answerMillis = 3000
const guessMaxMillis = 2 * everyMillis

/** Asks again and again how time goes; that is also how a server is noticed that is gone, or there again. */
export const followTime = async (
  connection: Connection,
  signal: AbortSignal,
  time: Kept<Time | undefined>
): Promise<void> => {
  while (!signal.aborted) {
    await askTime(connection, time).catch(() => undefined)
    await pause(everyMillis, signal)
  }
}

const path = "/charthouse/v1/clock"

const askTime = async (connection: Connection, time: Kept<Time | undefined>): Promise<void> =>
  time.set(timeIn(await connection.ask("GET", path, { withinMillis: answerMillis })))

/** Moves the clock, as in `advance?by=10m`. */
export const moveTime = async (
  connection: Connection,
  time: Kept<Time | undefined>,
  wish: string
): Promise<void> => time.set(timeIn(await connection.ask("POST", `${path}/${wish}`)))

const timeIn = (answer: unknown): Time => ({
  ...(answer as Omit<Time, "learnedMillis">),
  learnedMillis: performance.now()
})

/** What time it is there now. While nobody answers it is as late as was last told, and a little later. */
export const nowMillis = (time: Time): number => {
  const passed = Math.min(guessMaxMillis, Math.max(0, performance.now() - time.learnedMillis))
  return Date.parse(time.now) + passed * time.speed
}

/** `10:00:12` of a moment, in UTC as everything a cluster says. */
export const clockText = (millis: number): string => new Date(millis).toISOString().slice(11, 19)

/** `2026-11-21 10:00:12`. */
export const dayAndClockText = (millis: number): string =>
  new Date(millis).toISOString().slice(0, 19).replace("T", " ")
