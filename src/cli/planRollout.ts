import * as Effect from "effect/Effect"
import { afterwardsText } from "../reports/lossWords.ts"
import { exactSpan } from "./ages.ts"
import { packageVersion } from "../packageRoot.ts"
import { pageParts } from "./pageParts.ts"
import { planLines } from "./planText.ts"
import { playOnAllCores } from "./planWorker.ts"
import { print } from "./print.ts"
import { readAsked } from "./planAsked.ts"
import { refusing } from "./badInput.ts"
import { complain, outputPalette, printLines } from "./terminal.ts"
import { sumUp } from "../scenario/plan/plan.ts"
import { trippedBy } from "../scenario/plan/predicates.ts"
import { warningsIn, warningsOf } from "../scenario/plan/warnings.ts"
import type { Asked } from "./planAsked.ts"
import type { BadInput } from "./badInput.ts"
import type { ExitCode } from "./exitCode.ts"
import type { ManifestsRefused } from "../manifests/manifestsRefused.ts"
import type { Plan } from "../scenario/plan/plan.ts"
import type { PlanOptions } from "./planOptions.ts"
import type { Predicate, TrippedPredicate } from "../scenario/plan/predicates.ts"
import type { Tripped } from "./planText.ts"

/** Plays a rollout with many seeds, prints the plan and evaluates --fail-on. */
export const planFiles = (options: PlanOptions): Effect.Effect<ExitCode> =>
  Effect.gen(function* () {
    const request = yield* readAsked(options)
    for (const note of request.notes) complain(note)
    for (const warning of warningsOf(request.world)) complain(`warning: ${warning}`)
    return yield* options.exhaustive ? playEveryOrder(options, request) : playSeeds(options, request)
  }).pipe(refusing)

const playEveryOrder = Effect.fnUntraced(function* (
  { output, failures = 1 }: PlanOptions,
  { world, predicates }: Asked
): Effect.fn.Return<ExitCode, BadInput | ManifestsRefused> {
  const { exploreFiles } = yield* Effect.promise(() => import("./exhaustive.ts"))
  return yield* exploreFiles({ ...world, failures, predicates, output, warnings: warningsOf(world) })
})

const playSeeds = Effect.fnUntraced(function* (
  { output, seeds = seedsDefault }: PlanOptions,
  { world, predicates }: Asked
): Effect.fn.Return<ExitCode, BadInput | ManifestsRefused> {
  // Fails before the seeds are played.
  const parts = output === "html" ? yield* pageParts : undefined
  const played = yield* playOnAllCores(world, seeds)
  for (const warning of warningsIn(played)) complain(`warning: ${warning}`)
  const plan = sumUp(world, played)
  const failures = trippedBy(plan, predicates).map(toFailedPredicate)
  const exitCode = failures.length > 0 || isFailure(plan, predicates) ? 1 : 0
  const report: PlanReport = { plan, seeds: seedsOf(seeds), failures, exitCode }
  if (parts === undefined) {
    if (output === "json") yield* print(jsonOf(report))
    else printLines(planLines(plan, failures, outputPalette()))
    return exitCode
  }
  const { planPage } = yield* Effect.promise(() => import("./planPage.ts"))
  const tripped = failures.map(failedPredicateJson)
  yield* print(
    yield* planPage({ plan, world, played, broken: trippedPredicates, seeds: report.seeds, tripped, parts })
  )
  return exitCode
})

const seedsDefault = Array.from({ length: 100 }, (_, index) => index + 1)

/** A plan with rule violations fails, and so does a late or stuck rollout unless a predicate measures `stuck`. */
const isFailure = ({ rollouts, violations }: Plan, predicates: ReadonlyArray<Predicate>): boolean => {
  const isJudgedByStuck = predicates.some(({ measure }) => measure === "stuck")
  const isStuck = !isJudgedByStuck && rollouts.some(({ stuck, late }) => stuck + late > 0)
  return isStuck || violations.length > 0
}

interface PlanReport {
  readonly plan: Plan
  readonly seeds: ReturnType<typeof seedsOf>
  readonly failures: ReadonlyArray<Tripped>
  readonly exitCode: ExitCode
}

const seedsOf = (seeds: ReadonlyArray<number>) => ({
  first: seeds[0] ?? 0,
  last: seeds.at(-1) ?? 0,
  count: seeds.length
})

const toFailedPredicate = ({ predicate, rollout, actual, whole }: TrippedPredicate): Tripped => ({
  predicate: predicate.text,
  rollout,
  actual: predicate.measure.startsWith("duration")
    ? spanOrEnd(actual)
    : actual === Infinity
      ? afterwardsText(rollout.requests?.unfound ?? [])
      : `${actual} of ${whole}`
})

const spanOrEnd = (millis: number): string => (millis === Infinity ? "no end" : exactSpan(millis))

const failedPredicateJson = ({ predicate, rollout: { namespace, name }, actual }: Tripped) => ({
  predicate,
  namespace,
  name,
  actual
})

const jsonOf = ({ plan, seeds, failures: judged, exitCode }: PlanReport): string => {
  const report = {
    version: packageVersion(),
    ...plan,
    seeds,
    nodes: plan.room.nodes,
    failed: judged.map(failedPredicateJson),
    exitCode
  }
  const nullFor = (_key: string, value: unknown): unknown => (value === undefined ? null : value)
  return `${JSON.stringify(report, nullFor, 2)}\n`
}
