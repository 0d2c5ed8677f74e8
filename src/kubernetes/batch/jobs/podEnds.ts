import { allContainerStatuses } from "../../pods/podState.ts"
import { conditionOf } from "../../meta/conditions.ts"
import { timestampMillis } from "../../meta/amounts/timestamps.ts"
import type { Pod } from "../../meta/objects.ts"

/**
 * When a Pod ended, in Unix milliseconds: when its last container did, or when it stopped being ready, or when its
 * deletion was requested. `nowMillis` if nothing tells.
 *
 * Source: pkg/controller/job/backoff_utils.go (getFinishedTime).
 */
export const readEndMillis = (pod: Pod, nowMillis: number): number => {
  const ends = allContainerStatuses(pod).flatMap(({ state }) => state?.terminated?.finishedAt ?? [])
  if (ends.length > 0) return Math.max(...ends.map(timestampMillis))
  const ready = conditionOf(pod.status.conditions, "Ready")
  if (ready?.status === "False" && ready.lastTransitionTime !== undefined)
    return timestampMillis(ready.lastTransitionTime)
  const { deletionTimestamp } = pod.metadata
  return deletionTimestamp === undefined ? nowMillis : timestampMillis(deletionTimestamp)
}
