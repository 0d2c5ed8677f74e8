import * as Effect from "effect/Effect"
import { checkOutputs, withTable } from "./planOutputs.ts"
import { exitOnBadInput } from "../input/badInput.ts"
import { manifestWarnings, playedWarnings } from "../../plan/warnings/planWarnings.ts"
import { countText } from "../../kubernetes/meta/text/countText.ts"
import { playEnvironments } from "./playEnvironments.ts"
import { printToStderr } from "../terminal/terminal.ts"
import { readPlanRequest } from "./readPlanRequest.ts"
import { withSettings } from "./planSettings.ts"
import { writeReports } from "./writeReports.ts"
import type { BadInput } from "../input/badInput.ts"
import type { ExitCode } from "../terminal/exitCode.ts"
import type { PlayedEnvironment } from "./writeReports.ts"
import type { ManifestsRefused } from "../../manifests/manifestsRefused.ts"
import type { PlanCommandOptions } from "./planCommandOptions.ts"
import type { PlanRequest } from "./readPlanRequest.ts"

export const planFiles = (flags: PlanCommandOptions): Effect.Effect<ExitCode> =>
  Effect.gen(function* () {
    yield* checkOutputs(flags.outputs)
    const { options, settings } = yield* withSettings(flags)
    const request = yield* readPlanRequest(options, settings)
    for (const note of request.notes) printToStderr(note)
    for (const warning of manifestWarnings(request.world)) printToStderr(`warning: ${warning}`)
    return yield* options.exhaustive ? exploreOrders(options, request) : playSeeds(options, request)
  }).pipe(exitOnBadInput)

const exploreOrders = Effect.fnUntraced(function* (
  { outputs, failures = 1 }: PlanCommandOptions,
  { world, predicates }: PlanRequest
): Effect.fn.Return<ExitCode, BadInput | ManifestsRefused> {
  const { printExploration } = yield* Effect.promise(() => import("./printExploration.ts"))
  return yield* printExploration({
    ...world,
    failures,
    predicates,
    outputs: withTable(outputs),
    warnings: manifestWarnings(world)
  })
})

const playSeeds = Effect.fnUntraced(function* (
  { outputs, seeds = seedsDefault, strict, verbose, startFactor }: PlanCommandOptions,
  request: PlanRequest
): Effect.fn.Return<ExitCode, BadInput | ManifestsRefused> {
  const { environments, isStopped } = yield* playEnvironments(request, { seeds, startFactor })
  if (isStopped) printToStderr(stoppedText(environments, seeds.length))
  if (environments.length === 0) return 1
  const warnings = environments.flatMap(({ played }) => playedWarnings(played))
  for (const warning of new Set(warnings)) printToStderr(`warning: ${warning}`)
  return yield* writeReports(request, environments, {
    outputs: withTable(outputs),
    seeds,
    strict,
    verbose,
    isStopped
  })
})

const stoppedText = (environments: ReadonlyArray<PlayedEnvironment>, count: number): string => {
  const played = environments.map((it) => it.played.length)
  return played.length === 0
    ? `stopped before any of ${countText(count, "seed")} was played`
    : `stopped: what follows is known from ${played.join(", ")} of ${countText(count, "seed")}`
}

const seedsDefault = Array.from({ length: 100 }, (_, index) => index + 1)
