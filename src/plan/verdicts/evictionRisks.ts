import { taintEvictionText } from "../seeds/evictingTaint.ts"
import type { Reason } from "./verdict.ts"
import type { RolloutRun } from "../seeds/rolloutRun.ts"

/** A rollout completes before `tolerationSeconds` are over; then its Pods are evicted and created anew for ever. */
export const evictionRisks = (
  runs: ReadonlyArray<Pick<RolloutRun, "evictingTaint">>
): ReadonlyArray<Reason> => {
  const taint = runs.find(({ evictingTaint }) => evictingTaint !== undefined)?.evictingTaint
  return taint === undefined ? [] : [{ rule: "evicted-by-taint", text: taintEvictionText(taint) }]
}
