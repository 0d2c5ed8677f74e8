import { isCut, pause } from "./connection.ts"
import type { Connection } from "./connection.ts"
import type { Kept } from "../kept.ts"

/** How time goes in the cluster. */
export interface Time {
  readonly now: string
  /** Seconds that pass in one of ours; 0 while it stands still. */
  readonly speed: number
  /** When something happens by itself next. */
  readonly next?: string
  /** When it was asked for, and when it was learned, by the browser's clock. */
  readonly askedMillis: number
  readonly learnedMillis: number
}

const everyMillis = 1000
/** A server that stands still is noticed soon. */
const answerMillis = 3000
const guessMaxMillis = 2 * everyMillis

/** How long after a server was lost it is asked again: so long it may take to be started again. */
const retriesMillis = [1000, 2000, 4000, 8000]

/**
 * Asks again and again how time goes; that is also how a server is noticed that is gone, or there again. Ends where the
 * token is refused, or where the server still does not answer after some retries. A server that was gone
 * before is asked once.
 */
export const followTime = async (
  connection: Connection,
  signal: AbortSignal,
  time: Kept<Time | undefined>
): Promise<void> => {
  let retries = isCut(connection) ? [] : retriesMillis
  while (!signal.aborted) {
    await askTime(connection, time).catch(() => undefined)
    const { state } = connection.standing.get()
    if (state === "refused") return
    if (state !== "lost") {
      retries = retriesMillis
      await pause(everyMillis, signal)
      continue
    }
    const [retryMillis, ...later] = retries
    if (retryMillis === undefined) return
    retries = later
    await pause(retryMillis, signal)
  }
}

const path = "/charthouse/v1/clock"

const askTime = (connection: Connection, time: Kept<Time | undefined>): Promise<void> =>
  learn(time, connection.ask("GET", path, { withinMillis: answerMillis }))

/** Moves the clock, as in `advance?by=10m`. */
export const moveTime = (connection: Connection, time: Kept<Time | undefined>, wish: string): Promise<void> =>
  learn(time, connection.ask("POST", `${path}/${wish}`))

/** An answer that was asked for before what is known by now, and tells of no later time, has come too late. */
const learn = async (time: Kept<Time | undefined>, asked: Promise<unknown>): Promise<void> => {
  const askedMillis = performance.now()
  // The server says how time goes there.
  const answer = (await asked) as Omit<Time, "askedMillis" | "learnedMillis">
  const known = time.get()
  if (known !== undefined && askedMillis < known.askedMillis && answer.now <= known.now) return
  time.set({ ...answer, askedMillis, learnedMillis: performance.now() })
}

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
