import * as Effect from "effect/Effect"
import { jsonText } from "../../kubernetes/meta/text/jsonText.ts"
import { badInput } from "../input/badInput.ts"
import { exploreDeployments } from "../../plan/exhaustive/exploreDeployments.ts"
import { explorationLines } from "./explorationLines.ts"
import { packageVersion } from "../../generated/packageVersion.ts"
import { printToStderr, outputPalette, printData, printLines } from "../terminal/terminal.ts"
import { kindAndNameOf } from "../terminal/eventLines.ts"
import { whyNotInvariant } from "../../plan/exhaustive/stateInvariants.ts"
import type { BadInput } from "../input/badInput.ts"
import type { ExitCode } from "../terminal/exitCode.ts"
import type { ExploreDeploymentsOptions, ExploredRollout } from "../../plan/exhaustive/exploreDeployments.ts"
import type { ManifestsRefused } from "../../manifests/manifestsRefused.ts"

export interface ExplorationOptions extends ExploreDeploymentsOptions {
  readonly output: "table" | "json" | "html"
  readonly warnings: ReadonlyArray<string>
}

/** Claims are statements about a rollout, such as "never more than 6 Pods asked for". Exits 0 if all are proved. */
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
  if (options.output === "json")
    printData(
      jsonOf({ ...options, warnings: [...options.warnings, ...explorationWarnings] }, explored, exitCode)
    )
  else printLines(explorationLines(explored, { failures: options.failures, palette: outputPalette() }))
  return exitCode
})

const checkOptions = ({ output, predicates }: ExplorationOptions): Effect.Effect<void, BadInput> => {
  for (const predicate of predicates) {
    const why = whyNotInvariant(predicate)
    if (why !== undefined) return Effect.fail(badInput(`--fail-on ${predicate.text}: ${why}`))
  }
  return output === "html"
    ? Effect.fail(badInput("--exhaustive is written as a table or json, not as html"))
    : Effect.void
}

const jsonOf = (
  { failures, warnings }: ExplorationOptions,
  rollouts: ReadonlyArray<ExploredRollout>,
  exitCode: ExitCode
): string => {
  const report = { version: packageVersion, failures, rollouts, warnings, exitCode }
  return `${jsonText(report)}\n`
}
