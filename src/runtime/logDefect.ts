import * as Cause from "effect/Cause"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { escapeControls } from "../domain/escapeControls.ts"

/**
 * Logs that something failed which should never fail, with the cause: on the standard error, or where the user's own
 * loggers write it. The message and the cause may have text from objects in them.
 */
export const logDefect = (message: string, cause: Cause.Cause<unknown>): Effect.Effect<void> =>
  Effect.gen(function* () {
    const loggers = yield* Logger.CurrentLoggers
    const safe = new Set([...loggers].map((it) => (it === Logger.defaultLogger ? standardError : it)))
    yield* Effect.provideService(Effect.logError(message, cause), Logger.CurrentLoggers, safe)
  })

/**
 * An entry is a line with the time in front, and its cause stands below, further in: no text from an object can look
 * like another entry.
 */
const standardError = Logger.make<unknown, void>(({ cause, date, fiber, logLevel, message }) => {
  const head = `[${date.toISOString().slice(11, 23)}] ${logLevel.toUpperCase()}: ${[message].flat().join(" ")}`
  const below = cause.reasons.length === 0 ? [] : Cause.pretty(cause).split("\n")
  const lines = [head, ...below.map((line) => `  ${line}`)].map(escapeControls)
  fiber.getRef(Console.Console).error(lines.join("\n"))
})
