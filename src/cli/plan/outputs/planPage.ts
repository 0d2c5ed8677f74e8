import { dequal } from "dequal"
import * as Effect from "effect/Effect"
import { packageVersion } from "../../../generated/packageVersion.ts"
import { planHtml } from "../../../reports/planHtml.ts"
import { reportRecordingsOf } from "../../pages/reportRecordings.ts"
import { recordSeeds } from "../playSeedsOnAllCores.ts"
import { recordingsMax } from "../../../reports/reportPage.ts"
import { seedsToShow } from "../../../plan/seedsToShow.ts"
import type { JudgedEnvironment } from "../judgeEnvironment.ts"
import type { BadInput } from "../../input/badInput.ts"
import type { ManifestsRefused } from "../../../manifests/manifestsRefused.ts"
import type { PlanPageOptions } from "../../../reports/planHtml.ts"
import type { PlanInput, SeedRun } from "../../../plan/seeds/playSeed.ts"
import type { ReportRecordings } from "../../../reports/reportPage.ts"

type PlayedAndJudged = Pick<
  JudgedEnvironment,
  "input" | "played" | "plan" | "judgement" | "truePredicates" | "failedPredicates"
>

type PageOptions = Pick<PlanPageOptions, "seeds" | "isStrict" | "refused" | "pageAssets">

export const planPage = Effect.fnUntraced(function* (
  environment: PlayedAndJudged,
  options: PageOptions
): Effect.fn.Return<string, ManifestsRefused | BadInput> {
  const { plan, input, played, truePredicates } = environment
  const seedsToRecord = seedsToShow(plan, played, truePredicates).map(({ seed, why }) => ({
    seed,
    title: `seed ${seed}: ${why}`
  }))
  const recorded = yield* recordChosenSeeds(input, played, seedsToRecord.slice(0, recordingsMax))
  const notRecordedTexts = seedsToRecord
    .slice(recordingsMax)
    .map(({ seed, title }) => `Not recorded here: ${title}; a plan with --seeds ${seed}..${seed} shows it.`)
  return planHtml({
    ...options,
    version: packageVersion,
    environment,
    reportRecordings: { ...recorded, leftOutTexts: [...recorded.leftOutTexts, ...notRecordedTexts] }
  })
})

const recordChosenSeeds = Effect.fnUntraced(function* (
  input: PlanInput,
  played: ReadonlyArray<SeedRun>,
  seedsToRecord: ReadonlyArray<{ readonly seed: number; readonly title: string }>
): Effect.fn.Return<ReportRecordings, ManifestsRefused | BadInput> {
  const runs = yield* recordSeeds(
    input,
    seedsToRecord.map(({ seed }) => seed)
  )
  return reportRecordingsOf(
    seedsToRecord.map(({ seed, title }, index) => {
      const replayed = runs[index]
      const firstRun = played.find((run) => run.seed === seed)
      const isReproduced = firstRun !== undefined && replayed !== undefined && isSameRun(firstRun, replayed)
      return { seed, title, recorded: isReproduced ? replayed.recorded : undefined }
    })
  )
})

/** Ignores the undo, which only some runs try. */
const isSameRun = (one: SeedRun, other: SeedRun): boolean => dequal(rolloutsOf(one), rolloutsOf(other))

const rolloutsOf = ({ rollouts }: SeedRun) =>
  [...rollouts].map(([key, { undoMillis: _undoMillis, isUndoPlayed: _isUndoPlayed, ...run }]) => [key, run])
