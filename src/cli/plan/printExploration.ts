import * as Effect from "effect/Effect"
import { jsonText } from "../../kubernetes/meta/text/jsonText.ts"
import { badInput } from "../input/badInput.ts"
import { exploreDeployments } from "../../plan/exhaustive/exploreDeployments.ts"
import { explorationLines } from "./explorationLines.ts"
import { packageVersion } from "../../generated/packageVersion.ts"
import { joinEscapedLines } from "../../kubernetes/meta/text/escapeControls.ts"
import { writeOutput } from "./outputs/planOutputs.ts"
import { plainPalette } from "../terminal/palette.ts"
import { printToStderr, outputPalette, printLines } from "../terminal/terminal.ts"
import { kindAndNameOf } from "../terminal/eventLines.ts"
import { whyNotInvariant } from "../../plan/exhaustive/stateInvariants.ts"
import type { Palette } from "../terminal/palette.ts"
import type { PlanOutput } from "./outputs/planFormats.ts"
import type { BadInput } from "../input/badInput.ts"
import type { ExitCode } from "../terminal/exitCode.ts"
import type { ExploreDeploymentsOptions, ExploredRollout } from "../../plan/exhaustive/exploreDeployments.ts"
import type { ManifestsRefused } from "../../manifests/manifestsRefused.ts"

export interface ExplorationOptions extends ExploreDeploymentsOptions {
  readonly outputs: ReadonlyArray<PlanOutput>
  readonly warnings: ReadonlyArray<string>
}

/** Exits 0 if all claims, such as "never more than 6 Pods asked for", are proved. */
export const printExploration = Effect.fnUntraced(function* (
  options: ExplorationOptions
): Effect.fn.Return<ExitCode, BadInput | ManifestsRefused> {
  yield* checkOptions(options)
  const explored = yield* exploreDeployments(options).pipe(
    Effect.catchTag("CannotExplore", ({ namespace, name, message }) => {
      const subject = kindAndNameOf({ kind: "Deployment", namespace, name })
      return Effect.fail(badInput(`--exhaustive: ${subject}: ${message}`))
    })
  )
  const explorationWarnings = explored.flatMap(({ warnings }) => warnings)
  for (const warning of explorationWarnings) printToStderr(`warning: ${warning}`)
  const isProved = explored.every(({ claims }) => claims.every(({ verdict }) => verdict === "proved"))
  const exitCode = isProved ? 0 : 1
  const warnings = [...options.warnings, ...explorationWarnings]
  const linesIn = (palette: Palette): ReadonlyArray<string> =>
    explorationLines(explored, { failures: options.failures, palette })
  for (const output of options.outputs) {
    if (output.format === "json")
      yield* writeOutput(output, jsonOf({ ...options, warnings }, explored, exitCode))
    else if (output.file === undefined) printLines(linesIn(outputPalette()))
    else yield* writeOutput(output, `${joinEscapedLines(linesIn(plainPalette))}\n`)
  }
  return exitCode
})

const checkOptions = ({ outputs, predicates }: ExplorationOptions): Effect.Effect<void, BadInput> => {
  for (const predicate of predicates) {
    const why = whyNotInvariant(predicate)
    if (why !== undefined) return Effect.fail(badInput(`--fail-on ${predicate.text}: ${why}`))
  }
  const unsupported = outputs.find(({ format }) => format !== "table" && format !== "json")
  return unsupported === undefined
    ? Effect.void
    : Effect.fail(badInput(`--exhaustive is written as a table or json, not as ${unsupported.format}`))
}

const jsonOf = (
  { failures, warnings }: ExplorationOptions,
  rollouts: ReadonlyArray<ExploredRollout>,
  exitCode: ExitCode
): string => {
  const report = { version: packageVersion, failures, rollouts, warnings, exitCode }
  return `${jsonText(report)}\n`
}
