import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { errorText } from "../../kubernetes/meta/text/errorText.ts"
import { parseDuration } from "../../kubernetes/meta/amounts/durations.ts"
import { parseClockSpeed, clockSpeedMax } from "../../runtime/clockSpeed.ts"
import { requireParameter } from "../http/queryParameters.ts"
import { badRequest, methodNotAllowed, makeRefusal, requireReadMethod } from "../http/statuses.ts"
import { waitForStreamWrites } from "../responses/responseStreams.ts"
import type { QueryParameters } from "../http/queryParameters.ts"

/**
 * A `POST` responds once every due timer has run and every watcher has been written to.
 *
 *   GET  /charthouse/v1/clock
 *   POST /charthouse/v1/clock/advance?by=10m     advances a paused clock
 *   POST /charthouse/v1/clock/step               ... to the next timer
 *   POST /charthouse/v1/clock/settle?limit=1h    ... until no actor is moving
 *   POST /charthouse/v1/clock/pause
 *   POST /charthouse/v1/clock/resume
 *   POST /charthouse/v1/clock/speed?of=60x
 */
export const clockPath = "/charthouse/v1/clock"

interface ClockState {
  readonly now: string
  /** A multiple of the machine's clock; 0 while time stands still. */
  readonly speed: number
  /** Absent without a timer. */
  readonly next?: string
}

export interface ClockOperations {
  readonly state: () => ClockState
  readonly advance: (millis: number) => Effect.Effect<void, Error>
  /** False without a timer. */
  readonly step: Effect.Effect<boolean, Error>
  /** False if the limit comes before all actors have stopped moving. */
  readonly settle: (limitMillis?: number) => Effect.Effect<boolean>
  readonly pause: Effect.Effect<void>
  readonly resume: Effect.Effect<void>
  readonly setSpeed: (speed: number) => Effect.Effect<void>
}

export interface ClockRequest {
  readonly path: string
  readonly method: string
  readonly query: QueryParameters
  readonly signal: AbortSignal
}

type OperationResult = Readonly<Record<string, boolean>>

/** Rejects with a `Refusal`; undefined for an unknown path. */
export const handleClock = async (
  { path, method, query, signal }: ClockRequest,
  clock: ClockOperations
): Promise<object | undefined> => {
  const name = path.slice(clockPath.length + 1)
  if (path === clockPath) {
    requireReadMethod(method)
    return clock.state()
  }
  const operation = Object.hasOwn(operations, name) ? operations[name] : undefined
  if (operation === undefined) return undefined
  if (method !== "POST") throw methodNotAllowed()
  const exit = await Effect.runPromiseExit(operation(clock, query), { signal })
  const state = clock.state()
  await waitForStreamWrites()
  if (Exit.isSuccess(exit)) return { ...state, ...exit.value }
  const error = Cause.squash(exit.cause)
  throw makeRefusal(409, "Conflict", errorText(error))
}

const noResult: OperationResult = {}

const operations: Readonly<
  Record<string, (clock: ClockOperations, query: QueryParameters) => Effect.Effect<OperationResult, Error>>
> = {
  advance: (clock, query) =>
    Effect.as(clock.advance(parseDurationOf("by", requireParameter(query, "by"))), noResult),
  step: (clock) => Effect.map(clock.step, (stepped) => ({ stepped })),
  settle: (clock, query) => Effect.map(clock.settle(readLimit(query)), (settled) => ({ settled })),
  pause: (clock) => Effect.as(clock.pause, noResult),
  resume: (clock) => Effect.as(clock.resume, noResult),
  speed: (clock, query) => Effect.as(clock.setSpeed(readSpeed(query)), noResult)
}

const readLimit = (query: QueryParameters): number | undefined => {
  const text = query.text("limit")
  return text === undefined ? undefined : parseDurationOf("limit", text)
}

const parseDurationOf = (name: string, text: string): number => {
  const millis = parseDuration(text)
  if (millis !== undefined && millis >= 0) return millis
  throw badRequest(`${name}: ${JSON.stringify(text)} is no duration such as 10m or 1h30m`)
}

const readSpeed = (query: QueryParameters): number => {
  const text = requireParameter(query, "of")
  const speed = parseClockSpeed(text)
  if (speed !== undefined) return speed
  throw badRequest(`of: ${JSON.stringify(text)} is no speed such as 60x, ${clockSpeedMax}x at the most`)
}
