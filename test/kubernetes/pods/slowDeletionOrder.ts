import { compareWithinDeletionClass, deletionClass } from "../../../src/kubernetes/pods/deletionOrder.ts"
import type { Pod } from "../../../src/kubernetes/meta/objects.ts"

/** A Pod, and how many active Pods of all ReplicaSets of its Deployment share its node. */
interface RankedPod {
  readonly pod: Pod
  readonly rank: number
}

/**
 * The whole order in one comparison, as upstream sorts: negative when `a` is to be deleted before `b`.
 *
 * Source: pkg/controller/controller_utils.go (ActivePodsWithRanks).
 */
export const compareForDeletion = (a: RankedPod, b: RankedPod, nowMillis: number): number =>
  deletionClass(a.pod) - deletionClass(b.pod) ||
  b.rank - a.rank ||
  compareWithinDeletionClass(a.pod, b.pod, nowMillis)
