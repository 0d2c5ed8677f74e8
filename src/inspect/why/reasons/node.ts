import { formatDuration } from "../../../domain/durations.ts"
import type { NodeObservation } from "../../../../machines/node.ts"
import type { Reason, Reasons } from "./reason.ts"

const about =
  (words: (seen: NodeObservation) => string): Reason =>
  ({ event }) => {
    const { seen } = event as { readonly seen?: NodeObservation }
    return seen === undefined ? "nothing is observed just now" : words(seen)
  }

/** By guard; the names are those of the chart in `machines/node.ts`. */
export const nodeReasons: Reasons = {
  isBeating: about(({ kubelet }) => `its kubelet is ${kubelet}`),
  isKnownLost: about(({ ready }) => `Ready is ${ready}`),
  isServing: about(({ isServing }) =>
    isServing ? "Pods on it count as ready, and it is not" : "no Pod on it counts as ready that should not"
  ),
  isMistainted: about(({ isMistainted }) =>
    isMistainted ? "its taints do not say what its conditions say" : "its taints say what its conditions say"
  ),
  isOverdue: about(({ overdue }) => `${overdue.length} Pods must leave now`),
  isTolerated: about(({ tolerating, nextOverdueMillis, nowMillis }) =>
    nextOverdueMillis === undefined
      ? "no Pod has to leave later"
      : `${tolerating.length} Pods must leave later, the next in ${formatDuration(nextOverdueMillis - nowMillis)}`
  )
}
