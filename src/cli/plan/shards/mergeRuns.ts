import { createHash } from "node:crypto"
import * as Effect from "effect/Effect"
import { adviseOnAllCores, noAdvice } from "../playSeedsOnAllCores.ts"
import type { ManifestsRefused } from "../../../manifests/manifestsRefused.ts"
import { badInput } from "../../input/badInput.ts"
import { readRuns } from "./runsFile.ts"
import { restartOfBase } from "../../../plan/base/restartOfBase.ts"
import { mergeWhatIfs } from "../../../plan/whatIf/whatIf.ts"
import type { BadInput } from "../../input/badInput.ts"
import type { PlanCommandOptions } from "../planCommandOptions.ts"
import type { PlanRequest } from "../readPlanRequest.ts"
import type { PlayedEnvironment } from "../judgeEnvironment.ts"
import type { SeedsOfShare } from "../playSeedsOnAllCores.ts"
import type { RunsOfShard } from "./runsFile.ts"

/** Undefined unless the command is `plan merge PATH`. */
export const pathToMerge = ({ names, runs }: PlanCommandOptions): string | undefined => {
  const [verb, path, ...otherNames] = names
  return verb === "merge" && path !== undefined && otherNames.length === 0 && runs === undefined
    ? path
    : undefined
}

/** A hash of everything that runs depend on: it must be equal in all merged shards. */
export const fingerprintOf = (
  { environments, base }: PlanRequest,
  { seeds, startFactor }: { readonly seeds: ReadonlyArray<number>; readonly startFactor: number | undefined }
): string => {
  const inputs = environments.map(({ name, input }) => {
    const { next, from = [], warnings: _warnings, refused: _refused, ...rest } = input
    const fieldsOf = (documents: typeof next) => documents.map(({ rawFields }) => rawFields)
    return { name, next: fieldsOf(next), from: fieldsOf(from), ...rest }
  })
  const text = JSON.stringify({ inputs, base: base?.commit, seeds, startFactor })
  return createHash("sha256").update(text).digest("hex")
}

/** Merges the runs of all shards in the order of the seeds, then plays advised changes. */
export const mergeRuns = Effect.fnUntraced(function* (
  { environments, base }: PlanRequest,
  seeds: ReadonlyArray<number>,
  files: ReadonlyArray<RunsOfShard>
): Effect.fn.Return<ReadonlyArray<PlayedEnvironment>, ManifestsRefused | BadInput> {
  return yield* Effect.forEach(environments, ({ name, input }, index) => {
    const parts = files.flatMap((file) => file.environments[index] ?? [])
    const restartInput = base === undefined ? undefined : restartOfBase(input)
    const after = mergeSeeds(
      seeds,
      parts.map((part) => part.after)
    )
    const playAdvice =
      after.played.length === 0 ? Effect.succeed(noAdvice) : adviseOnAllCores(input, after.played)
    return Effect.map(playAdvice, (adviceById) => ({
      name,
      input,
      ...after,
      adviceById,
      before:
        restartInput === undefined
          ? undefined
          : {
              input: restartInput,
              ...mergeSeeds(
                seeds,
                parts.flatMap(({ before }) => before ?? [])
              ),
              adviceById: noAdvice
            }
    }))
  })
})

const mergeSeeds = (seeds: ReadonlyArray<number>, parts: ReadonlyArray<SeedsOfShare>): SeedsOfShare => {
  const runs = new Map(parts.flatMap(({ played }) => played.map((run) => [run.seed, run] as const)))
  return {
    played: seeds.flatMap((seed) => runs.get(seed) ?? []),
    whatIf: mergeWhatIfs(parts.map(({ whatIf }) => whatIf))
  }
}

/** Without manifests, the flags of the shards say what is planned. */
export const readMerge = Effect.fnUntraced(function* (
  flags: PlanCommandOptions,
  path: string
): Effect.fn.Return<
  { readonly files: ReadonlyArray<RunsOfShard>; readonly options: PlanCommandOptions },
  BadInput
> {
  if (flags.shard !== undefined) return yield* badInput("--shard has no part in plan merge")
  if (flags.jobImage !== undefined) return yield* badInput("--as-job has no part in plan merge")
  const files = yield* readRuns(path)
  const { outputs, verbose, kustomizations, helmCharts } = flags
  const areManifestsGiven = flags.files.length + kustomizations.length + helmCharts.length > 0
  const planned = areManifestsGiven ? flags : (files[0].options ?? flags)
  return { files, options: { ...planned, outputs, verbose, names: [], shard: undefined, runs: undefined } }
})
