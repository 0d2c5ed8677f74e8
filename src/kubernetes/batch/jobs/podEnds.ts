import { isSidecar } from "../../pods/containers/containerRoles.ts"
import { conditionOf } from "../../meta/conditions.ts"
import { timestampMillis } from "../../meta/amounts/timestamps.ts"
import type { Pod } from "../../meta/objects.ts"

/**
 * When a Pod ended, in Unix milliseconds: when the last of its containers did, if all have; else when it stopped being
 * ready; else when its deletion was requested; else when it was created.
 * Source: pkg/controller/job/backoff_utils.go (getFinishedTime).
 */
export const podEndMillis = (pod: Pod): number => {
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

/** The ends of containers and sidecars. Other init containers end before them, and do not count. */
const containerEnds = ({ spec, status }: Pod): ReadonlyArray<string | undefined> => {
  const sidecars = (spec.initContainers ?? []).filter(isSidecar).map(({ name }) => name)
  const statuses = [
    ...(status.containerStatuses ?? []),
    ...(status.initContainerStatuses ?? []).filter(({ name }) => sidecars.includes(name))
  ]
  return statuses.map(({ state }) => state?.terminated?.finishedAt)
}
