import { dequal } from "dequal"
import * as Effect from "effect/Effect"
import { packageVersion } from "../packageRoot.ts"
import { planHtml } from "../reports/planHtml.ts"
import { recordedOf } from "./playedAgain.ts"
import { recordSeeds } from "./planWorker.ts"
import { recordingsMax } from "../reports/reportPage.ts"
import { watchedSeeds } from "../scenario/plan/watchedSeeds.ts"
import type { BadInput } from "./badInput.ts"
import type { ManifestsRefused } from "../manifests/manifestsRefused.ts"
import type { PageParts } from "../reports/pageParts.ts"
import type { Plan } from "../scenario/plan/plan.ts"
import type { PlanPage } from "../reports/planHtml.ts"
import type { PlanWorld, SeedRun } from "../scenario/plan/planRun.ts"
import type { Recorded } from "../reports/reportPage.ts"
import type { TrippedPredicate } from "../scenario/plan/predicates.ts"

/** The page of a plan, with the most telling of its seeds to be watched. */
export const planPage = Effect.fnUntraced(function* (options: {
  readonly plan: Plan
  readonly world: PlanWorld
  readonly played: ReadonlyArray<SeedRun>
  readonly broken: ReadonlyArray<TrippedPredicate>
  readonly seeds: PlanPage["seeds"]
  readonly tripped: PlanPage["tripped"]
  readonly parts: PageParts
}): Effect.fn.Return<string, ManifestsRefused | BadInput> {
  const { plan, world, played, broken, seeds, tripped, parts } = options
  const telling = watchedSeeds(plan, played, broken).map(({ seed, why }) => ({
    seed,
    title: `seed ${seed}: ${why}`
  }))
  const recorded = yield* record(world, played, telling.slice(0, recordingsMax))
  const beyond = telling
    .slice(recordingsMax)
    .map(({ seed, title }) => `Not recorded here: ${title}; a plan with --seeds ${seed}..${seed} shows it.`)
  return planHtml(plan, {
    version: packageVersion(),
    seeds,
    tripped,
    recorded: { ...recorded, leftOut: [...recorded.leftOut, ...beyond] },
    parts
  })
})

const record = Effect.fnUntraced(function* (
  world: PlanWorld,
  played: ReadonlyArray<SeedRun>,
  wanted: ReadonlyArray<{ readonly seed: number; readonly title: string }>
): Effect.fn.Return<Recorded, ManifestsRefused | BadInput> {
  const runs = yield* recordSeeds(
    world,
    wanted.map(({ seed }) => seed)
  )
  return recordedOf(
    wanted.map(({ seed, title }, index) => {
      const again = runs[index]
      const before = played.find((run) => run.seed === seed)
      const isSo = before !== undefined && again !== undefined && isSame(before, again)
      return { seed, title, recorded: isSo ? again.recorded : undefined }
    })
  )
})

/** Whether two runs of a seed went the same way, whatever was tried after them. */
const isSame = (one: SeedRun, other: SeedRun): boolean => dequal(rolloutsOf(one), rolloutsOf(other))

const rolloutsOf = ({ rollouts }: SeedRun) =>
  [...rollouts].map(([key, { undoMillis: _undoMillis, isUndone: _isUndone, ...run }]) => [key, run])
