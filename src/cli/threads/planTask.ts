import * as Effect from "effect/Effect"
import { servedKindOf } from "../../kubernetes/meta/kinds.ts"
import { makeSeedPlayer } from "../../plan/seeds/playSeed.ts"
import type { ManifestDocument, ManifestProblem } from "../../manifests/manifestDocument.ts"
import type { PlanWorld, PlayOptions, SeedRun } from "../../plan/seeds/playSeed.ts"
import { playWhatIf } from "../../plan/whatIf/whatIf.ts"
import type { StartQuestion } from "../../plan/whatIf/startLimits.ts"
import type { WhatIf } from "../../plan/whatIf/whatIf.ts"
import type { SeedTask } from "../../plan/planRollout.ts"

/** A `PlanWorld` that can be cloned to a thread; the thread adds the kinds and functions of documents again. */
export interface SentPlanWorld {
  readonly world: Omit<PlanWorld, "next" | "from" | "strategies">
  readonly next: ReadonlyArray<SentDocument>
  readonly from: ReadonlyArray<SentDocument> | undefined
}

type SentDocument = Omit<ManifestDocument, "kind" | "placeOf">

export type PlanJob =
  | (SeedTask & Pick<PlayOptions, "isRecorded" | "changes">)
  | { readonly whatIf: StartQuestion }

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
  const kind = servedKindOf(document.draft)
  return kind === undefined ? [] : [{ ...document, kind, placeOf: () => document }]
}

export const beginPlanTask = ({
  world,
  next,
  from
}: SentPlanWorld): ((job: PlanJob) => Effect.Effect<PlanJobResult>) => {
  const planWorld: PlanWorld = {
    ...world,
    next: next.flatMap(fromSentDocument),
    ...(from === undefined ? {} : { from: from.flatMap(fromSentDocument) })
  }
  const play = makeSeedPlayer(planWorld)
  const doJob = (job: PlanJob) => {
    if ("whatIf" in job)
      return Effect.map(playWhatIf(planWorld, play, job.whatIf), (whatIf): PlanJobResult => ({ whatIf }))
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
