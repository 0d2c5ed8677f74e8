import * as Effect from "effect/Effect"
import { plannedWorkloads } from "../seeds/playSeed.ts"
import { playAutoscaledSizes } from "./autoscaledSizes.ts"
import { searchStartLimits } from "./startLimits.ts"
import type { AutoscaledSizes } from "./autoscaledSizes.ts"
import type { PlanWorld, PlaySeed } from "../seeds/playSeed.ts"
import type { StartLimits, StartQuestion } from "./startLimits.ts"

/** What becomes of the rollouts where Pods start more slowly, and where autoscalers have chosen another size. */
export interface WhatIf {
  readonly startLimits: StartLimits
  readonly sizes: AutoscaledSizes
}

export const nothingAsked: WhatIf = { startLimits: new Map(), sizes: new Map() }

/** `play` plays the seeds of `world`. */
export const playWhatIf = (
  world: PlanWorld,
  play: PlaySeed,
  question: StartQuestion
): Effect.Effect<WhatIf, Effect.Error<ReturnType<PlaySeed>>> =>
  Effect.all({
    startLimits: searchStartLimits(play, { ...question, planned: plannedWorkloads(world) }),
    sizes: playAutoscaledSizes(world, question.seed)
  })

export const mergeWhatIfs = (parts: ReadonlyArray<WhatIf>): WhatIf => ({
  startLimits: new Map(parts.flatMap(({ startLimits }) => [...startLimits])),
  sizes: new Map(parts.flatMap(({ sizes }) => [...sizes]))
})
