import { isSidecar } from "../../pods/containers/containers.ts"
import { conditionOf } from "../../meta/conditions.ts"
import { timestampMillis } from "../../meta/amounts/timestamps.ts"
import type { Pod } from "../../meta/objects.ts"

/**
 * When a Pod ended, in Unix milliseconds: when the last of its containers did, if all have, or when it stopped being
 * ready, or when its deletion was requested. Its creation if nothing tells.
 * Source: pkg/controller/job/backoff_utils.go (getFinishedTime).
 */
export const readEndMillis = (pod: Pod): number => {
  const ends = containerEnds(pod)
  if (ends.length > 0 && !ends.includes(undefined))
    return Math.max(...ends.map((end) => timestampMillis(end ?? "")))
  const ready = conditionOf(pod.status.conditions, "Ready")
  if (ready?.status === "False" && ready.lastTransitionTime !== undefined)
    return timestampMillis(ready.lastTransitionTime)
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, creationTimestamp } = pod.metadata
  return deletionTimestamp === undefined
    ? timestampMillis(creationTimestamp)
    : timestampMillis(deletionTimestamp) - deletionGracePeriodSeconds * 1000
}

/** Sidecars end after the containers; other init containers end before, and tell nothing. */
const containerEnds = ({ spec, status }: Pod): ReadonlyArray<string | undefined> => {
  const sidecars = (spec.initContainers ?? []).filter(isSidecar).map(({ name }) => name)
  const statuses = [
    ...(status.containerStatuses ?? []),
    ...(status.initContainerStatuses ?? []).filter(({ name }) => sidecars.includes(name))
  ]
  return statuses.map(({ state }) => state?.terminated?.finishedAt)
}
