import * as Effect from "effect/Effect"
import { formatDuration } from "../../domain/durations.ts"
import { heldUp, lastingFaults, restlessPods, unfinished } from "./standstill.ts"
import type { Cluster } from "../../cluster.ts"
import type { Ledger } from "../ledger/ledger.ts"
import type { Recorder } from "./recorder.ts"
import type { StepProgress } from "./performSteps.ts"

/** Lets a story's time pass, as far as the story's limits let it. */
export interface Resting {
  /** Until something holds; false where a limit came first. */
  readonly passUntil: (holds: () => boolean, endMillis: number) => Effect.Effect<boolean>
  /** Until no Deployment waits for anything and nothing moves by itself; false where a limit came first. */
  readonly untilStill: (endMillis: number) => Effect.Effect<boolean>
  /** As well until no Pod is tried again and again: it would be for ever. */
  readonly untilSettled: (endMillis: number) => Effect.Effect<boolean>
  /** Why it has not come to rest: which limit was reached, who waits for what, and what moved. */
  readonly whyRestless: () => string
}

export const makeResting = (options: {
  readonly cluster: Cluster["Service"]
  /** Hears when an instant is over, and before when nothing will happen. */
  readonly ledger: Pick<Ledger, "passTo" | "passBefore">
  readonly recorder: Recorder
  readonly steps: ReadonlyArray<StepProgress>
  readonly sinceBegin: () => number
  /** Undefined while writes do not count. */
  readonly writesMax: () => number | undefined
}): Resting => {
  const { cluster, ledger, recorder, steps, sinceBegin, writesMax } = options
  const isBusy = (): boolean => recorder.writes() > (writesMax() ?? Infinity)
  const isStill = (): boolean => unfinished(cluster.view).length === 0
  const passUntil: Resting["passUntil"] = (holds, endMillis) =>
    Effect.map(
      cluster.until(
        (nextMillis) => {
          ledger.passTo(cluster.nowMillis())
          if (isBusy() || holds()) return true
          ledger.passBefore(nextMillis)
          return false
        },
        Math.max(0, endMillis - sinceBegin())
      ),
      (held) => held && !isBusy()
    )
  const rest = Effect.fnUntraced(function* (
    holds: () => boolean,
    endMillis: number
  ): Effect.fn.Return<boolean> {
    for (;;) {
      if (!(yield* passUntil(holds, endMillis))) return false
      if (!(yield* passUntil(cluster.isAtRest, endMillis))) return false
      if (holds()) return true
    }
  })
  const whatWaits = (): ReadonlyArray<string> => {
    const waiting = steps.findIndex(
      ({ waitsFor, beganMillis, endedMillis }) =>
        waitsFor !== undefined || (beganMillis !== undefined && endedMillis === undefined)
    )
    if (waiting !== -1)
      return [`step ${waiting + 1} still waits: ${steps[waiting]?.waitsFor?.() ?? "it lasts"}`]
    return unfinished(cluster.view)
  }
  const whyBusy = (): string => {
    const reasons = [...lastingFaults(cluster.faults), ...whatWaits(), ...heldUp(cluster.view)]
    return reasons.length === 0 ? "" : `: ${reasons.join("; ")}`
  }
  return {
    passUntil,
    untilStill: (endMillis) => rest(isStill, endMillis),
    untilSettled: (endMillis) => rest(() => isStill() && restlessPods(cluster.view).length === 0, endMillis),
    whyRestless: () => {
      // Writes are looked at when an instant is over: it may have made many more.
      const limit = isBusy()
        ? `${recorder.writes()} writes, where limit.steps is ${writesMax()}`
        : formatDuration(sinceBegin())
      return `not settled after ${limit}${whyBusy()}; ${recorder.recent.text(cluster.nowMillis())}`
    }
  }
}
