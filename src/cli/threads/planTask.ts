import * as Effect from "effect/Effect"
import { loadStrategies } from "../input/loadStrategies.ts"
import { servedKindOfObject } from "../../kubernetes/meta/kinds.ts"
import { makeSeedPlayer } from "../../plan/seeds/playSeed.ts"
import type { ManifestDocument, ManifestProblem } from "../../manifests/manifestDocument.ts"
import type { PlanInput, PlayOptions, SeedRun } from "../../plan/seeds/playSeed.ts"
import { playWhatIf } from "../../plan/whatIf/whatIf.ts"
import type { SlowedSeed } from "../../plan/whatIf/startLimits.ts"
import type { WhatIf } from "../../plan/whatIf/whatIf.ts"
import type { SeedTask } from "../../plan/planRollout.ts"

/** Threads load `strategies` and `steering` from the module themselves. */
export type PlanCommandInput = PlanInput & { readonly strategiesFile?: string }

/** Can be cloned to a thread, which adds kinds and functions again. The plan rolls out `next` over `from`. */
export interface SentPlanInput {
  readonly input: Omit<PlanCommandInput, "next" | "from" | "strategies" | "steering">
  readonly next: ReadonlyArray<SentDocument>
  readonly from: ReadonlyArray<SentDocument> | undefined
}

type SentDocument = Omit<ManifestDocument, "kind" | "placeOf">

/** Plays a seed, perhaps with changed manifests, or the what-if runs. */
export type PlanJob =
  | (SeedTask & Pick<PlayOptions, "isRecorded" | "changes">)
  | { readonly whatIf: SlowedSeed }

export type PlanJobResult =
  | { readonly run: SeedRun }
  | { readonly whatIf: WhatIf }
  | { readonly problems: ReadonlyArray<ManifestProblem> }

export const toSentDocument = ({
  kind: _kind,
  placeOf: _placeOf,
  ...document
}: ManifestDocument): SentDocument => document

const fromSentDocument = (document: SentDocument): ReadonlyArray<ManifestDocument> => {
  const kind = servedKindOfObject(document.draft)
  // `placeOf` is a function and was not sent: problems of fields are shown at the document.
  return kind === undefined ? [] : [{ ...document, kind, placeOf: () => document }]
}

export const beginPlanTask = async ({
  input: { strategiesFile, ...input },
  next,
  from
}: SentPlanInput): Promise<(job: PlanJob) => Effect.Effect<PlanJobResult>> => {
  const planInput: PlanInput = {
    ...input,
    ...(strategiesFile === undefined ? {} : await Effect.runPromise(loadStrategies(strategiesFile))),
    next: next.flatMap(fromSentDocument),
    ...(from === undefined ? {} : { from: from.flatMap(fromSentDocument) })
  }
  const play = makeSeedPlayer(planInput)
  const doJob = (job: PlanJob) => {
    if ("whatIf" in job)
      return Effect.map(playWhatIf(planInput, play, job.whatIf), (whatIf): PlanJobResult => ({ whatIf }))
    const { seed, ...options } = job
    return Effect.map(play(seed, options), (run): PlanJobResult => ({ run }))
  }
  return (job) =>
    doJob(job).pipe(
      // The command has validated options and behaviours.
      Effect.catchTag(["InvalidOptions", "UnknownBehaviour"], (problem) => Effect.die(problem)),
      Effect.catchTag("ManifestsRefused", ({ problems }) => Effect.succeed<PlanJobResult>({ problems }))
    )
}
