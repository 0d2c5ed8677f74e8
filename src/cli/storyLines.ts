import { escapeControls } from "../domain/escapeControls.ts"
import { exactSpan } from "./ages.ts"
import { expectedText, failureTexts } from "../reports/failureText.ts"
import { repeatCommand, shrunkText } from "../reports/storyReport.ts"
import type { Palette } from "./palette.ts"
import type { StoryReport } from "../reports/storyReport.ts"
import type { StoryRun } from "../scenario/stories/storyRun.ts"
import type { Told } from "./readStories.ts"

/** One story with all its seeds, on a line: whether it passed, how often it was played, and how long it was. */
export const storyLine = (
  { story, seeds }: Told,
  all: ReadonlyArray<Told>,
  runs: ReadonlyArray<StoryRun>,
  palette: Palette,
  realMillis: number | undefined
): string => {
  const failed = runs.filter(({ outcome }) => outcome !== "passed")
  const [first] = failed
  const width = Math.max(...all.map((it) => escapeControls(it.story.name).length))
  const longest = runs.reduce((most, { endMillis }) => Math.max(most, endMillis), 0)
  const few = seeds.length === 1
  const played = few ? `seed ${seeds[0]}` : `seeds ${seeds[0]}..${seeds.at(-1)}`
  const what =
    first === undefined
      ? expectedWords(runs)
      : `  ${palette.bad(few ? words[first.outcome] : `${failed.length} failed, the first is ${first.seed}`)}`
  const real = realMillis === undefined ? "" : palette.dim(`  ${exactSpan(realMillis)} here`)
  const sign = first === undefined ? palette.good("✓") : palette.bad("✗")
  return `${sign} ${escapeControls(story.name).padEnd(width)}  ${played}  ${few ? "" : "up to "}${exactSpan(longest)}${what}${real}`
}

/** What a story that is to fail has failed with. */
const expectedWords = (runs: ReadonlyArray<StoryRun>): string => {
  const [first] = runs
  const text = first === undefined ? undefined : expectedText(first)
  if (first === undefined || text === undefined) return ""
  return `  failed as expected${runs.length === 1 ? "" : `, first with ${first.seed}`}: ${text}`
}

const words = { passed: "", failed: "failed", unsettled: "has not settled" } as const

/**
 * Faults that somebody has planned and that came to nothing, each told once; those of chance may, and one that met
 * somebody with another seed was no mistake. Only some runs are known whole.
 */
export const idleFaults = (runs: ReadonlyArray<StoryRun>, palette: Palette): ReadonlyArray<string> => {
  const planned = runs.map(({ faults }) => faults.filter(({ isRandom }) => !isRandom))
  const isIdle = (text: string): boolean =>
    planned.every((faults) => {
      const own = faults.filter((it) => it.text === text)
      return own.length === 0 || own.some(({ met }) => met === 0)
    })
  const texts = new Set(planned.flat().map(({ text }) => text))
  return [...texts].filter(isIdle).map((text) => palette.dim(`  ${text}: it met nobody`))
}

/** More of them say nothing new. */
const failuresMax = 5

/** What failed in a story: the counterexamples of its first seed that did, and how to see them again. */
export const storyTroubles = (report: StoryReport, palette: Palette): ReadonlyArray<string> => {
  const { story, file, shown } = report
  const [run] = shown
  if (run === undefined) return []
  return [
    `${palette.strong(story)} ${palette.bad(words[run.outcome])} with seed ${run.seed}, after ${exactSpan(run.endMillis)}`,
    ...failureTexts(run, failuresMax).flatMap((text) => text.split("\n")),
    "",
    "to see it again:",
    `  ${repeatCommand(file, run.seed)}`
  ]
}

/** The least of a story that fails as it did, `whose` where there are several; nothing where none was looked for. */
export const shrunkLines = (
  { shrunk }: StoryReport,
  file: string | undefined,
  whose: string
): ReadonlyArray<string> => {
  if (shrunk === undefined) return []
  const title = `the least that fails${whose === "" ? " in the same way" : whose}: ${shrunkText(shrunk)}`
  if (file !== undefined) return ["", title, `  ${repeatCommand(file, shrunk.seed)}`]
  const lines = shrunk.yaml.trimEnd().split("\n")
  return ["", title, "", ...lines.map((line) => (line === "" ? "" : `  ${line}`))]
}

/** `2 stories, played 5 times: 1 passed, 1 failed` */
export const totalLine = (reports: ReadonlyArray<StoryReport>, palette: Palette): string => {
  const passed = reports.filter(({ outcome }) => outcome === "passed").length
  const plays = reports.reduce((sum, { seeds }) => sum + seeds.count, 0)
  const failed = reports.length - passed
  const counts = [
    ...(passed === 0 ? [] : [palette.good(`${passed} passed`)]),
    ...(failed === 0 ? [] : [palette.bad(`${failed} failed`)])
  ]
  return `${reports.length} stories, played ${plays} times: ${counts.join(", ")}`
}
