import * as Effect from "effect/Effect"
import { judgePlan } from "../../src/plan/verdicts/judgePlan.ts"
import { parseAssumptions } from "../../src/plan/assumptions.ts"
import { planPage } from "../../src/cli/plan/outputs/planPage.ts"
import { playSeedsOnAllCores } from "../../src/cli/plan/playSeedsOnAllCores.ts"
import { playStory, recordStory } from "../../src/scenario/stories/playing/playStory.ts"
import { parsePredicates, findTruePredicates } from "../../src/plan/predicates.ts"
import { readManifests } from "../../src/manifests/readManifests.ts"
import { loadPageAssets } from "../../src/reports/pageAssets.ts"
import { readStory } from "../../src/scenario/stories/reading/readStory.ts"
import { storyHtml } from "../../src/reports/storyHtml.ts"
import { storyReport } from "../../src/reports/storyReport.ts"
import { summarizePlan } from "../../src/plan/summarizePlan.ts"
import { omitLongRecordings } from "../../src/reports/reportPage.ts"
import type { ParseResult } from "../../src/scenario/parseResult.ts"

const valueOf = <A>(parsed: ParseResult<A>): A => {
  if (parsed.ok) return parsed.value
  throw new Error(parsed.problems.map(({ message }) => message).join("\n"))
}

/** The page that `charthouse plan -o html` writes, made in this process. */
export const planPageOf = async (options: {
  readonly from: string
  readonly next: string
  readonly seeds: ReadonlyArray<number>
  readonly assume?: string
  readonly failOn?: string
}): Promise<string> => {
  const { seeds, assume = "", failOn } = options
  const documents = (text: string) => readManifests([{ name: "f.yaml", text }], { strict: true }).documents
  const assumptions = assume === "" ? {} : valueOf(parseAssumptions(assume, undefined))
  const input = { ...assumptions, from: documents(options.from), next: documents(options.next) }
  const { played, ...beside } = await Effect.runPromise(playSeedsOnAllCores(input, seeds))
  const plan = summarizePlan(input, played, beside)
  const predicates = failOn === undefined ? [] : valueOf(parsePredicates(failOn))
  const truePredicates = findTruePredicates(plan, predicates)
  const judgement = judgePlan(plan, { predicates, truePredicates, acceptedUnknowns: [] })
  const seedRange = { first: seeds[0] ?? 0, last: seeds.at(-1) ?? 0, count: seeds.length }
  return Effect.runPromise(
    planPage(
      { plan, judgement, failedPredicates: [], input, played, truePredicates },
      { isStrict: false, refused: [], seeds: seedRange, pageAssets: await loadPageAssets() }
    )
  )
}

/** The page that `charthouse run --report html` writes, made in this process. */
export const storyPageOf = async (text: string, seed = 1): Promise<string> => {
  const story = await Effect.runPromise(readStory(text, "story.yaml"))
  const run = await Effect.runPromise(playStory(story, seed))
  const { recorded } = await Effect.runPromise(recordStory(story, seed))
  const about = { story: story.name, description: story.description, file: "story.yaml", version: "1" }
  return storyHtml(storyReport(about, [run], undefined), {
    reportRecordings: omitLongRecordings([{ title: `seed ${seed}`, ...recorded }]),
    pageAssets: await loadPageAssets()
  })
}
