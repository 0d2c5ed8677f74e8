import * as Effect from "effect/Effect"
import { formatDuration } from "../../../kubernetes/meta/amounts/durations.ts"
import {
  blockedPodTexts,
  activeFaultTexts,
  retriedPodTexts,
  unfinishedRolloutTexts
} from "./unsettledReasons.ts"
import type { Cluster } from "../../../cluster/cluster.ts"
import type { Ledger } from "../../ledger/ledger.ts"
import type { StoryRecorder } from "./storyRecorder.ts"
import type { StepProgress } from "./performSteps.ts"

/** The methods return false at `endMillis` after the story's beginning, or at the write limit. */
export interface StoryClock {
  readonly advanceUntil: (holds: () => boolean, endMillis: number) => Effect.Effect<boolean>
  /** Passes time until all rollouts are finished and no actor is moving. */
  readonly advanceUntilIdle: (endMillis: number) => Effect.Effect<boolean>
  /** Passes time until idle with no Pod in back-off, which may never happen. */
  readonly advanceUntilSettled: (endMillis: number) => Effect.Effect<boolean>
  readonly unsettledReason: () => string
}

export const makeStoryClock = (options: {
  readonly cluster: Cluster["Service"]
  readonly ledger: Pick<Ledger, "advanceTo" | "advanceBefore">
  readonly recorder: StoryRecorder
  readonly steps: ReadonlyArray<StepProgress>
  readonly millisSinceBegin: () => number
  readonly writesMax: () => number | undefined
}): StoryClock => {
  const { cluster, ledger, recorder, steps, millisSinceBegin, writesMax } = options
  const hasTooManyWrites = (): boolean => recorder.writes() > (writesMax() ?? Infinity)
  const areRolloutsFinished = (): boolean => unfinishedRolloutTexts(cluster.view).length === 0
  const advanceUntil: StoryClock["advanceUntil"] = (holds, endMillis) =>
    Effect.map(
      cluster.until(
        (nextMillis) => {
          ledger.advanceTo(cluster.nowMillis())
          if (hasTooManyWrites() || holds()) return true
          ledger.advanceBefore(nextMillis)
          return false
        },
        Math.max(0, endMillis - millisSinceBegin()),
        { skipsHeartbeats: true }
      ),
      (isReached) => isReached && !hasTooManyWrites()
    )
  /** While the cluster comes to rest, `holds` may become false again. */
  const advanceUntilHoldingAtRest = Effect.fnUntraced(function* (
    holds: () => boolean,
    endMillis: number
  ): Effect.fn.Return<boolean> {
    for (;;) {
      if (!(yield* advanceUntil(holds, endMillis))) return false
      if (!(yield* advanceUntil(cluster.isAtRest, endMillis))) return false
      if (holds()) return true
    }
  })
  /** What the present step waits for; between steps, what the rollouts wait for. */
  const waitingTexts = (): ReadonlyArray<string> => {
    const stepIndex = steps.findIndex(
      ({ waitsFor, beganMillis, endedMillis }) =>
        waitsFor !== undefined || (beganMillis !== undefined && endedMillis === undefined)
    )
    if (stepIndex !== -1)
      return [`step ${stepIndex + 1} still waits: ${steps[stepIndex]?.waitsFor?.() ?? "it lasts"}`]
    return unfinishedRolloutTexts(cluster.view)
  }
  const unsettledText = (): string => {
    const reasons = [
      ...activeFaultTexts(cluster.faultInjector),
      ...waitingTexts(),
      ...blockedPodTexts(cluster.view)
    ]
    return reasons.length === 0 ? "" : `: ${reasons.join("; ")}`
  }
  return {
    advanceUntil,
    advanceUntilIdle: (endMillis) => advanceUntilHoldingAtRest(areRolloutsFinished, endMillis),
    advanceUntilSettled: (endMillis) =>
      advanceUntilHoldingAtRest(
        () => areRolloutsFinished() && retriedPodTexts(cluster.view).length === 0,
        endMillis
      ),
    unsettledReason: () => {
      const reached = hasTooManyWrites()
        ? `${recorder.writes()} writes, where limit.steps is ${writesMax()}`
        : formatDuration(millisSinceBegin())
      return `not settled after ${reached}${unsettledText()}; ${recorder.recentChanges.text(cluster.nowMillis())}`
    }
  }
}
