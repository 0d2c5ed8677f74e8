import { placementDeadlock } from "../../kubernetes/scheduling/placementDeadlock.ts"
import type { ReadableRollout } from "./readableRollout.ts"

type PlacedRollout = Pick<ReadableRollout, "deployment" | "pods" | "nodes" | "readPlacementInput">

/**
 * A sentence without a period that a rollout waits for itself: its new Pods need the room of old ones, which stay
 * until new ones are available. Undefined if it does not. It depends on all objects that decide where a Pod may go; by
 * default only on the nodes and the rollout's own Pods.
 */
export const rolloutDeadlock = ({
  deployment,
  pods,
  nodes = [],
  readPlacementInput = () => ({ nodes: [...nodes], pods })
}: PlacedRollout): string | undefined => placementDeadlock(deployment, pods, readPlacementInput)
