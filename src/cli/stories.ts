import * as Effect from "effect/Effect"
import { refusing } from "./badInput.ts"
import { readStories } from "./readStories.ts"
import { packageVersion } from "../packageRoot.ts"
import { playInspected } from "./storyInspect.ts"
import { planReports } from "./storyReports.ts"
import { playAll, recordAll, shrinkAll } from "./storyTurns.ts"
import { idleFaults, shrunkLines, storyLine, storyTroubles, totalLine } from "./storyLines.ts"
import { isTerminal, outputPalette, printLines } from "./terminal.ts"
import { storyReport } from "../reports/storyReport.ts"
import type { ExitCode } from "./exitCode.ts"
import type { Report } from "./storyReports.ts"
import type { StoryInspect } from "./storyInspect.ts"
import type { StoryRun } from "../scenario/stories/storyRun.ts"
import type { Recorded } from "../reports/reportPage.ts"
import type { StoryReport } from "../reports/storyReport.ts"

/** What is asked for on the command line. */
export interface StoriesOptions {
  readonly paths: ReadonlyArray<string>
  /** Undefined where each story's own seed is meant. */
  readonly seeds: ReadonlyArray<number> | undefined
  readonly reports: ReadonlyArray<Report>
  readonly out: string | undefined
  /** Whether the statecharts of the one story that it is are looked at. */
  readonly inspect?: StoryInspect | undefined
}

/** More names than this are no longer read. */
const namesMax = 6

/**
 * Plays stories, each with its seeds, on all cores; says what came of each as it ends, and of what failed how to see
 * it again and the least that fails so. Exits 0 when all have passed, 1 when one has not, 2 when what was given is no
 * good.
 */
export const runStories = (options: StoriesOptions): Effect.Effect<ExitCode> =>
  Effect.gen(function* () {
    const told = yield* readStories(options)
    const reports = yield* planReports(options, told)
    const palette = outputPalette()
    const print = (lines: ReadonlyArray<string>): void => {
      if (!reports.isPrinted) printLines(lines)
    }
    const beganMillis = performance.now()
    const realMillis = (): number | undefined => (isTerminal() ? performance.now() - beganMillis : undefined)
    const tell = (ended: ReadonlyArray<StoryRun>, index: number): void => {
      const line = told[index]
      if (line === undefined) return
      print([storyLine(line, told, ended, palette, realMillis()), ...idleFaults(ended, palette)])
    }
    const { inspect } = options
    const inspected = inspect === undefined ? undefined : yield* playInspected(told, inspect)
    inspected?.runs.forEach(tell)
    const runs = inspected?.runs ?? (yield* playAll(told, tell))
    const played = told.map(({ source, story }, index) =>
      storyReport(
        { story: story.name, description: story.description, file: source.file, version: packageVersion() },
        runs[index] ?? []
      )
    )
    // The least is looked for by playing again and again: what failed is known before.
    for (const report of played.filter(hasFailed)) print(["", ...storyTroubles(report, palette)])
    const shrunk = yield* shrinkAll(told, runs)
    const whole = played.map((report, index) => ({ ...report, shrunk: shrunk.get(index) }))
    const recorded = reports.areWatched ? yield* recordAll(told, whole) : new Map<StoryReport, Recorded>()
    const files = yield* reports.write(whole, recorded)
    const failed = whole.filter(hasFailed)
    for (const report of failed) {
      const whose = failed.length === 1 ? "" : ` as ${report.story}`
      print(shrunkLines(report, files.shrunkFileOf(report), whose))
    }
    if (told.length > 1) print(["", totalLine(whole, palette)])
    const { names } = files
    const written = names.length <= namesMax ? names : [`${names.length} files in ${options.out}`]
    print(written.map((text) => palette.dim(`# ${text}`)))
    yield* inspected?.linger ?? Effect.void
    const exitCode: ExitCode = failed.length === 0 ? 0 : 1
    return exitCode
  }).pipe(Effect.scoped, refusing)

const hasFailed = ({ outcome }: StoryReport): boolean => outcome !== "passed"
