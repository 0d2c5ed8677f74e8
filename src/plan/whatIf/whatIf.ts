import * as Effect from "effect/Effect"
import { workloadsAmong } from "../workloads.ts"
import { playAutoscaledSizes } from "./autoscaledSizes.ts"
import { searchStartLimits } from "./startLimits.ts"
import { playSteeredFailures } from "./steeredFailures.ts"
import type { AutoscaledSizes } from "./autoscaledSizes.ts"
import type { PlanInput, PlaySeed } from "../seeds/playSeed.ts"
import type { SteeredFailures } from "./steeredFailures.ts"
import type { StartLimits, SlowedSeed } from "./startLimits.ts"

/** Each map has only the workloads for which its kind of run can be played. */
export interface WhatIf {
  /** How slow the starts of Pods may become. */
  readonly startLimits: StartLimits
  readonly sizes: AutoscaledSizes
  readonly failures: SteeredFailures
}

export const noWhatIf: WhatIf = { startLimits: new Map(), sizes: new Map(), failures: new Map() }

export const playWhatIf = (
  input: PlanInput,
  play: PlaySeed,
  slowedSeed: SlowedSeed
): Effect.Effect<WhatIf, Effect.Error<ReturnType<PlaySeed>>> =>
  Effect.all({
    startLimits: searchStartLimits(play, { ...slowedSeed, planned: workloadsAmong(input.next) }),
    sizes: playAutoscaledSizes(input, slowedSeed.seed),
    failures: playSteeredFailures(input, play, slowedSeed.seed)
  })

export const mergeWhatIfs = (parts: ReadonlyArray<WhatIf>): WhatIf => ({
  startLimits: new Map(parts.flatMap(({ startLimits }) => [...startLimits])),
  sizes: new Map(parts.flatMap(({ sizes }) => [...sizes])),
  failures: new Map(parts.flatMap(({ failures }) => [...failures]))
})
