import { placementDeadlock } from "../../kubernetes/scheduling/placementDeadlock.ts"
import type { ReadableRollout } from "./readableRollout.ts"

type PlacedRollout = Pick<ReadableRollout, "deployment" | "pods" | "nodes" | "readPlacementInput">

/** A sentence without a period if new Pods need the room of old ones, which stay until new ones are available. */
export const rolloutDeadlock = ({
  deployment,
  pods,
  nodes = [],
  readPlacementInput = () => ({ nodes: [...nodes], pods })
}: PlacedRollout): string | undefined => placementDeadlock(deployment, pods, readPlacementInput)
