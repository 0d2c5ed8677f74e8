import { mkdir, stat } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import * as Effect from "effect/Effect"
import { badInput } from "./badInput.ts"
import { counted } from "../domain/counted.ts"
import { pageParts } from "./pageParts.ts"
import { print } from "./print.ts"
import { CannotWrite, checkReplaceable, replaceFile } from "../replaceFile.ts"
import { storyJson } from "../reports/storyJson.ts"
import { wordsOf } from "../wordsOf.ts"
import type { BadInput } from "./badInput.ts"
import type { Told } from "./readStories.ts"
import type { Recorded } from "../reports/reportPage.ts"
import type { StoryReport } from "../reports/storyReport.ts"

export type Report = "html" | "json" | "junit"

/** One kind of report: how its file's name ends, and what is in it. */
interface Writer {
  readonly ending: string
  readonly textOf: (report: StoryReport, recorded: Recorded) => string
}

/** What draws and what writes XML is loaded where it is asked for alone. */
const writerOf = Effect.fnUntraced(function* (kind: Report): Effect.fn.Return<Writer, BadInput> {
  switch (kind) {
    case "json":
      return { ending: ".json", textOf: storyJson }
    case "junit": {
      const { junit } = yield* Effect.promise(() => import("../reports/junit.ts"))
      return { ending: ".xml", textOf: junit }
    }
    case "html": {
      const parts = yield* pageParts
      const { storyHtml } = yield* Effect.promise(() => import("../reports/storyHtml.ts"))
      return { ending: ".html", textOf: (report, recorded) => storyHtml(report, { recorded, parts }) }
    }
  }
})

/** What was written, by the names of the files. */
interface Written {
  readonly names: ReadonlyArray<string>
  readonly shrunkFileOf: (report: StoryReport) => string | undefined
}

interface ReportPlan {
  /** Whether a report is what is printed, so that nothing else may be. */
  readonly isPrinted: boolean
  /** Whether a report has recordings in it. */
  readonly areWatched: boolean
  readonly write: (
    all: ReadonlyArray<StoryReport>,
    recorded: ReadonlyMap<StoryReport, Recorded>
  ) => Effect.Effect<Written, BadInput>
}

const nothingRecorded: Recorded = { recordings: [], leftOut: [] }

/** Sees before anything is played that every report has a place of its own that can be written. */
export const planReports = Effect.fnUntraced(function* (
  options: { readonly reports: ReadonlyArray<Report>; readonly out: string | undefined },
  told: ReadonlyArray<Told>
): Effect.fn.Return<ReportPlan, BadInput> {
  const { out } = options
  const kinds = [...new Set(options.reports)]
  const areWatched = kinds.includes("html")
  if (out === undefined && (kinds.length > 1 || (kinds.length === 1 && told.length !== 1)))
    return yield* badInput(
      `--report without --out prints one report of one story, and these are ${counted(kinds.length, "report")} ` +
        `of ${counted(told.length, "story", "stories")}: say with --out which folder they go to`
    )
  if (out !== undefined) yield* refuseTwins(told)
  const writers = yield* Effect.forEach(kinds, writerOf)
  if (out !== undefined) {
    yield* openFolder(out, told, writers)
    const write: ReportPlan["write"] = (all, recorded) => writeAll({ out, writers, all, recorded })
    return { isPrinted: false, areWatched, write }
  }
  const write: ReportPlan["write"] = (all, recorded) =>
    Effect.gen(function* () {
      for (const report of all)
        for (const { textOf } of writers)
          yield* print(textOf(report, recorded.get(report) ?? nothingRecorded))
      return { names: [], shrunkFileOf: () => undefined }
    })
  return { isPrinted: writers.length > 0, areWatched, write }
})

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
  if (lines.length > 0) return yield* badInput(...lines)
})

/** Makes the folder, and sees that files can be put there; nothing is written yet. */
const openFolder = Effect.fnUntraced(function* (
  out: string,
  told: ReadonlyArray<Told>,
  writers: ReadonlyArray<Writer>
) {
  yield* Effect.tryPromise({
    try: async () => {
      await makeFolder(resolve(out))
      // Some folders say that they can be written to, and cannot.
      checkReplaceable(join(out, "report"))
    },
    catch: (cause) => badInput(`--out ${JSON.stringify(out)}: nothing can be written there: ${whyOf(cause)}`)
  })
  const paths = told.flatMap(({ story }) => [
    ...writers.map(({ ending }) => pathOf(out, story.name, ending)),
    pathOf(out, story.name, shrunkEnding)
  ])
  for (const path of paths) {
    const there = yield* Effect.promise(() => stat(path).catch(() => undefined))
    if (there !== undefined && !there.isFile())
      return yield* badInput(
        `--out: ${JSON.stringify(path)} is there and is no file, so that no report can be`
      )
  }
})

const whyOf = (cause: unknown): string => (cause instanceof CannotWrite ? cause.why : wordsOf(cause))

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

const writeAll = Effect.fnUntraced(function* ({
  out,
  writers,
  all,
  recorded
}: {
  readonly out: string
  readonly writers: ReadonlyArray<Writer>
  readonly all: ReadonlyArray<StoryReport>
  readonly recorded: ReadonlyMap<StoryReport, Recorded>
}): Effect.fn.Return<Written, BadInput> {
  const shrunkFileOf = ({ story, shrunk }: StoryReport): string | undefined =>
    shrunk?.isRunnable !== true ? undefined : pathOf(out, story, shrunkEnding)
  const files = all.flatMap((report) => {
    const shrunkFile = shrunkFileOf(report)
    return [
      ...writers.map(({ ending, textOf }) => {
        const text = textOf(report, recorded.get(report) ?? nothingRecorded)
        return [pathOf(out, report.story, ending), text] as const
      }),
      ...(shrunkFile === undefined ? [] : [[shrunkFile, report.shrunk?.yaml ?? ""] as const])
    ]
  })
  for (const [path, text] of files) {
    yield* Effect.try({
      try: () => replaceFile(path, text),
      catch: (cause) => badInput(`${JSON.stringify(path)} cannot be written: ${whyOf(cause)}`)
    })
  }
  return { names: files.map(([path]) => path), shrunkFileOf }
})
