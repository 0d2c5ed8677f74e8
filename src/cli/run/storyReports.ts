import { mkdir, stat } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import * as Effect from "effect/Effect"
import { badInput } from "../input/badInput.ts"
import { countText } from "../../kubernetes/meta/text/countText.ts"
import { loadPageAssets } from "../../reports/pageAssets.ts"
import { printDocument } from "../terminal/printDocument.ts"
import { CannotWrite, checkReplaceable, replaceFile } from "../../platform/replaceFile.ts"
import { storyJson } from "../../reports/storyJson.ts"
import { systemErrorText } from "../../platform/systemErrorText.ts"
import type { BadInput } from "../input/badInput.ts"
import type { SeededStory } from "./readStories.ts"
import type { ReportRecordings } from "../../reports/reportPage.ts"
import type { StoryReport } from "../../reports/storyReport.ts"

export type ReportFormat = "html" | "json" | "junit"

interface ReportWriter {
  readonly extension: string
  readonly textOf: (report: StoryReport, reportRecordings: ReportRecordings) => string
}

/** Imports libraries only for the formats that need them. */
const writerOf = Effect.fnUntraced(function* (
  format: ReportFormat
): Effect.fn.Return<ReportWriter, BadInput> {
  switch (format) {
    case "json":
      return { extension: ".json", textOf: storyJson }
    case "junit": {
      const { storyJunit } = yield* Effect.promise(() => import("../../reports/storyJunit.ts"))
      return { extension: ".xml", textOf: storyJunit }
    }
    case "html": {
      const pageAssets = yield* Effect.promise(loadPageAssets)
      const { storyHtml } = yield* Effect.promise(() => import("../../reports/storyHtml.ts"))
      return {
        extension: ".html",
        textOf: (report, reportRecordings) => storyHtml(report, { reportRecordings, pageAssets })
      }
    }
  }
})

interface WrittenFiles {
  readonly paths: ReadonlyArray<string>
  /** Undefined without a shrunk story that YAML can express. */
  readonly shrunkFileOf: (report: StoryReport) => string | undefined
}

interface PreparedReports {
  /** The report is the output: nothing else may be printed. */
  readonly isPrinted: boolean
  readonly needRecordings: boolean
  readonly write: (
    storyReports: ReadonlyArray<StoryReport>,
    recorded: ReadonlyMap<StoryReport, ReportRecordings>
  ) => Effect.Effect<WrittenFiles, BadInput>
}

const nothingRecorded: ReportRecordings = { recordings: [], leftOutTexts: [] }

/** Checks before the runs that every report can be written. */
export const prepareReports = Effect.fnUntraced(function* (
  options: { readonly reports: ReadonlyArray<ReportFormat>; readonly out: string | undefined },
  stories: ReadonlyArray<SeededStory>
): Effect.fn.Return<PreparedReports, BadInput> {
  const { out } = options
  const formats = [...new Set(options.reports)]
  const needRecordings = formats.includes("html")
  if (out === undefined && (formats.length > 1 || (formats.length === 1 && stories.length !== 1)))
    return yield* badInput(
      `--report without --out prints one report of one story, and these are ${countText(formats.length, "report")} ` +
        `of ${countText(stories.length, "story", "stories")}: say with --out which folder they go to`
    )
  if (out !== undefined) yield* checkUniqueNames(stories)
  const writers = yield* Effect.forEach(formats, writerOf)
  if (out !== undefined) {
    yield* prepareFolder(out, stories, writers)
    const write: PreparedReports["write"] = (storyReports, recorded) =>
      writeAll({ out, writers, storyReports, recorded })
    return { isPrinted: false, needRecordings, write }
  }
  const write: PreparedReports["write"] = (storyReports, recorded) =>
    Effect.gen(function* () {
      for (const report of storyReports)
        for (const { textOf } of writers)
          yield* printDocument(textOf(report, recorded.get(report) ?? nothingRecorded))
      return { paths: [], shrunkFileOf: () => undefined }
    })
  return { isPrinted: writers.length > 0, needRecordings, write }
})

