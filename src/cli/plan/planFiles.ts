import * as Effect from "effect/Effect"
import { toObjectKey } from "../../kubernetes/meta/objects.ts"
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
import { judgePlan, verdictsOf } from "../../plan/verdicts/judgePlan.ts"
import { failedPredicates } from "../../plan/predicates.ts"
import { playedWarnings, manifestWarnings } from "../../plan/warnings/planWarnings.ts"
import type { PlanRequest } from "./readPlanRequest.ts"
import type { BadInput } from "../input/badInput.ts"
import type { ExitCode } from "../terminal/exitCode.ts"
import type { ManifestsRefused } from "../../manifests/manifestsRefused.ts"
import type { Plan, RolloutPlan } from "../../plan/planRollout.ts"
import type { PlanCommandOptions } from "./planCommandOptions.ts"
import type { Judgement } from "../../plan/verdicts/judgePlan.ts"
import type { FailingPredicate } from "../../plan/predicates.ts"
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
  { output, seeds = seedsDefault, strict, verbose }: PlanCommandOptions,
  { world, predicates, acceptedKinds, names }: PlanRequest
): Effect.fn.Return<ExitCode, BadInput | ManifestsRefused> {
  const parts = output === "html" ? yield* Effect.promise(loadPageParts) : undefined
  const played = yield* playSeedsOnAllCores(world, seeds)
  for (const warning of playedWarnings(played)) printToStderr(`warning: ${warning}`)
  const plan = summarizePlan(world, played)
  const failingPredicates = failedPredicates(plan, predicates)
  const failed = failingPredicates.map(toFailedPredicate)
  const judgement = judgePlan(plan, { predicates, failed: failingPredicates, acceptedKinds })
  const exitCode = failed.length > 0 || isFailure(plan, judgement, strict) ? 1 : 0
  const report: PlanReport = { plan, judgement, seeds: seedsOf(seeds), failed, exitCode }
  if (parts === undefined) {
    const isDetailed = ({ namespace, name }: RolloutPlan): boolean =>
      verbose ||
      (names.length === 0 ? plan.rollouts.length === 1 : names.includes(toObjectKey(namespace, name)))
    if (output === "json") yield* printDocument(jsonOf(report))
    else printLines(planLines(plan, { judgement, failed, isDetailed }, outputPalette()))
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

const isFailure = ({ violations }: Plan, { verdict }: Judgement, strict: boolean): boolean =>
  verdict === "stuck" || verdict === "unknown" || (strict && verdict === "risky") || violations.length > 0

interface PlanReport {
  readonly plan: Plan
  readonly judgement: Judgement
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

const jsonOf = ({ plan, judgement, seeds, failed, exitCode }: PlanReport): string => {
  const report = {
    version: packageVersion,
    ...verdictsOf(judgement),
    ...plan,
    seeds,
    nodes: plan.room.nodes,
    failed: failed.map(failedPredicateJson),
    exitCode
  }
  return `${jsonText(report)}\n`
}
