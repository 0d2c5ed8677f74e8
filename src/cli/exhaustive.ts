import * as Effect from "effect/Effect"
import { badInput } from "./badInput.ts"
import { everyOrder } from "../scenario/exhaustive/everyOrder.ts"
import { exhaustiveLines } from "./exhaustiveText.ts"
import { packageVersion } from "../packageRoot.ts"
import { complain, outputPalette, printData, printLines } from "./terminal.ts"
import { subjectOf } from "./eventLines.ts"
import { unaskable } from "../scenario/exhaustive/invariants.ts"
import type { BadInput } from "./badInput.ts"
import type { ExitCode } from "./exitCode.ts"
import type { EveryOrderOptions, ExploredRollout } from "../scenario/exhaustive/everyOrder.ts"
import type { ManifestsRefused } from "../manifests/manifestsRefused.ts"

export interface ExhaustiveOptions extends EveryOrderOptions {
  readonly output: "table" | "json" | "html"
  readonly warnings: ReadonlyArray<string>
}

/**
 * Explores every order of events for each Deployment and prints what is proved and what is broken. Exits 0 if
 * all claims are proved.
 */
export const exploreFiles = Effect.fnUntraced(function* (
  options: ExhaustiveOptions
): Effect.fn.Return<ExitCode, BadInput | ManifestsRefused> {
  yield* refuseOptions(options)
  const explored = yield* everyOrder(options).pipe(
    Effect.catchTag("CannotExplore", ({ namespace, name, message }) => {
      const subject = subjectOf({ kind: "Deployment", namespace, name })
      return Effect.fail(badInput(`--exhaustive: ${subject}: ${message}`))
    })
  )
  const warningsFound = explored.flatMap(({ warnings }) => warnings)
  for (const warning of warningsFound) complain(`warning: ${warning}`)
  const isProved = explored.every(({ claims }) => claims.every(({ verdict }) => verdict === "proved"))
  const exitCode = isProved ? 0 : 1
  if (options.output === "json")
    printData(jsonOf({ ...options, warnings: [...options.warnings, ...warningsFound] }, explored, exitCode))
  else printLines(exhaustiveLines(explored, { failures: options.failures, palette: outputPalette() }))
  return exitCode
})

const refuseOptions = ({ output, predicates }: ExhaustiveOptions): Effect.Effect<void, BadInput> => {
  for (const predicate of predicates) {
    const why = unaskable(predicate)
    if (why !== undefined) return Effect.fail(badInput(`--fail-on ${predicate.text}: ${why}`))
  }
  return output === "html"
    ? Effect.fail(badInput("--exhaustive is written as a table or json, not as html"))
    : Effect.void
}

const jsonOf = (
  { failures, warnings }: ExhaustiveOptions,
  rollouts: ReadonlyArray<ExploredRollout>,
  exitCode: ExitCode
): string => {
  const report = { version: packageVersion(), failures, rollouts, warnings, exitCode }
  const nullFor = (_key: string, value: unknown): unknown => (value === undefined ? null : value)
  return `${JSON.stringify(report, nullFor, 2)}\n`
}
