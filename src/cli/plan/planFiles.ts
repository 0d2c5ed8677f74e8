import * as Effect from "effect/Effect"
import { checkOutputs, withTable } from "./planOutputs.ts"
import { exitOnBadInput } from "../input/badInput.ts"
import { manifestWarnings, playedWarnings } from "../../plan/warnings/planWarnings.ts"
import { playSeedsOnAllCores } from "./playSeedsOnAllCores.ts"
import { printToStderr } from "../terminal/terminal.ts"
import { readPlanRequest } from "./readPlanRequest.ts"
import { restartedWorld } from "../../plan/base/restartedWorld.ts"
import { withSettings } from "./planSettings.ts"
import { workloadsAmong } from "../../plan/workloads.ts"
import { writeReports } from "./writeReports.ts"
import type { PlayedSeeds } from "./playSeedsOnAllCores.ts"
import type { BadInput } from "../input/badInput.ts"
import type { ExitCode } from "../terminal/exitCode.ts"
import type { ManifestsRefused } from "../../manifests/manifestsRefused.ts"
import type { PlanCommandOptions } from "./planCommandOptions.ts"
import type { PlanWorld } from "../../plan/seeds/playSeed.ts"
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
  const environments = yield* Effect.forEach(request.environments, ({ name, world }) =>
    Effect.gen(function* () {
      const { played, startLimits } = yield* playRollouts(world, seeds, startFactor)
      const worldBefore = request.base === undefined ? undefined : restartedWorld(world)
      const before =
        worldBefore === undefined
          ? undefined
          : { world: worldBefore, ...(yield* playRollouts(worldBefore, seeds)) }
      return { name, world, played, startLimits, before }
    })
  )
  const warnings = environments.flatMap(({ played }) => playedWarnings(played))
  for (const warning of new Set(warnings)) printToStderr(`warning: ${warning}`)
  return yield* writeReports(request, environments, {
    outputs: withTable(outputs),
    seeds,
    strict,
    verbose
  })
})

/** A change may leave all workloads as they are. */
const playRollouts = (world: PlanWorld, seeds: ReadonlyArray<number>, startFactor?: number) =>
  workloadsAmong(world.next).length === 0
    ? Effect.succeed<PlayedSeeds>({ played: [], startLimits: new Map() })
    : playSeedsOnAllCores(world, seeds, startFactor)

const seedsDefault = Array.from({ length: 100 }, (_, index) => index + 1)
