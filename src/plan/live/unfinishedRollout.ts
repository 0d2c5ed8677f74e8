import { countText } from "../../kubernetes/meta/text/countText.ts"
import { displayName } from "../../kubernetes/meta/text/displayName.ts"
import { isControlledBy } from "./liveObjects.ts"
import type { Deployment } from "../../kubernetes/meta/objects.ts"
import type { LiveObjects } from "./liveObjects.ts"

export const unfinishedRolloutText = (
  deployment: Deployment,
  { replicaSets }: Pick<LiveObjects, "replicaSets">
): string | undefined => {
  const { replicas = 0, updatedReplicas: updated = 0, availableReplicas: available = 0 } = deployment.status
  if (updated === replicas) return undefined
  const text =
    `Deployment ${displayName(deployment.metadata)} is in the middle of a rollout there: ${updated} of its ` +
    `${countText(replicas, "Pod")} are of its newest revision, and ${available} are available`
  // Without its ReplicaSets, the former template is unknown.
  return replicaSets.some(isControlledBy(deployment))
    ? `${text}. The plan goes on from there`
    : `${text}. The plan begins as if all were of that revision`
}
