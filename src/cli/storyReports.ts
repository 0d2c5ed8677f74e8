import { mkdir, rm, stat, writeFile } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import * as Effect from "effect/Effect"
import { BadInput } from "./input.ts"
import { counted } from "../domain/counted.ts"
import { junit } from "../reports/junit.ts"
import { storyHtml } from "../reports/storyHtml.ts"
import { storyJson } from "../reports/storyJson.ts"
import { wordsOf } from "../wordsOf.ts"
import type { StoriesOptions, Told } from "./stories.ts"
import type { StoryReport } from "../reports/storyReport.ts"

export type Report = keyof typeof reports

/** Every kind of report: how its file's name ends, and what is in it. */
const reports = {
  html: { ending: ".html", textOf: storyHtml },
  json: { ending: ".json", textOf: storyJson },
  junit: { ending: ".xml", textOf: junit }
} as const

/** What was written, by the names of the files. */
interface Written {
  readonly names: ReadonlyArray<string>
  readonly shrunkFileOf: (report: StoryReport) => string | undefined
}

interface ReportPlan {
  /** Whether a report is what is printed, so that nothing else may be. */
  readonly isPrinted: boolean
  readonly write: (all: ReadonlyArray<StoryReport>) => Effect.Effect<Written, BadInput>
}

/** Sees before anything is played that every report has a place of its own that can be written. */
export const planReports = Effect.fnUntraced(function* (
  options: Pick<StoriesOptions, "reports" | "out">,
  told: ReadonlyArray<Told>
): Effect.fn.Return<ReportPlan, BadInput> {
  const { out } = options
  const kinds = [...new Set(options.reports)]
  const [kind, another] = kinds
  if (out !== undefined) {
    yield* refuseTwins(told)
    yield* openFolder(out, told, kinds)
    return { isPrinted: false, write: (all) => writeAll(out, kinds, all) }
  }
  if (kind === undefined)
    return { isPrinted: false, write: () => Effect.succeed({ names: [], shrunkFileOf: () => undefined }) }
  if (another !== undefined || told.length !== 1)
    return yield* refused(
      `--report without --out prints one report of one story, and these are ${counted(kinds.length, "report")} ` +
        `of ${counted(told.length, "story", "stories")}: say with --out which folder they go to`
    )
  return {
    isPrinted: true,
    write: (all) =>
      Effect.sync(() => {
        for (const report of all) process.stdout.write(reports[kind].textOf(report))
        return { names: [], shrunkFileOf: () => undefined }
      })
  }
})

const refused = (...lines: ReadonlyArray<string>): BadInput =>
  new BadInput({ lines: lines.map((line) => `error: ${line}`) })

/** The name of a story as a file can have it. */
const baseOf = (name: string): string => {
  const base = name
    .replaceAll(/[^\p{L}\p{N}]+/gu, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 100)
  return base === "" ? "story" : base
}

const refuseTwins = Effect.fnUntraced(function* (told: ReadonlyArray<Told>) {
  const first = new Map<string, string>()
  const lines: Array<string> = []
  for (const { source, story } of told) {
    const base = baseOf(story.name)
    // Letters that differ in size alone are one on some machines.
    const place = base.toLowerCase()
    const twin = first.get(place)
    if (twin === undefined) first.set(place, source.file)
    else lines.push(`${twin} and ${source.file} would write the same report, ${base}: give one another name`)
  }
  if (lines.length > 0) return yield* refused(...lines)
})

/** Makes the folder, and sees that files can be put there; nothing is written yet. */
const openFolder = Effect.fnUntraced(function* (
  out: string,
  told: ReadonlyArray<Told>,
  kinds: ReadonlyArray<Report>
) {
  yield* Effect.tryPromise({
    try: async () => {
      await makeFolder(resolve(out))
      // Some folders say that they can be written to, and cannot.
      const trial = join(out, `.charthouse-${process.pid}`)
      await writeFile(trial, "")
      await rm(trial)
    },
    catch: (cause) => refused(`--out ${JSON.stringify(out)}: nothing can be written there: ${wordsOf(cause)}`)
  })
  const paths = told.flatMap(({ story }) => [
    ...kinds.map((kind) => pathOf(out, story.name, reports[kind].ending)),
    pathOf(out, story.name, shrunkEnding)
  ])
  for (const path of paths) {
    const there = yield* Effect.promise(() => stat(path).catch(() => undefined))
    if (there !== undefined && !there.isFile())
      return yield* refused(
        `--out: ${JSON.stringify(path)} is there and is no file, so that no report can be`
      )
  }
})

/** Level by level: all at once Node never ends where a folder of the system refuses, as /proc does. */
const makeFolder = async (path: string): Promise<void> => {
  if ((await stat(path).catch(() => undefined)) !== undefined) return
  if (dirname(path) !== path) await makeFolder(dirname(path))
  await mkdir(path).catch(async (cause: unknown) => {
    // Somebody else may have made it meanwhile.
    if ((await stat(path).catch(() => undefined))?.isDirectory() !== true) throw cause
  })
}

const shrunkEnding = ".shrunk.yaml"
const pathOf = (out: string, name: string, ending: string): string => join(out, `${baseOf(name)}${ending}`)

const writeAll = Effect.fnUntraced(function* (
  out: string,
  kinds: ReadonlyArray<Report>,
  all: ReadonlyArray<StoryReport>
): Effect.fn.Return<Written, BadInput> {
  const shrunkFileOf = ({ story, shrunk }: StoryReport): string | undefined =>
    shrunk?.isRunnable !== true ? undefined : pathOf(out, story, shrunkEnding)
  const files = all.flatMap((report) => {
    const shrunkFile = shrunkFileOf(report)
    return [
      ...kinds.map(
        (kind) => [pathOf(out, report.story, reports[kind].ending), reports[kind].textOf(report)] as const
      ),
      ...(shrunkFile === undefined ? [] : [[shrunkFile, report.shrunk?.yaml ?? ""] as const])
    ]
  })
  for (const [path, text] of files) {
    yield* Effect.tryPromise({
      try: () => writeFile(path, text),
      catch: (cause) => refused(`${JSON.stringify(path)} cannot be written: ${wordsOf(cause)}`)
    })
  }
  return { names: files.map(([path]) => path), shrunkFileOf }
})
