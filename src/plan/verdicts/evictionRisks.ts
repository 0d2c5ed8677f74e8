import type { Reason } from "./verdict.ts"
import type { RolloutRun } from "../seeds/rolloutRun.ts"

/** A rollout completes before `tolerationSeconds` are over; then its Pods are evicted and created anew for ever. */
export const evictionRisks = (
  runs: ReadonlyArray<Pick<RolloutRun, "evictingTaint">>
): ReadonlyArray<Reason> => {
  const taint = runs.find(({ evictingTaint }) => evictingTaint !== undefined)?.evictingTaint
  if (taint === undefined) return []
  const text =
    `Pods on ${taint.node} are evicted after ${taint.toleratedSeconds}s: ` +
    `they tolerate its taint ${taint.key}:NoExecute no longer`
  return [{ rule: "evicted-by-taint", text }]
}
