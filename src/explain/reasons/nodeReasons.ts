import { formatDuration } from "../../kubernetes/meta/amounts/durations.ts"
import type { NodeObservation } from "../../../machines/node.ts"
import type { GuardReason, GuardReasons } from "./guardReason.ts"

const nodeReason =
  (text: (seen: NodeObservation) => string): GuardReason =>
  ({ event }) => {
    const { seen } = event as { readonly seen?: NodeObservation }
    return seen === undefined ? "nothing is observed just now" : text(seen)
  }

/** By guard name of `machines/node.ts`. */
export const nodeReasons: GuardReasons = {
  isBeating: nodeReason(({ kubelet }) => `its kubelet is ${kubelet}`),
  isKnownLost: nodeReason(({ ready }) => `Ready is ${ready}`),
  isServing: nodeReason(({ isServing }) =>
    isServing ? "Pods on it count as ready, and it is not" : "no Pod on it counts as ready that should not"
  ),
  isMistainted: nodeReason(({ isMistainted }) =>
    isMistainted ? "its taints do not say what its conditions say" : "its taints say what its conditions say"
  ),
  isOverdue: nodeReason(({ overdue }) => `${overdue.length} Pods must leave now`),
  isTolerated: nodeReason(({ tolerating, nextOverdueMillis, nowMillis }) =>
    nextOverdueMillis === undefined
      ? "no Pod has to leave later"
      : `${tolerating.length} Pods must leave later, the next in ${formatDuration(nextOverdueMillis - nowMillis)}`
  )
}
