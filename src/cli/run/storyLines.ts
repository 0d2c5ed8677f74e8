import { escapeControls } from "../../kubernetes/meta/text/escapeControls.ts"
import { preciseDurationText } from "../terminal/preciseDurationText.ts"
import { expectedFailureText, failureTexts } from "../../reports/failureText.ts"
import { repeatCommand, shrinkSummaryText } from "../../reports/storyReport.ts"
import type { Palette } from "../terminal/palette.ts"
import type { StoryReport } from "../../reports/storyReport.ts"
import type { StoryRun } from "../../scenario/stories/storyRun.ts"
import type { SeededStory } from "./readStories.ts"

export const storyResultLine = (
  { story, seeds }: SeededStory,
  allStories: ReadonlyArray<SeededStory>,
  runs: ReadonlyArray<StoryRun>,
  palette: Palette,
  realMillis: number | undefined
): string => {
  const failed = runs.filter(({ outcome }) => outcome !== "passed")
  const [firstFailed] = failed
  const width = Math.max(...allStories.map((it) => escapeControls(it.story.name).length))
  const longest = runs.reduce((most, { endMillis }) => Math.max(most, endMillis), 0)
  const hasOneSeed = seeds.length === 1
  const seedsText = hasOneSeed ? `seed ${seeds[0]}` : `seeds ${seeds[0]}..${seeds.at(-1)}`
  const resultText =
    firstFailed === undefined
      ? expectedFailureSuffix(runs)
      : `  ${palette.bad(hasOneSeed ? outcomeTexts[firstFailed.outcome] : `${failed.length} failed, the first is ${firstFailed.seed}`)}`
  const realTimeText =
    realMillis === undefined ? "" : palette.dim(`  after ${preciseDurationText(realMillis)} of real time`)
  const sign = firstFailed === undefined ? palette.good("✓") : palette.bad("✗")
  return `${sign} ${escapeControls(story.name).padEnd(width)}  ${seedsText}  ${hasOneSeed ? "" : "up to "}${preciseDurationText(longest)}${resultText}${realTimeText}`
}

const expectedFailureSuffix = (runs: ReadonlyArray<StoryRun>): string => {
  const [firstRun] = runs
  const text = firstRun === undefined ? undefined : expectedFailureText(firstRun)
  if (firstRun === undefined || text === undefined) return ""
  return `  failed as expected${runs.length === 1 ? "" : `, first with ${firstRun.seed}`}: ${text}`
}

const outcomeTexts = { passed: "", failed: "failed", unsettled: "has not settled" } as const

/** Planned faults that affected nothing with any seed; random faults may affect nothing. */
export const linesOfFaultsWithoutEffect = (
  runs: ReadonlyArray<StoryRun>,
  palette: Palette
): ReadonlyArray<string> => {
  const plannedFaults = runs.map(({ faults }) => faults.filter(({ isRandom }) => !isRandom))
  const affectedNothing = (text: string): boolean =>
    plannedFaults.every((faults) => {
      const sameFaults = faults.filter((it) => it.text === text)
      return sameFaults.length === 0 || sameFaults.some(({ met: affectedCount }) => affectedCount === 0)
    })
  const texts = new Set(plannedFaults.flat().map(({ text }) => text))
  return [...texts].filter(affectedNothing).map((text) => palette.dim(`  ${text}: it affected nothing`))
}

const failuresMax = 5

export const storyFailureLines = (report: StoryReport, palette: Palette): ReadonlyArray<string> => {
  const { story, file, shownRuns } = report
  const [run] = shownRuns
  if (run === undefined) return []
  return [
    `${palette.strong(story)} ${palette.bad(outcomeTexts[run.outcome])} with seed ${run.seed}, after ${preciseDurationText(run.endMillis)}`,
    ...failureTexts(run, failuresMax).flatMap((text) => text.split("\n")),
    "",
    "to see it again:",
    `  ${repeatCommand(file, run.seed)}`
  ]
}

/** `storyName` is given if several stories failed. */
export const shrunkStoryLines = (
  { shrunk }: StoryReport,
  file: string | undefined,
  storyName: string | undefined
): ReadonlyArray<string> => {
  if (shrunk === undefined) return []
  const title = `the smallest story that fails${storyName === undefined ? " in the same way" : ` as ${storyName}`}: ${shrinkSummaryText(shrunk)}`
  if (file !== undefined) return ["", title, `  ${repeatCommand(file, shrunk.seed)}`]
  const lines = shrunk.yaml.trimEnd().split("\n")
  return ["", title, "", ...lines.map((line) => (line === "" ? "" : `  ${line}`))]
}

/** `2 stories, played 5 times: 1 passed, 1 failed` */
export const storyTotalsLine = (reports: ReadonlyArray<StoryReport>, palette: Palette): string => {
  const passed = reports.filter(({ outcome }) => outcome === "passed").length
  const plays = reports.reduce((sum, { seeds }) => sum + seeds.count, 0)
  const failed = reports.length - passed
  const counts = [
    ...(passed === 0 ? [] : [palette.good(`${passed} passed`)]),
    ...(failed === 0 ? [] : [palette.bad(`${failed} failed`)])
  ]
  return `${reports.length} stories, played ${plays} times: ${counts.join(", ")}`
}
