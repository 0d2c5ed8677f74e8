import { presentPodsOf, reportedAvailableOf } from "../modelPodCounts.ts"
import { checkScalingStep } from "../../../scenario/ledger/violations.ts"
import { resizedReplicaSets } from "../modelStore.ts"
import type { PackedCounts } from "../modelPodCounts.ts"
import type { Strategy } from "../../../../machines/strategies/strategy.ts"
import type { ModelObjects } from "../modelObjects.ts"
import type { StoredObjects } from "../modelStore.ts"
import type { ViolationDetails } from "../../../scenario/ledger/violations.ts"
import type { PackedCountsPair } from "../searchStep.ts"

interface ScalingContext {
  readonly objects: ModelObjects
  readonly strategies: ReadonlyArray<Strategy> | undefined
}

interface ScalingWrite {
  readonly before: StoredObjects
  readonly after: StoredObjects
}

/** Undefined if the writes resize no ReplicaSet. */
export const makeScalingCheck = (
  context: ScalingContext,
  writes: ReadonlyArray<ScalingWrite>
): ((counts: PackedCountsPair) => ReadonlyArray<ViolationDetails>) | undefined => {
  const checks = writes.flatMap((write) => scalingChecksOf(context, write))
  return checks.length === 0
    ? undefined
    : memoizeByPresentPods((counts) => checks.flatMap((check) => check(counts)))
}

/** The number of a ReplicaSet's present Pods fits into this many bits: it is the sum of four counts up to 15. */
const presentBits = 6

const memoizeByPresentPods = (check: (counts: PackedCountsPair) => ReadonlyArray<ViolationDetails>) => {
  const cache = new Map<number, ReadonlyArray<ViolationDetails>>()
  return (counts: PackedCountsPair): ReadonlyArray<ViolationDetails> => {
    const key = presentPodsOf(counts[0]) | (presentPodsOf(counts[1]) << presentBits)
    let violations = cache.get(key)
    if (violations === undefined) cache.set(key, (violations = check(counts)))
    return violations
  }
}

/** Checks scalings like the ledger, but by reported availability only: in the model, a Deployment sees it at once. */
const scalingChecksOf = ({ objects, strategies }: ScalingContext, { before, after }: ScalingWrite) =>
  resizedReplicaSets(before, after).map(
    (resized) =>
      ([olderCounts, newerCounts]: PackedCountsPair): ReadonlyArray<ViolationDetails> => {
        const countsOf = (uid: string): PackedCounts =>
          objects.replicaSets[0]?.metadata.uid === uid ? olderCounts : newerCounts
        return checkScalingStep({
          ...resized,
          deployment: objects.deployment,
          strategies,
          account: {
            availableOf: (uid) => reportedAvailableOf(countsOf(uid)),
            presentOf: (uid) => presentPodsOf(countsOf(uid))
          },
          replicaSets: after.replicaSets.filter((replicaSet) => replicaSet !== undefined)
        })
      }
  )
