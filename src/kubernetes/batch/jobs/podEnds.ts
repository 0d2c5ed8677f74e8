import { isSidecar } from "../../pods/containers/containerRoles.ts"
import { conditionOf } from "../../meta/conditions.ts"
import { timestampMillis } from "../../meta/amounts/timestamps.ts"
import type { Pod } from "../../meta/objects.ts"

/**
 * The end of the last container, else the time of unreadiness, deletion or creation. Source:
 * pkg/controller/job/backoff_utils.go (getFinishedTime).
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

/** Init containers other than sidecars end earlier and do not count. */
const containerEnds = ({ spec, status }: Pod): ReadonlyArray<string | undefined> => {
  const sidecars = (spec.initContainers ?? []).filter(isSidecar).map(({ name }) => name)
  const statuses = [
    ...(status.containerStatuses ?? []),
    ...(status.initContainerStatuses ?? []).filter(({ name }) => sidecars.includes(name))
  ]
  return statuses.map(({ state }) => state?.terminated?.finishedAt)
}
