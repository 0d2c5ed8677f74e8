import type { ChangeTexts } from "./changeTexts.ts"
import type { RolloutFigures } from "../rolloutFigures.ts"

/** A change of the manifests that was played, and makes the rollout better. */
export interface AdvisedChange extends ChangeTexts {
  readonly with: VariantFigures
  /** With the same seeds. */
  readonly without: VariantFigures
  /** Whether the next rollout is the first that it helps: it is about how Pods stop, and those that run now lack it. */
  readonly fromNextRollout: boolean
}

export interface PlayedAdvice extends AdvisedChange {
  readonly text: string
  /** Whether it helps only beside the advice before it: all that was played together. */
  readonly needsOthers: boolean
}

/** Figures of a few seeds, as in the plan. */
export interface VariantFigures extends Pick<
  RolloutFigures,
  "desired" | "duration" | "late" | "stuck" | "available" | "requests"
> {
  readonly seeds: ReadonlyArray<number>
}

export interface AdvisedRollout {
  readonly advice: ReadonlyArray<PlayedAdvice>
  /** All the advice at once, if there are several. */
  readonly together: AdvisedChange | undefined
  /** What else is to be known about the manifest: following it is not played, or is in no figure. */
  readonly remarks: ReadonlyArray<string>
}

export const nothingAdvised: AdvisedRollout = { advice: [], together: undefined, remarks: [] }
