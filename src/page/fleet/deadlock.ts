import { placementDeadlock } from "../../kubernetes/scheduling/placementDeadlock.ts"
import { ownedPods } from "../history/fleet.ts"
import type { Deployment, ReplicaSet } from "../../kubernetes/meta/objects.ts"
import type { Fleet } from "../history/fleet.ts"
import type { PlacementInput } from "../../kubernetes/scheduling/placementDeadlock.ts"

/** Claims and volumes are not recorded. */
export const placementInputIn = ({ nodes, pods }: Fleet): PlacementInput => ({
  nodes: [...nodes.values()],
  pods: [...pods.values()]
})

export const deadlockOf = (
  deployment: Deployment,
  replicaSets: ReadonlyArray<ReplicaSet>,
  fleet: Fleet
): string | undefined => {
  const pods = replicaSets.flatMap((it) => ownedPods(it, fleet))
  return placementDeadlock(deployment, pods, () => placementInputIn(fleet))
}
