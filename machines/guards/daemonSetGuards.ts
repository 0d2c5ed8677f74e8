import {
  daemonUpdate,
  daemonRevisionsToDrop,
  finishedPods,
  isOnDelete,
  misplacedPods,
  nodesWithoutPod
} from "../../src/kubernetes/apps/daemonSets/daemonSetObservation.ts"
import {
  podsInBackOff,
  nextDaemonSetWakeMillis,
  replaceablePods
} from "../../src/kubernetes/apps/daemonSets/daemonBackOff.ts"
import { countText } from "../../src/kubernetes/meta/text/countText.ts"
import { formatDuration } from "../../src/kubernetes/meta/amounts/durations.ts"
import { explainGuard } from "./guard.ts"
import { revisionGuards } from "./revisionGuards.ts"
import type { BackOffsByNode } from "../../src/kubernetes/apps/daemonSets/daemonBackOff.ts"
import type { CommandRefusal } from "../../src/kubernetes/apps/commands.ts"
import type { DaemonSetObservation } from "../../src/kubernetes/apps/daemonSets/daemonSetObservation.ts"
import type { GuardWording, ObservedNumbers } from "./guard.ts"

export interface DaemonSetContext {
  readonly seen: DaemonSetObservation | undefined
  readonly backOffs: BackOffsByNode
}

export type DaemonSetEvent =
  | { readonly type: "observed"; readonly seen: DaemonSetObservation }
  | { readonly type: "refused"; readonly refusal: CommandRefusal }

interface DaemonSetGuardArgs {
  readonly context: DaemonSetContext
  readonly event: DaemonSetEvent
}

const daemonSetGuard = (
  predicate: (seen: DaemonSetObservation, context: DaemonSetContext) => boolean,
  words: GuardWording,
  reason: (seen: DaemonSetObservation, context: DaemonSetContext) => string
) =>
  explainGuard(
    ({ context }: DaemonSetGuardArgs) => context.seen !== undefined && predicate(context.seen, context),
    words,
    ({ context }) =>
      context.seen === undefined ? "nothing has been observed yet" : reason(context.seen, context)
  )

const updateText = (seen: DaemonSetObservation): string => {
  const { maxSurge, maxUnavailable, disruptedNodeCount, pendingNodeCount } = daemonUpdate(seen)
  const limit =
    maxSurge === 0
      ? `${disruptedNodeCount} unavailable of at most ${maxUnavailable}`
      : `${disruptedNodeCount} surged of at most ${maxSurge}`
  return `${countText(pendingNodeCount, "node")} to update, ${limit}`
}

export const daemonSetGuards = {
  ...revisionGuards(daemonSetGuard, (seen: DaemonSetObservation) => seen.daemonSet),
  hasFinishedPods: daemonSetGuard(
    (seen, { backOffs }) => replaceablePods(seen, backOffs).length > 0,
    "a Pod has failed or succeeded",
    (seen, { backOffs }) =>
      `${countText(finishedPods(seen).length, "Pod")}, ${podsInBackOff(seen, backOffs).length} of them in back-off`
  ),
  hasMisplacedPods: daemonSetGuard(
    (seen) => misplacedPods(seen).length > 0,
    "a node has a Pod too many",
    (seen) => `${countText(misplacedPods(seen).length, "Pod")} where none may be, or where there is another`
  ),
  hasNodeWithoutPod: daemonSetGuard(
    (seen) => nodesWithoutPod(seen).length > 0,
    "a node that fits has no Pod",
    (seen) =>
      `${nodesWithoutPod(seen).length} of ${seen.nodes.filter(({ fits }) => fits).length} nodes that fit`
  ),
  hasOutdatedPods: daemonSetGuard(
    (seen) =>
      !isOnDelete(seen) &&
      daemonUpdate(seen).podsToDelete.length + daemonUpdate(seen).nodesToSurge.length > 0,
    "an old Pod can be replaced",
    updateText
  ),
  hasSurplusRevisions: daemonSetGuard(
    (seen) => daemonRevisionsToDrop(seen).length > 0,
    "more revisions than the limit",
    (seen) =>
      `${daemonRevisionsToDrop(seen).length} beyond a limit of ${seen.daemonSet.spec.revisionHistoryLimit ?? 10}`
  ),
  isAwaitingUpdated: daemonSetGuard(
    (seen) => !isOnDelete(seen) && daemonUpdate(seen).pendingNodeCount > 0,
    "a node's update is not over",
    updateText
  ),
  isDueLater: daemonSetGuard(
    (seen, { backOffs }) => nextDaemonSetWakeMillis(seen, backOffs) !== undefined,
    "something is due later",
    (seen, { backOffs }) => {
      const dueMillis = nextDaemonSetWakeMillis(seen, backOffs)
      return dueMillis === undefined
        ? "nothing is due"
        : `the next look is due in ${formatDuration(dueMillis - seen.nowMillis)}`
    }
  )
}

export const daemonSetStepNumbers: ObservedNumbers = (context) => {
  const { seen } = context as DaemonSetContext
  if (seen === undefined) return []
  return [
    ["nodes that fit", seen.nodes.filter(({ fits }) => fits).length],
    ["nodes without a Pod", nodesWithoutPod(seen).length],
    ["Pods", seen.nodes.reduce((sum, { pods }) => sum + pods.length, 0)],
    ["nodes to update", daemonUpdate(seen).pendingNodeCount],
    ["revisions", seen.revisions.length]
  ]
}
