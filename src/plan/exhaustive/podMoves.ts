import {
  countMax,
  packedUnit,
  stoppingOf,
  unreadyOf,
  readyNotAvailableOf,
  availableOf
} from "./modelPodCounts.ts"
import { replicaSetText } from "./searchStep.ts"
import type { PackedCounts } from "./modelPodCounts.ts"
import type { SearchStep } from "./searchStep.ts"

export interface PodMove {
  /** `packed`: the counts of a ReplicaSet's Pods in one number. `hasMinReady`: whether `minReadySeconds` is set. */
  readonly mayHappen: (packed: PackedCounts, hasMinReady: boolean) => boolean
  /** Is added to the counts. */
  readonly packedChange: number
  readonly step: SearchStep
}

interface PodMoveRule {
  readonly what: string
  readonly isFailure?: true
  readonly mayHappen: PodMove["mayHappen"]
  readonly packedChange: number
}

const becomeReady: PodMoveRule = {
  what: "became ready",
  mayHappen: (packed, hasMinReady) => hasMinReady && unreadyOf(packed) > 0,
  packedChange: packedUnit.ready - packedUnit.unready
}
const becomeReadyAndAvailable: PodMoveRule = {
  what: "became ready, and so available",
  mayHappen: (packed, hasMinReady) => !hasMinReady && unreadyOf(packed) > 0,
  packedChange: packedUnit.available - packedUnit.unready
}
const becomeAvailable: PodMoveRule = {
  what: "became available",
  mayHappen: (packed) => readyNotAvailableOf(packed) > 0,
  packedChange: packedUnit.available - packedUnit.ready
}
const finishStopping: PodMoveRule = {
  what: "that was stopping is gone",
  mayHappen: (packed) => stoppingOf(packed) > 0,
  packedChange: -packedUnit.stopping
}

type Condition = "unready" | "ready" | "available"

const conditionCounts: Readonly<
  Record<Condition, { readonly countOf: (packed: PackedCounts) => number; readonly text: string }>
> = {
  unready: { countOf: unreadyOf, text: "not ready" },
  ready: { countOf: readyNotAvailableOf, text: "ready" },
  available: { countOf: availableOf, text: "available" }
}

const loseReadiness = (from: "ready" | "available"): PodMoveRule => ({
  what: `is no longer ${from} (crash or probe)`,
  isFailure: true,
  mayHappen: (packed) => conditionCounts[from].countOf(packed) > 0,
  packedChange: packedUnit.unready - packedUnit[from]
})

/** The ReplicaSet does not count the Pod any more, as after an eviction. */
const failForGood = (from: Condition, what: string): PodMoveRule => ({
  what: `that was ${conditionCounts[from].text} ${what}`,
  isFailure: true,
  mayHappen: (packed) => conditionCounts[from].countOf(packed) > 0,
  packedChange: -packedUnit[from]
})

const deleteByClient = (from: Condition): PodMoveRule => ({
  what: `that was ${conditionCounts[from].text} is deleted by a client`,
  isFailure: true,
  mayHappen: (packed) => conditionCounts[from].countOf(packed) > 0 && stoppingOf(packed) < countMax,
  packedChange: packedUnit.stopping - packedUnit[from]
})

const conditions = ["available", "ready", "unready"] as const

/** Deleted Pods are gone at once, unless a strategy depends on terminating Pods (`tracksStopping`). */
export const makePodMoves = (options: {
  readonly tracksStopping: boolean
}): readonly [ofOlder: ReadonlyArray<PodMove>, ofNewer: ReadonlyArray<PodMove>] => {
  const rules: ReadonlyArray<PodMoveRule> = [
    becomeReady,
    becomeReadyAndAvailable,
    becomeAvailable,
    ...(options.tracksStopping ? [finishStopping] : []),
    loseReadiness("available"),
    loseReadiness("ready"),
    ...conditions.flatMap((from) =>
      options.tracksStopping
        ? [failForGood(from, "fails for good"), deleteByClient(from)]
        : [failForGood(from, "is lost (failed or deleted)")]
    )
  ]
  return [toPodMoves(rules, 0), toPodMoves(rules, 1)]
}

const toPodMoves = (rules: ReadonlyArray<PodMoveRule>, position: number): ReadonlyArray<PodMove> =>
  rules.map(({ what, isFailure = false, mayHappen, packedChange }) => ({
    mayHappen,
    packedChange,
    step: {
      actorText: (objects) => `a Pod of ${replicaSetText(objects, position)}`,
      actionText: () => what,
      isFailure
    }
  }))
