import { countMax, packedUnit, stoppingOf, unreadyOf, readyOf, availableOf } from "./modelPodCounts.ts"
import { replicaSetText } from "./searchStep.ts"
import type { PackedCounts } from "./modelPodCounts.ts"
import type { SearchStep } from "./searchStep.ts"

/** A change of one Pod's condition, or its loss. */
export interface PodMove {
  /** Whether there is a Pod it can happen to. `isWaiting`: `minReadySeconds` is above 0. */
  readonly mayHappen: (packed: PackedCounts, isWaiting: boolean) => boolean
  readonly change: number
  readonly step: SearchStep
}

interface PodMoveRule {
  readonly what: string
  readonly isFailure?: true
  readonly mayHappen: PodMove["mayHappen"]
  readonly change: number
}

const ready: PodMoveRule = {
  what: "became ready",
  mayHappen: (packed, isWaiting) => isWaiting && unreadyOf(packed) > 0,
  change: packedUnit.ready - packedUnit.unready
}
const readyAtOnce: PodMoveRule = {
  what: "became ready, and so available",
  mayHappen: (packed, isWaiting) => !isWaiting && unreadyOf(packed) > 0,
  change: packedUnit.available - packedUnit.unready
}
const available: PodMoveRule = {
  what: "became available",
  mayHappen: (packed) => readyOf(packed) > 0,
  change: packedUnit.available - packedUnit.ready
}
const removed: PodMoveRule = {
  what: "that was stopping is gone",
  mayHappen: (packed) => stoppingOf(packed) > 0,
  change: -packedUnit.stopping
}

type Condition = "unready" | "ready" | "available"

const conditionCounts: Readonly<
  Record<Condition, { readonly of: (packed: PackedCounts) => number; readonly text: string }>
> = {
  unready: { of: unreadyOf, text: "not ready" },
  ready: { of: readyOf, text: "ready" },
  available: { of: availableOf, text: "available" }
}

const losesReadiness = (from: "ready" | "available"): PodMoveRule => ({
  what: `is no longer ${from} (crash or probe)`,
  isFailure: true,
  mayHappen: (packed) => conditionCounts[from].of(packed) > 0,
  change: packedUnit.unready - packedUnit[from]
})

/** The Pod fails for good, as after an eviction, and is not counted any more. */
const isLost = (from: Condition, what: string): PodMoveRule => ({
  what: `that was ${conditionCounts[from].text} ${what}`,
  isFailure: true,
  mayHappen: (packed) => conditionCounts[from].of(packed) > 0,
  change: -packedUnit[from]
})

const isDeleted = (from: Condition): PodMoveRule => ({
  what: `that was ${conditionCounts[from].text} is deleted by a client`,
  isFailure: true,
  mayHappen: (packed) => conditionCounts[from].of(packed) > 0 && stoppingOf(packed) < countMax,
  change: packedUnit.stopping - packedUnit[from]
})

const conditions = ["available", "ready", "unready"] as const

/** Returns the possible changes, by slot. If terminating Pods are not tracked, they are gone at once. */
export const makePodMoves = (options: {
  readonly tracksStopping: boolean
}): readonly [ReadonlyArray<PodMove>, ReadonlyArray<PodMove>] => {
  const rules: ReadonlyArray<PodMoveRule> = [
    ready,
    readyAtOnce,
    available,
    ...(options.tracksStopping ? [removed] : []),
    losesReadiness("available"),
    losesReadiness("ready"),
    ...conditions.flatMap((from) =>
      options.tracksStopping
        ? [isLost(from, "fails for good"), isDeleted(from)]
        : [isLost(from, "is lost (failed or deleted)")]
    )
  ]
  return [toPodMoves(rules, 0), toPodMoves(rules, 1)]
}

const toPodMoves = (rules: ReadonlyArray<PodMoveRule>, slot: number): ReadonlyArray<PodMove> =>
  rules.map(({ what, isFailure = false, mayHappen, change }) => ({
    mayHappen,
    change,
    step: { who: (objects) => `a Pod of ${replicaSetText(objects, slot)}`, what: () => what, isFailure }
  }))
