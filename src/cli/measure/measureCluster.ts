import { existsSync } from "node:fs"
import * as Effect from "effect/Effect"
import { ageText } from "../../server/tables/tableColumn.ts"
import { badInput, reportBadInput } from "../input/badInput.ts"
import { CannotWrite, replaceFile } from "../../platform/replaceFile.ts"
import { countText } from "../../kubernetes/meta/text/countText.ts"
import { measureImages } from "../../plan/live/measuredImages.ts"
import { printLines, printToStderr } from "../terminal/terminal.ts"
import { readMeasuredCluster } from "./readMeasuredCluster.ts"
import { readSettings } from "../../plan/settings/readSettings.ts"
import { readTextFiles } from "../input/textFiles.ts"
import { spanText } from "../../plan/live/measuredPods.ts"
import { tableLines } from "../terminal/tableLines.ts"
import { timestampOf } from "../../kubernetes/meta/amounts/timestamps.ts"
import { writeAssumptions } from "../../plan/settings/writeAssumptions.ts"
import type { BadInput } from "../input/badInput.ts"
import type { ExitCode } from "../terminal/exitCode.ts"
import type { MeasuredImage } from "../../plan/live/measuredImages.ts"

export interface MeasureOptions {
  /** A kubeconfig file; kubectl's if undefined or `live`. */
  readonly kubeconfig: string | undefined
  readonly context: string | undefined
  readonly namespace: string | undefined
  readonly allNamespaces: boolean
  readonly settings: string
}

export const measureCluster = (options: MeasureOptions): Effect.Effect<ExitCode> =>
  Effect.gen(function* () {
    const { settings: file } = options
    const text = yield* readValidSettings(file)
    const { cluster, nowMillis, scopeText, warnings } = yield* readMeasuredCluster(options)
    for (const warning of warnings) printToStderr(`warning: ${warning}`)
    const images = measureImages(cluster)
    if (images.length === 0) {
      const found = countText(cluster.pods.length, "Pod")
      printToStderr(`${scopeText}: of ${found}, none is ready without a restart, so that nothing is measured`)
      return 1
    }
    yield* writeText(file, writeAssumptions(text, images))
    printLines(measurementLines(images, nowMillis))
    // `glob` matches an image with any tag.
    for (const { glob, podCount } of images.filter((it) => it.podCount < podsEnough))
      printToStderr(
        `warning: the times of ${glob} rest on ${countText(podCount, "Pod")}: measure again when there are more`
      )
    printToStderr(`${file}: ${countText(images.length, "image")} measured in ${scopeText}`)
    return 0
  }).pipe(reportBadInput)

/** Among fewer Pods, there may be none with a slow start. */
const podsEnough = 3

/** Undefined without a file. Only `charthouse plan` refuses expired entries. */
const readValidSettings = Effect.fnUntraced(function* (
  file: string
): Effect.fn.Return<string | undefined, BadInput> {
  if (!existsSync(file)) return undefined
  const [{ text } = { text: "" }] = yield* readTextFiles([file])
  const dateBeforeEveryExpiry = ""
  const result = readSettings(text, file, dateBeforeEveryExpiry)
  return result.ok ? text : yield* badInput(...result.problems)
})

const writeText = (file: string, text: string): Effect.Effect<void, BadInput> =>
  Effect.try({
    try: () => replaceFile(file, text),
    catch: (cause) => badInput(cause instanceof CannotWrite ? cause.message : String(cause))
  })

const measurementLines = (images: ReadonlyArray<MeasuredImage>, nowMillis: number): ReadonlyArray<string> =>
  tableLines([
    ["IMAGE", "PODS", "PULL", "START", "READY", "AGE", "OF"],
    ...images.map(({ glob, podCount, pull, start, includesPull, ready, newestMillis, owners }) => [
      glob,
      String(podCount),
      pull === undefined ? (includesPull ? "in start" : "none") : spanText(pull),
      spanText(start),
      ready === undefined ? "no probe" : spanText(ready),
      ageText(timestampOf(newestMillis), nowMillis),
      owners.join(", ")
    ])
  ])
