import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { deserialize, serialize } from "node:v8"
import * as Effect from "effect/Effect"
import { CannotWrite, replaceFile } from "../../../platform/replaceFile.ts"
import { badInput } from "../../input/badInput.ts"
import { isFields } from "../../../kubernetes/meta/fields.ts"
import { packageVersion } from "../../../generated/packageVersion.ts"
import { shareText } from "./share.ts"
import type { BadInput } from "../../input/badInput.ts"
import type { PlanCommandOptions } from "../planCommandOptions.ts"
import type { PlayedSeeds } from "../playSeedsOnAllCores.ts"
import type { Share } from "./share.ts"

/** What one process has played of a plan. */
export interface SharedRuns {
  readonly format: typeof runsFormat
  readonly version: string
  readonly share: Share
  /** Of all that the runs depend on, apart from their seeds: only runs of one plan can be merged. */
  readonly fingerprint: string
  /** The flags, with which a merge reads the manifests again. */
  readonly options: PlanCommandOptions
  readonly environments: ReadonlyArray<{
    readonly after: PlayedSeeds
    readonly before: PlayedSeeds | undefined
  }>
}

/** The runs have maps, sets and bigints: they are written as Node's structured clones, and read by nothing else. */
const runsFormat = "charthouse plan runs 1"
const extension = ".runs"

export const writeRuns = (
  folder: string,
  runs: Omit<SharedRuns, "format" | "version">
): Effect.Effect<string, BadInput> => {
  const file = join(folder, `${runs.share.index}-of-${runs.share.count}${extension}`)
  const whole: SharedRuns = { format: runsFormat, version: packageVersion, ...runs }
  return Effect.try({
    try: () => {
      replaceFile(file, serialize(whole).toString("base64"))
      return file
    },
    catch: (cause) =>
      badInput(cause instanceof CannotWrite ? cause.message : `${JSON.stringify(file)} cannot be written`)
  })
}

/** Reads the files of a folder. Fails unless they are all parts of one plan. */
export const readRuns = Effect.fnUntraced(function* (
  folder: string
): Effect.fn.Return<readonly [SharedRuns, ...ReadonlyArray<SharedRuns>], BadInput> {
  const names = yield* Effect.try({
    try: () => readdirSync(folder).filter((name) => name.endsWith(extension)),
    catch: () => badInput(`the folder ${JSON.stringify(folder)} cannot be read`)
  })
  const files = yield* Effect.forEach(names, (name) => readRunsFile(join(folder, name)))
  const [first, ...others] = files.toSorted((a, b) => a.share.index - b.share.index)
  if (first === undefined)
    return yield* badInput(`the folder ${JSON.stringify(folder)} has no file of plan --shard --runs`)
  const different = others.find(
    (it) => it.fingerprint !== first.fingerprint || it.share.count !== first.share.count
  )
  if (different !== undefined)
    return yield* badInput(
      `the runs ${shareText(first.share)} and ${shareText(different.share)} are not of the same plan`
    )
  const { count } = first.share
  const indexes = new Set(files.map(({ share }) => share.index))
  const missing = Array.from({ length: count }, (_, index) => index + 1).filter((it) => !indexes.has(it))
  return missing.length === 0
    ? [first, ...others]
    : yield* badInput(`of ${count} shards, the runs of ${missing.join(", ")} are missing`)
})

const readRunsFile = (file: string): Effect.Effect<SharedRuns, BadInput> =>
  Effect.gen(function* () {
    const content = yield* Effect.try({
      try: (): unknown => deserialize(Buffer.from(readFileSync(file, "utf8"), "base64")),
      catch: () => badInput(`${JSON.stringify(file)} is no file of plan --shard --runs`)
    })
    if (!isFields(content) || content["format"] !== runsFormat)
      return yield* badInput(`${JSON.stringify(file)} is no file of plan --shard --runs`)
    // Runs of another version may differ in all that this one decides.
    return content["version"] === packageVersion
      ? (content as unknown as SharedRuns)
      : yield* badInput(
          `${JSON.stringify(file)} was written by charthouse ${String(content["version"])}, this is ${packageVersion}`
        )
  })
