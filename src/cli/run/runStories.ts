import * as Effect from "effect/Effect"
import { reportBadInput } from "../input/badInput.ts"
import { readStories } from "./readStories.ts"
import { packageVersion } from "../../generated/packageVersion.ts"
import { playInspectedStory } from "./inspectStory.ts"
import { prepareReports } from "./storyReports.ts"
import { playStories, recordStories, shrinkStories } from "./playStories.ts"
import {
  linesOfFaultsWithoutEffect,
  shrunkStoryLines,
  storyResultLine,
  storyFailureLines,
  storyTotalsLine
} from "./storyLines.ts"
import { isOutputTerminal, outputPalette, printLines } from "../terminal/terminal.ts"
import { storyReport } from "../../reports/storyReport.ts"
import type { ExitCode } from "../terminal/exitCode.ts"
import type { ReportFormat } from "./storyReports.ts"
import type { StoryInspectOptions } from "./inspectStory.ts"
import type { StoryRun } from "../../scenario/stories/storyRun.ts"
import type { ReportRecordings } from "../../reports/reportPage.ts"
import type { StoryReport } from "../../reports/storyReport.ts"

export interface StoriesOptions {
  readonly paths: ReadonlyArray<string>
  readonly seeds: ReadonlyArray<number> | undefined
  readonly reports: ReadonlyArray<ReportFormat>
  /** The folder for reports and shrunk stories; undefined for standard output. */
  readonly out: string | undefined
  readonly inspect?: StoryInspectOptions | undefined
}

/** With more files, only their count is printed. */
const pathsMax = 6

export const runStories = (options: StoriesOptions): Effect.Effect<ExitCode> =>
  Effect.gen(function* () {
    const stories = yield* readStories(options)
    const reportOutput = yield* prepareReports(options, stories)
    const palette = outputPalette()
    const print = (lines: ReadonlyArray<string>): void => {
      // A report on standard output stands alone.
      if (!reportOutput.isPrinted) printLines(lines)
    }
    const beganMillis = performance.now()
    /** The duration is printed only for people, since it varies. */
    const realMillis = (): number | undefined =>
      isOutputTerminal() ? performance.now() - beganMillis : undefined
    const printResult = (runs: ReadonlyArray<StoryRun>, index: number): void => {
      const story = stories[index]
      if (story === undefined) return
      print([
        storyResultLine(story, stories, runs, palette, realMillis()),
        ...linesOfFaultsWithoutEffect(runs, palette)
      ])
    }
    const { inspect } = options
    const inspectedRuns = inspect === undefined ? undefined : yield* playInspectedStory(stories, inspect)
    inspectedRuns?.runs.forEach(printResult)
    const runs = inspectedRuns?.runs ?? (yield* playStories(stories, printResult))
    const storyReports = stories.map(({ source, story }, index) =>
      storyReport(
        { story: story.name, description: story.description, file: source.file, version: packageVersion },
        runs[index] ?? []
      )
    )
    // Shrinking takes long: failures are printed before it.
    for (const report of storyReports.filter(hasFailed)) print(["", ...storyFailureLines(report, palette)])
    const shrunk = yield* shrinkStories(stories, runs)
    const reportsWithShrunk = storyReports.map((report, index) => ({ ...report, shrunk: shrunk.get(index) }))
    const recordingsByReport = reportOutput.needRecordings
      ? yield* recordStories(stories, reportsWithShrunk)
      : new Map<StoryReport, ReportRecordings>()
    const files = yield* reportOutput.write(reportsWithShrunk, recordingsByReport)
    const failed = reportsWithShrunk.filter(hasFailed)
    for (const report of failed) {
      const storyName = failed.length === 1 ? undefined : report.story
      print(shrunkStoryLines(report, files.shrunkFileOf(report), storyName))
    }
    if (stories.length > 1) print(["", storyTotalsLine(reportsWithShrunk, palette)])
    const { paths } = files
    const writtenPaths = paths.length <= pathsMax ? paths : [`${paths.length} files in ${options.out}`]
    print(writtenPaths.map((text) => palette.dim(`# ${text}`)))
    yield* inspectedRuns?.keepInspectorOpen ?? Effect.void
    const exitCode: ExitCode = failed.length === 0 ? 0 : 1
    return exitCode
  }).pipe(Effect.scoped, reportBadInput)

const hasFailed = ({ outcome }: StoryReport): boolean => outcome !== "passed"
