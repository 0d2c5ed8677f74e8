import type { ChangeTexts } from "./changeTexts.ts"
import type { RolloutFigures } from "../rolloutFigures.ts"

/** A change of the manifests that was played, and makes the rollout better. */
export interface AdvisedChange extends ChangeTexts {
  readonly with: VariantFigures
  /** The figures of the same seeds, played without the change. */
  readonly without: VariantFigures
  /** Whether it first helps the next rollout: it changes how Pods stop, and the Pods that run before lack it. */
  readonly fromNextRollout: boolean
}

export interface PlayedAdvice extends AdvisedChange {
  readonly text: string
  /** Whether it helps only together with the advice before it. */
  readonly needsOthers: boolean
}

/** The figures of a plan, of a few seeds. */
export interface VariantFigures extends Pick<
  RolloutFigures,
  "desired" | "duration" | "late" | "stuck" | "available" | "requests"
> {
  readonly seeds: ReadonlyArray<number>
}

export interface RolloutAdvice {
  readonly advice: ReadonlyArray<PlayedAdvice>
  /** All the advice at once, if there are several. */
  readonly together: AdvisedChange | undefined
  /** Facts about the manifest without a change that was played and helped. */
  readonly remarks: ReadonlyArray<string>
}

export const emptyAdvice: RolloutAdvice = { advice: [], together: undefined, remarks: [] }
