import * as Cause from "effect/Cause"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { escapeControls } from "../kubernetes/meta/text/escapeControls.ts"

export const logDefect = (message: string, cause: Cause.Cause<unknown>): Effect.Effect<void> =>
  Effect.gen(function* () {
    const loggers = yield* Logger.CurrentLoggers
    const safeLoggers = new Set(
      [...loggers].map((logger) => (logger === Logger.defaultLogger ? standardErrorLogger : logger))
    )
    yield* Effect.provideService(Effect.logError(message, cause), Logger.CurrentLoggers, safeLoggers)
  })

/** Indents the cause, so that text from an object cannot look like another entry. */
const standardErrorLogger = Logger.make<unknown, void>(({ cause, date, fiber, logLevel, message }) => {
  const head = `[${date.toISOString().slice(11, 23)}] ${logLevel.toUpperCase()}: ${[message].flat().join(" ")}`
  const causeLines = cause.reasons.length === 0 ? [] : Cause.pretty(cause).split("\n")
  const lines = [head, ...causeLines.map((line) => `  ${line}`)].map(escapeControls)
  fiber.getRef(Console.Console).error(lines.join("\n"))
})