const fileNameOf = (name: string): string => {
  const base = name
    .replaceAll(/[^\p{L}\p{N}]+/gu, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 100)
  return base === "" ? "story" : base
}

const checkUniqueNames = Effect.fnUntraced(function* (stories: ReadonlyArray<SeededStory>) {
  const fileByName = new Map<string, string>()
  const lines: Array<string> = []
  for (const { source, story } of stories) {
    const base = fileNameOf(story.name)
    // Some file systems ignore case.
    const key = base.toLowerCase()
    const otherFile = fileByName.get(key)
    if (otherFile === undefined) fileByName.set(key, source.file)
    else
      lines.push(
        `${otherFile} and ${source.file} would write the same report, ${base}: give one another name`
      )
  }
  if (lines.length > 0) return yield* badInput(...lines)
})

const prepareFolder = Effect.fnUntraced(function* (
  out: string,
  stories: ReadonlyArray<SeededStory>,
  writers: ReadonlyArray<ReportWriter>
) {
  yield* Effect.tryPromise({
    try: async () => {
      await makeFolder(resolve(out))
      // Some folders have a mode that allows writes, and refuse them.
      checkReplaceable(join(out, "report"))
    },
    catch: (cause) =>
      badInput(`--out ${JSON.stringify(out)}: nothing can be written there: ${writeErrorText(cause)}`)
  })
  const paths = stories.flatMap(({ story }) => [
    ...writers.map(({ extension }) => pathOf(out, story.name, extension)),
    pathOf(out, story.name, shrunkExtension)
  ])
  for (const path of paths) {
    const stats = yield* Effect.promise(() => stat(path).catch(() => undefined))
    if (stats !== undefined && !stats.isFile())
      return yield* badInput(`--out: ${JSON.stringify(path)} is no file, so no report can be written there`)
  }
})

const writeErrorText = (cause: unknown): string =>
  cause instanceof CannotWrite ? cause.why : systemErrorText(cause)

/** Does not use the `recursive` option, with which mkdir never returns where no folder can be made (in /proc). */
const makeFolder = async (path: string): Promise<void> => {
  if ((await stat(path).catch(() => undefined)) !== undefined) return
  if (dirname(path) !== path) await makeFolder(dirname(path))
  await mkdir(path).catch(async (cause: unknown) => {
    if ((await stat(path).catch(() => undefined))?.isDirectory() !== true) throw cause
  })
}

const shrunkExtension = ".shrunk.yaml"
const pathOf = (out: string, name: string, extension: string): string =>
  join(out, `${fileNameOf(name)}${extension}`)

const writeAll = Effect.fnUntraced(function* ({
  out,
  writers,
  storyReports,
  recorded
}: {
  readonly out: string
  readonly writers: ReadonlyArray<ReportWriter>
  readonly storyReports: ReadonlyArray<StoryReport>
  readonly recorded: ReadonlyMap<StoryReport, ReportRecordings>
}): Effect.fn.Return<WrittenFiles, BadInput> {
  const shrunkFileOf = ({ story, shrunk }: StoryReport): string | undefined =>
    shrunk?.isRunnable !== true ? undefined : pathOf(out, story, shrunkExtension)
  const files = storyReports.flatMap((report) => {
    const shrunkFile = shrunkFileOf(report)
    return [
      ...writers.map(({ extension, textOf }) => {
        const text = textOf(report, recorded.get(report) ?? nothingRecorded)
        return [pathOf(out, report.story, extension), text] as const
      }),
      ...(shrunkFile === undefined ? [] : [[shrunkFile, report.shrunk?.yaml ?? ""] as const])
    ]
  })
  for (const [path, text] of files) {
    yield* Effect.try({
      try: () => replaceFile(path, text),
      catch: (cause) => badInput(`${JSON.stringify(path)} cannot be written: ${writeErrorText(cause)}`)
    })
  }
  return { paths: files.map(([path]) => path), shrunkFileOf }
})
