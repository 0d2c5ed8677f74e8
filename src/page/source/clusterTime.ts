import { isDisconnected, sleepMillis } from "./connection.ts"
import type { ServerConnection } from "./connection.ts"
import type { Signal } from "../signal.ts"

export interface ClusterTime {
  readonly now: string
  /** Seconds of the cluster per real second; 0 while the clock is paused. */
  readonly speed: number
  /** The time of the next timer; omitted if there is none. */
  readonly next?: string
  /** By the browser's `performance.now()`. */
  readonly requestedMillis: number
  readonly answeredMillis: number
}

const pollIntervalMillis = 1000
/** Short, so that a hanging server is noticed soon. */
const answerTimeoutMillis = 3000
/** How long the shown clock runs without an answer: one poll may be late. */
const extrapolationMaxMillis = 2 * pollIntervalMillis

/** Pauses before the retries of a lost server, which may be restarting. */
const retryPausesMillis = [1000, 2000, 4000, 8000]

/** Ends when the server refuses the token, or is still lost after the retries. */
export const pollTime = async (
  connection: ServerConnection,
  abortSignal: AbortSignal,
  time: Signal<ClusterTime | undefined>
): Promise<void> => {
  // A server that was lost before is tried once.
  let retries = isDisconnected(connection) ? [] : retryPausesMillis
  while (!abortSignal.aborted) {
    await fetchTime(connection, time).catch(() => undefined)
    const { state } = connection.status.get()
    if (state === "refused") return
    if (state !== "lost") {
      retries = retryPausesMillis
      await sleepMillis(pollIntervalMillis, abortSignal)
      continue
    }
    const [retryMillis, ...remaining] = retries
    if (retryMillis === undefined) return
    retries = remaining
    await sleepMillis(retryMillis, abortSignal)
  }
}

const clockPath = "/charthouse/v1/clock"

const fetchTime = (connection: ServerConnection, time: Signal<ClusterTime | undefined>): Promise<void> =>
  storeAnswer(time, connection.request("GET", clockPath, { withinMillis: answerTimeoutMillis }))

export const advanceAmounts = ["1s", "10s", "1m", "10m"]

/** `command` is the last part of the path, such as `advance?by=10m`. */
export const moveTime = (
  connection: ServerConnection,
  time: Signal<ClusterTime | undefined>,
  command: string
): Promise<void> => storeAnswer(time, connection.request("POST", `${clockPath}/${command}`))

/** Ignores an answer that is older than the last one: it may arrive later. */
const storeAnswer = async (
  time: Signal<ClusterTime | undefined>,
  response: Promise<unknown>
): Promise<void> => {
  const requestedMillis = performance.now()
  const answer = (await response) as Omit<ClusterTime, "requestedMillis" | "answeredMillis">
  const lastTime = time.get()
  if (lastTime !== undefined && requestedMillis < lastTime.requestedMillis && answer.now <= lastTime.now)
    return
  time.set({ ...answer, requestedMillis, answeredMillis: performance.now() })
}

export const clusterNowMillis = (time: ClusterTime): number => {
  const elapsedMillis = Math.min(extrapolationMaxMillis, Math.max(0, performance.now() - time.answeredMillis))
  return Date.parse(time.now) + elapsedMillis * time.speed
}

/** `10:00:12`, in UTC. */
export const clockText = (millis: number): string => new Date(millis).toISOString().slice(11, 19)

/** `2026-11-21`. */
export const dayText = (millis: number): string => new Date(millis).toISOString().slice(0, 10)
