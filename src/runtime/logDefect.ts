import * as Cause from "effect/Cause"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as References from "effect/References"
import { escapeControls } from "../kubernetes/meta/text/escapeControls.ts"
import type { Logger } from "effect/Logger"

/** `effect/Logger` has it too, and imports files and streams. */
const [defaultLogger] = References.CurrentLoggers.defaultValue()

export const logDefect = (message: string, cause: Cause.Cause<unknown>): Effect.Effect<void> =>
  Effect.gen(function* () {
    const loggers = yield* References.CurrentLoggers
    const safeLoggers = new Set(
      [...loggers].map((logger) => (logger === defaultLogger ? standardErrorLogger : logger))
    )
    yield* Effect.provideService(Effect.logError(message, cause), References.CurrentLoggers, safeLoggers)
  })

/** Indents the cause, so that text from an object cannot look like another entry. */
const logToStandardError: Logger<unknown, void>["log"] = ({ cause, date, fiber, logLevel, message }) => {
  const head = `[${date.toISOString().slice(11, 23)}] ${logLevel.toUpperCase()}: ${[message].flat().join(" ")}`
  const causeLines = cause.reasons.length === 0 ? [] : Cause.pretty(cause).split("\n")
  const lines = [head, ...causeLines.map((line) => `  ${line}`)].map(escapeControls)
  fiber.getRef(Console.Console).error(lines.join("\n"))
}

const standardErrorLogger: Logger<unknown, void> = Object.create(defaultLogger ?? null, {
  log: { value: logToStandardError }
})
