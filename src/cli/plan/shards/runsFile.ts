import { mkdirSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { deserialize, serialize } from "node:v8"
import { gunzipSync, gzipSync } from "node:zlib"
import * as Effect from "effect/Effect"
import { CannotWrite, replaceFile } from "../../../platform/replaceFile.ts"
import { badInput } from "../../input/badInput.ts"
import { isFields } from "../../../kubernetes/meta/fields.ts"
import { packageVersion } from "../../../generated/packageVersion.ts"
import { readTextFiles } from "../../input/textFiles.ts"
import { shareText } from "./share.ts"
import type { BadInput } from "../../input/badInput.ts"
import type { PlanCommandOptions } from "../planCommandOptions.ts"
import type { SeedsOfShare } from "../playSeedsOnAllCores.ts"
import type { Share } from "./share.ts"
import type { TextFile } from "../../input/textFiles.ts"

export interface RunsOfShard {
  readonly format: typeof runsFormat
  readonly version: string
  readonly share: Share
  /** A hash of all that the runs depend on: only runs of one plan can be merged. */
  readonly fingerprint: string
  /** The flags, with which a merge reads the manifests again; undefined if the runs were printed. */
  readonly options: PlanCommandOptions | undefined
  /** The environments of charthouse.yaml, or the only one. */
  readonly environments: ReadonlyArray<{
    /** Runs of the change. */
    readonly after: SeedsOfShare
    /** With `--base`: restarts of the same workloads without the change. */
    readonly before: SeedsOfShare | undefined
  }>
}

/** Runs are written as Node's structured clones, since they have maps, sets and bigints. */
const runsFormat = "charthouse plan runs 2"
const extension = ".runs"
const beginning = "-----BEGIN CHARTHOUSE RUNS-----"
const ending = "-----END CHARTHOUSE RUNS-----"
const lineLength = 4000

/** Lines between two marks, which are found in a Pod's log, too. */
export const runsText = (runs: Omit<RunsOfShard, "format" | "version">): string => {
  const allFields: RunsOfShard = { format: runsFormat, version: packageVersion, ...runs }
  const code = gzipSync(serialize(allFields)).toString("base64")
  const lines = code.match(new RegExp(`.{1,${lineLength}}`, "g")) ?? []
  return [beginning, ...lines, ending, ""].join("\n")
}

export const writeRuns = (
  folder: string,
  { index, count }: Share,
  text: string
): Effect.Effect<string, BadInput> => {
  const file = join(folder, `${index}-of-${count}${extension}`)
  return Effect.try({
    try: () => {
      mkdirSync(folder, { recursive: true })
      replaceFile(file, text)
      return file
    },
    catch: (cause) =>
      badInput(cause instanceof CannotWrite ? cause.message : `${JSON.stringify(file)} cannot be written`)
  })
}

/** `path` is a folder of runs files, a file or standard input. Fails unless all runs are of one plan. */
export const readRuns = Effect.fnUntraced(function* (
  path: string
): Effect.fn.Return<readonly [RunsOfShard, ...ReadonlyArray<RunsOfShard>], BadInput> {
  const files = yield* readTextFiles(runsFilesAt(path))
  const all = (yield* Effect.forEach(files, runsIn)).flat()
  const runs = all.flatMap((it) => it ?? [])
  const [firstRuns, ...otherRuns] = runs.toSorted((a, b) => a.share.index - b.share.index)
  if (firstRuns === undefined)
    return yield* badInput(`${JSON.stringify(path)} has no runs of plan --shard --runs`)
  const differentRuns = otherRuns.find(
    (it) => it.fingerprint !== firstRuns.fingerprint || it.share.count !== firstRuns.share.count
  )
  if (differentRuns !== undefined)
    return yield* badInput(
      `the runs ${shareText(firstRuns.share)} and ${shareText(differentRuns.share)} are not of the same plan`
    )
  const { count } = firstRuns.share
  const indexes = new Set(runs.map(({ share }) => share.index))
  const missing = Array.from({ length: count }, (_, index) => index + 1).filter((it) => !indexes.has(it))
  if (missing.length === 0) return [firstRuns, ...otherRuns]
  const cutText = runs.length < all.length ? "; some runs are cut off, as those of a Pod that was ended" : ""
  return yield* badInput(`of ${count} shards, the runs of ${missing.join(", ")} are missing${cutText}`)
})

const runsFilesAt = (path: string): ReadonlyArray<string> => {
  try {
    const names = readdirSync(path).filter((name) => name.endsWith(extension))
    return names.map((name) => join(path, name))
  } catch {
    return [path]
  }
}

/** Undefined for runs that are cut off: another Pod may have played them again. */
const runsIn = ({
  name,
  text
}: TextFile): Effect.Effect<ReadonlyArray<RunsOfShard | undefined>, BadInput> => {
  const [, ...parts] = text.split(beginning)
  return parts.length === 0
    ? Effect.fail(badInput(`${JSON.stringify(name)} has no runs of plan --shard --runs`))
    : Effect.forEach(parts, (part) => decodeRuns(name, part))
}

const decodeRuns = (name: string, part: string): Effect.Effect<RunsOfShard | undefined, BadInput> =>
  Effect.gen(function* () {
    const [code = "", rest] = part.split(ending)
    if (rest === undefined) return undefined
    const content = yield* Effect.try({
      try: (): unknown => deserialize(gunzipSync(Buffer.from(code, "base64"))),
      catch: () => badInput(`the runs in ${JSON.stringify(name)} are damaged`)
    })
    if (!isFields(content) || content["format"] !== runsFormat)
      return yield* badInput(
        `the runs in ${JSON.stringify(name)} were not written by this version of charthouse`
      )
    // Another version of charthouse may play the same plan differently.
    return content["version"] === packageVersion
      ? (content as unknown as RunsOfShard)
      : yield* badInput(
          `${JSON.stringify(name)} was written by charthouse ${String(content["version"])}, this is ${packageVersion}`
        )
  })
