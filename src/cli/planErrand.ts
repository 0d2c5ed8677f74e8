import * as Effect from "effect/Effect"
import { servedKindOf } from "../domain/kinds.ts"
import { makePlay } from "../scenario/plan/planRun.ts"
import type { ManifestDocument, ManifestProblem } from "../manifests/manifest.ts"
import type { PlanWorld, SeedRun } from "../scenario/plan/planRun.ts"
import type { Turn } from "../scenario/plan/plan.ts"

/** A world as it can be sent to another thread: what is no data is made anew there. */
export interface SentWorld {
  readonly world: Omit<PlanWorld, "next" | "from" | "strategies">
  readonly next: ReadonlyArray<SentDocument>
  readonly from: ReadonlyArray<SentDocument> | undefined
}

type SentDocument = Omit<ManifestDocument, "kind" | "placeOf">

/** What came of one seed, or why its manifests are refused. */
export type PlanAnswer = { readonly run: SeedRun } | { readonly problems: ReadonlyArray<ManifestProblem> }

export const sentDocument = ({
  kind: _kind,
  placeOf: _placeOf,
  ...document
}: ManifestDocument): SentDocument => document

const received = (document: SentDocument): ReadonlyArray<ManifestDocument> => {
  const kind = servedKindOf(document.draft)
  return kind === undefined ? [] : [{ ...document, kind, placeOf: () => document }]
}

/** Plays the seeds of one world. */
export const beginPlanTask = ({
  world,
  next,
  from
}: SentWorld): ((turn: Turn & { readonly isRecorded?: boolean }) => Effect.Effect<PlanAnswer>) => {
  const whole: PlanWorld = {
    ...world,
    next: next.flatMap(received),
    ...(from === undefined ? {} : { from: from.flatMap(received) })
  }
  const play = makePlay(whole)
  return ({ seed, ...options }) =>
    play(seed, options).pipe(
      Effect.map((run): PlanAnswer => ({ run })),
      // The command line has checked its options.
      Effect.catchTag(["InvalidOptions", "UnknownBehaviour"], (problem) => Effect.die(problem)),
      Effect.catchTag("ManifestsRefused", ({ problems }) => Effect.succeed<PlanAnswer>({ problems }))
    )
}
