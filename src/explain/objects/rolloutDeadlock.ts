import { placementDeadlockText } from "../../kubernetes/scheduling/placementDeadlock.ts"
import type { ExplainRolloutInput } from "./explainRolloutInput.ts"

type PlacedRollout = Pick<ExplainRolloutInput, "deployment" | "pods" | "nodes" | "readPlacementInput">

/**
 * A sentence without a period. Undefined unless new Pods need the room of old Pods that stay until new Pods are
 * available.
 */
export const rolloutDeadlockSentence = ({
  deployment,
  pods,
  nodes = [],
  readPlacementInput = () => ({ nodes: [...nodes], pods })
}: PlacedRollout): string | undefined => placementDeadlockText(deployment, pods, readPlacementInput)
