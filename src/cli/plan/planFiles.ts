import * as Effect from "effect/Effect"
import { jsonText } from "../../kubernetes/meta/text/jsonText.ts"
import { lostAfterwardsText } from "../../reports/lostRequests.ts"
import { preciseDurationText } from "../terminal/preciseDurationText.ts"
import { packageVersion } from "../../generated/packageVersion.ts"
import { loadPageParts } from "../../reports/pageParts.ts"
import { planLines } from "./planLines.ts"
import { playSeedsOnAllCores } from "./playSeedsOnAllCores.ts"
import { printDocument } from "../terminal/printDocument.ts"
import { readPlanRequest } from "./readPlanRequest.ts"
import { exitOnBadInput } from "../input/badInput.ts"
import { printToStderr, outputPalette, printLines } from "../terminal/terminal.ts"
import { summarizePlan } from "../../plan/planRollout.ts"
import { failedPredicates } from "../../plan/predicates.ts"
import { playedWarnings, manifestWarnings } from "../../plan/warnings/planWarnings.ts"
import type { PlanRequest } from "./readPlanRequest.ts"
import type { BadInput } from "../input/badInput.ts"
import type { ExitCode } from "../terminal/exitCode.ts"
import type { ManifestsRefused } from "../../manifests/manifestsRefused.ts"
import type { Plan } from "../../plan/planRollout.ts"
import type { PlanCommandOptions } from "./planCommandOptions.ts"
import type { Predicate, FailingPredicate } from "../../plan/predicates.ts"
import type { FailedPredicate } from "./planLines.ts"

export const planFiles = (options: PlanCommandOptions): Effect.Effect<ExitCode> =>
  Effect.gen(function* () {
    const request = yield* readPlanRequest(options)
    for (const note of request.notes) printToStderr(note)
    for (const warning of manifestWarnings(request.world)) printToStderr(`warning: ${warning}`)
    return yield* options.exhaustive ? exploreOrders(options, request) : playSeeds(options, request)
  }).pipe(exitOnBadInput)

const exploreOrders = Effect.fnUntraced(function* (
  { output, failures = 1 }: PlanCommandOptions,
  { world, predicates }: PlanRequest
): Effect.fn.Return<ExitCode, BadInput | ManifestsRefused> {
  const { printExploration } = yield* Effect.promise(() => import("./printExploration.ts"))
  return yield* printExploration({
    ...world,
    failures,
    predicates,
    output,
    warnings: manifestWarnings(world)
  })
})

const playSeeds = Effect.fnUntraced(function* (
  { output, seeds = seedsDefault }: PlanCommandOptions,
  { world, predicates }: PlanRequest
): Effect.fn.Return<ExitCode, BadInput | ManifestsRefused> {
  const parts = output === "html" ? yield* Effect.promise(loadPageParts) : undefined
  const played = yield* playSeedsOnAllCores(world, seeds)
  for (const warning of playedWarnings(played)) printToStderr(`warning: ${warning}`)
  const plan = summarizePlan(world, played)
  const failingPredicates = failedPredicates(plan, predicates)
  const failed = failingPredicates.map(toFailedPredicate)
  const exitCode = failed.length > 0 || isFailure(plan, predicates) ? 1 : 0
  const report: PlanReport = { plan, seeds: seedsOf(seeds), failed, exitCode }
  if (parts === undefined) {
    if (output === "json") yield* printDocument(jsonOf(report))
    else printLines(planLines(plan, failed, outputPalette()))
    return exitCode
  }
  const { planPage } = yield* Effect.promise(() => import("./planPage.ts"))
  const failedJson = failed.map(failedPredicateJson)
  yield* printDocument(
    yield* planPage({
      plan,
      world,
      played,
      failingPredicates,
      seeds: report.seeds,
      failedPredicates: failedJson,
      parts
    })
  )
  return exitCode
})

const seedsDefault = Array.from({ length: 100 }, (_, index) => index + 1)

/** A plan with rule violations fails, and so does a late or stuck rollout unless a predicate measures `stuck`. */
const isFailure = ({ rollouts, violations }: Plan, predicates: ReadonlyArray<Predicate>): boolean => {
  const isStuckMeasured = predicates.some(({ measure }) => measure === "stuck")
  const isStuck = !isStuckMeasured && rollouts.some(({ stuck, late }) => stuck + late > 0)
  return isStuck || violations.length > 0
}

interface PlanReport {
  readonly plan: Plan
  readonly seeds: ReturnType<typeof seedsOf>
  readonly failed: ReadonlyArray<FailedPredicate>
  readonly exitCode: ExitCode
}

const seedsOf = (seeds: ReadonlyArray<number>) => ({
  first: seeds[0] ?? 0,
  last: seeds.at(-1) ?? 0,
  count: seeds.length
})

const toFailedPredicate = ({ predicate, rollout, actual, whole }: FailingPredicate): FailedPredicate => ({
  predicate: predicate.text,
  rollout,
  actual: predicate.measure.startsWith("duration")
    ? spanOrEnd(actual)
    : // Only lost requests are infinite: those to a Service that no new Pod will answer.
      actual === Infinity
      ? lostAfterwardsText(rollout.requests?.unfound ?? [])
      : `${actual} of ${whole}`
})

const spanOrEnd = (millis: number): string => (millis === Infinity ? "no end" : preciseDurationText(millis))

const failedPredicateJson = ({ predicate, rollout: { namespace, name }, actual }: FailedPredicate) => ({
  predicate,
  namespace,
  name,
  actual
})

const jsonOf = ({ plan, seeds, failed, exitCode }: PlanReport): string => {
  const report = {
    version: packageVersion,
    ...plan,
    seeds,
    nodes: plan.room.nodes,
    failed: failed.map(failedPredicateJson),
    exitCode
  }
  return `${jsonText(report)}\n`
}
