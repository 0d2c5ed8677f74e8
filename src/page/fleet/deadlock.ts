import { placementDeadlockText } from "../../kubernetes/scheduling/placementDeadlock.ts"
import { ownedPods } from "../history/fleet.ts"
import type { Deployment, ReplicaSet } from "../../kubernetes/meta/objects.ts"
import type { Fleet } from "../history/fleet.ts"
import type { PlacementInput } from "../../kubernetes/scheduling/placementDeadlock.ts"

/** What decides where a Pod may go, as far as recordings have it: claims and volumes are not recorded. */
export const placementInputIn = ({ nodes, pods }: Fleet): PlacementInput => ({
  nodes: [...nodes.values()],
  pods: [...pods.values()]
})

/** Undefined unless new Pods need the room of old Pods that stay until new Pods are available. */
export const fleetDeadlockSentence = (
  deployment: Deployment,
  replicaSets: ReadonlyArray<ReplicaSet>,
  fleet: Fleet
): string | undefined => {
  const pods = replicaSets.flatMap((it) => ownedPods(it, fleet))
  return placementDeadlockText(deployment, pods, () => placementInputIn(fleet))
}
