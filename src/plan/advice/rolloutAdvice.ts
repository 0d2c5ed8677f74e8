import type { ChangeTexts } from "./changeTexts.ts"
import type { RolloutFigures } from "../rolloutFigures.ts"

export interface AdvisedChange extends ChangeTexts {
  readonly with: VariantFigures
  /** The figures of the same seeds, played without the change. */
  readonly without: VariantFigures
  /** Whether the change first helps the next rollout, since running Pods lack it. */
  readonly fromNextRollout: boolean
}

export interface PlayedAdvice extends AdvisedChange {
  readonly text: string
  /** Whether the change helps only together with the advice before it. */
  readonly needsOthers: boolean
}

export interface VariantFigures extends Pick<
  RolloutFigures,
  "desired" | "duration" | "late" | "stuck" | "available" | "requests"
> {
  readonly seeds: ReadonlyArray<number>
}

export interface RolloutAdvice {
  readonly advice: ReadonlyArray<PlayedAdvice>
  /** All changes of `advice` as one; undefined if there are not several. */
  readonly together: AdvisedChange | undefined
  readonly remarks: ReadonlyArray<string>
}

export const emptyAdvice: RolloutAdvice = { advice: [], together: undefined, remarks: [] }
