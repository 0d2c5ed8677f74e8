import { createHash } from "node:crypto"
import * as Effect from "effect/Effect"
import { badInput } from "../../input/badInput.ts"
import { readRuns } from "./runsFile.ts"
import { restartedWorld } from "../../../plan/base/restartedWorld.ts"
import { mergeWhatIfs } from "../../../plan/whatIf/whatIf.ts"
import type { BadInput } from "../../input/badInput.ts"
import type { PlanCommandOptions } from "../planCommandOptions.ts"
import type { PlanRequest } from "../readPlanRequest.ts"
import type { PlayedEnvironment } from "../writeReports.ts"
import type { PlayedSeeds } from "../playSeedsOnAllCores.ts"
import type { SharedRuns } from "./runsFile.ts"

/** The folder of `charthouse plan merge DIR`. */
export const mergedFolder = ({ names, runs }: PlanCommandOptions): string | undefined => {
  const [verb, folder, ...others] = names
  return verb === "merge" && folder !== undefined && others.length === 0 && runs === undefined
    ? folder
    : undefined
}

/** Of all that runs depend on, as text. */
export const fingerprintOf = (
  { environments, base }: PlanRequest,
  { seeds, startFactor }: { readonly seeds: ReadonlyArray<number>; readonly startFactor: number | undefined }
): string => {
  const worlds = environments.map(({ name, world }) => {
    const { next, from = [], warnings: _warnings, ...rest } = world
    const fieldsOf = (documents: typeof next) => documents.map(({ rawFields }) => rawFields)
    return { name, next: fieldsOf(next), from: fieldsOf(from), ...rest }
  })
  const text = JSON.stringify({ worlds, base: base?.commit, seeds, startFactor })
  return createHash("sha256").update(text).digest("hex")
}

/** The runs of all shards, in the order in which one process would have played them. */
export const mergeRuns = (
  { environments, base }: PlanRequest,
  seeds: ReadonlyArray<number>,
  files: ReadonlyArray<SharedRuns>
): ReadonlyArray<PlayedEnvironment> =>
  environments.map(({ name, world }, index) => {
    const parts = files.flatMap((file) => file.environments[index] ?? [])
    const worldBefore = base === undefined ? undefined : restartedWorld(world)
    return {
      name,
      world,
      ...mergeSeeds(
        seeds,
        parts.map(({ after }) => after)
      ),
      before:
        worldBefore === undefined
          ? undefined
          : {
              world: worldBefore,
              ...mergeSeeds(
                seeds,
                parts.flatMap(({ before }) => before ?? [])
              )
            }
    }
  })

const mergeSeeds = (seeds: ReadonlyArray<number>, parts: ReadonlyArray<PlayedSeeds>): PlayedSeeds => {
  const runs = new Map(parts.flatMap(({ played }) => played.map((run) => [run.seed, run] as const)))
  return {
    played: seeds.flatMap((seed) => runs.get(seed) ?? []),
    whatIf: mergeWhatIfs(parts.map(({ whatIf }) => whatIf))
  }
}

/** The flags of a merge: what is planned is that of the shards, what is printed and how is said now. */
export const readMerge = Effect.fnUntraced(function* (
  flags: PlanCommandOptions,
  folder: string
): Effect.fn.Return<
  { readonly files: ReadonlyArray<SharedRuns>; readonly options: PlanCommandOptions },
  BadInput
> {
  if (flags.share !== undefined) return yield* badInput("--shard has no part in plan merge")
  const files = yield* readRuns(folder)
  const { outputs, verbose } = flags
  return {
    files,
    options: { ...files[0].options, outputs, verbose, names: [], share: undefined, runs: undefined }
  }
})
