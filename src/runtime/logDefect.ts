import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as LogLevel from "effect/LogLevel"
import * as References from "effect/References"
import { escapeControls } from "../kubernetes/meta/text/escapeControls.ts"

/** `effect/Logger` exports this logger too, and imports files and streams. */
const [defaultLogger] = References.CurrentLoggers.defaultValue()

export const logDefect = (message: string, cause: Cause.Cause<unknown>): Effect.Effect<void> =>
  Effect.gen(function* () {
    const loggers = yield* References.CurrentLoggers
    const ownLoggers = new Set([...loggers].filter((logger) => logger !== defaultLogger))
    yield* Effect.provideService(Effect.logError(message, cause), References.CurrentLoggers, ownLoggers)
    if (ownLoggers.size < loggers.size && (yield* LogLevel.isEnabled("Error")))
      yield* printDefect(message, cause)
  })

/** Indents the cause, so that text from an object cannot look like another entry. */
const printDefect = Effect.fnUntraced(function* (message: string, cause: Cause.Cause<unknown>) {
  const time = new Date(yield* Clock.currentTimeMillis).toISOString().slice(11, 23)
  const causeLines = cause.reasons.length === 0 ? [] : Cause.pretty(cause).split("\n")
  const lines = [`[${time}] ERROR: ${message}`, ...causeLines.map((line) => `  ${line}`)]
  yield* Console.error(lines.map(escapeControls).join("\n"))
})
