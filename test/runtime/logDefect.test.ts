import * as Cause from "effect/Cause"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import { expect, it } from "vitest"
import { logDefect } from "../../src/runtime/logDefect.ts"

const controls = "\u001B[35m\u0007\r\n[00:00:00.000] ERROR: forged\u009B"
const log = logDefect(`the actor of Pod web${controls} failed`, Cause.die(new Error(`no${controls}`)))

it("a logged defect has its control characters escaped, and cannot forge another entry", async () => {
  const logged: Array<string> = []
  const console = { ...globalThis.console, error: (text: string) => void logged.push(text) }
  await Effect.runPromise(Effect.provideService(log, Console.Console, console))
  const shown = String.raw`^[[35m^G\r`
  const [head = "", ...cause] = logged.join("\n").split("\n")
  expect(head.replace(/^\[[\d:.]{12}\]/, "[TIME]")).toBe(
    String.raw`[TIME] ERROR: the actor of Pod web${shown}\n[00:00:00.000] ERROR: forged\x9b failed`
  )
  expect(cause.slice(0, 2)).toEqual([`  Error: no${shown}`, String.raw`  [00:00:00.000] ERROR: forged\x9b`])
  expect(cause.filter((line) => !line.startsWith("  "))).toEqual([])
})

it("a custom logger gets the original message and cause", async () => {
  const logged: Array<unknown> = []
  const own = Logger.make<unknown, void>(
    ({ message, cause }) => void logged.push(message, Cause.squash(cause))
  )
  await Effect.runPromise(Effect.provideService(log, Logger.CurrentLoggers, new Set([own])))
  expect(logged).toEqual([[`the actor of Pod web${controls} failed`], new Error(`no${controls}`)])
})

it("a defect is not logged where errors are not", async () => {
  const logged: Array<string> = []
  const console = { ...globalThis.console, error: (text: string) => void logged.push(text) }
  await Effect.runPromise(
    log.pipe(
      Effect.provideService(Console.Console, console),
      Effect.provideService(References.MinimumLogLevel, "Fatal")
    )
  )
  expect(logged).toEqual([])
})
