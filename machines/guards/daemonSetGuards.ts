import {
  daemonUpdate,
  droppedDaemonRevisions,
  finishedPods,
  isOnDelete,
  misplacedPods,
  nextAvailablePodMillis,
  nodesWithoutPod
} from "../../src/kubernetes/apps/daemonSets/daemonSetObservation.ts"
import { countText } from "../../src/kubernetes/meta/text/countText.ts"
import { formatDuration } from "../../src/kubernetes/meta/amounts/durations.ts"
import { explainGuard } from "./guard.ts"
import { revisedGuards } from "./revisedGuards.ts"
import type { CommandRefusal } from "../../src/kubernetes/apps/commands.ts"
import type {
  DaemonSetObservation,
  NodePod
} from "../../src/kubernetes/apps/daemonSets/daemonSetObservation.ts"
import type { GuardWording, ObservedNumbers } from "./guard.ts"

/** The back-off of failed Pods on one node. */
export interface NodeBackOff {
  /** The DaemonSet's; with another one the back-off no longer counts. */
  readonly generation: number
  readonly delayMillis: number
  readonly sinceMillis: number
}

export interface DaemonSetContext {
  readonly seen: DaemonSetObservation | undefined
  /** By node. */
  readonly backOffs: Readonly<Record<string, NodeBackOff>>
}

export type DaemonSetEvent =
  | { readonly type: "observed"; readonly seen: DaemonSetObservation }
  | { readonly type: "refused"; readonly refusal: CommandRefusal }

const backOffEnd = ({ seen, backOffs }: DaemonSetContext, nodeName: string): number => {
  const backOff = Object.hasOwn(backOffs, nodeName) ? backOffs[nodeName] : undefined
  const isOfThisGeneration = backOff?.generation === (seen?.daemonSet.status.observedGeneration ?? 0)
  return backOff === undefined || !isOfThisGeneration ? 0 : backOff.sinceMillis + backOff.delayMillis
}

const isHeld = (context: DaemonSetContext, { node }: NodePod): boolean =>
  backOffEnd(context, node.name) > (context.seen?.nowMillis ?? 0)

/** Finished Pods to delete now, and those that wait for the end of a back-off. */
export const replaceableFinished = (context: DaemonSetContext): ReadonlyArray<NodePod> =>
  context.seen === undefined
    ? []
    : finishedPods(context.seen).filter((it) => it.pod.status.phase === "Succeeded" || !isHeld(context, it))

const heldFinished = (context: DaemonSetContext): ReadonlyArray<NodePod> =>
  context.seen === undefined
    ? []
    : finishedPods(context.seen).filter((it) => it.pod.status.phase !== "Succeeded" && isHeld(context, it))

/** When something is due next; undefined if nothing is. */
export const nextDueMillis = (context: DaemonSetContext): number | undefined => {
  const { seen } = context
  if (seen === undefined) return undefined
  const times = [
    ...heldFinished(context).map(({ node }) => backOffEnd(context, node.name)),
    ...[nextAvailablePodMillis(seen) ?? []].flat()
  ]
  return times.length === 0 ? undefined : Math.min(...times)
}

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
  const { maxSurge, maxUnavailable, used, pending } = daemonUpdate(seen)
  const limit =
    maxSurge === 0
      ? `${used} unavailable of at most ${maxUnavailable}`
      : `${used} surged of at most ${maxSurge}`
  return `${countText(pending, "node")} to update, ${limit}`
}

export const daemonSetGuards = {
  ...revisedGuards(daemonSetGuard, (seen: DaemonSetObservation) => seen.daemonSet),
  hasFinished: daemonSetGuard(
    (_seen, context) => replaceableFinished(context).length > 0,
    "a Pod has failed or succeeded",
    (seen, context) =>
      `${countText(finishedPods(seen).length, "Pod")}, ${heldFinished(context).length} of them in back-off`
  ),
  hasMisplaced: daemonSetGuard(
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
  hasOutdated: daemonSetGuard(
    (seen) => !isOnDelete(seen) && daemonUpdate(seen).delete.length + daemonUpdate(seen).surge.length > 0,
    "an old Pod can be replaced",
    updateText
  ),
  hasSurplusRevisions: daemonSetGuard(
    (seen) => droppedDaemonRevisions(seen).length > 0,
    "more revisions than the limit",
    (seen) =>
      `${droppedDaemonRevisions(seen).length} beyond a limit of ${seen.daemonSet.spec.revisionHistoryLimit ?? 10}`
  ),
  isAwaitingUpdated: daemonSetGuard(
    (seen) => !isOnDelete(seen) && daemonUpdate(seen).pending > 0,
    "a node's update is not over",
    updateText
  ),
  isDueLater: daemonSetGuard(
    (_seen, context) => nextDueMillis(context) !== undefined,
    "something is due later",
    ({ nowMillis }, context) => {
      const due = nextDueMillis(context)
      return due === undefined
        ? "nothing is due"
        : `the next look is due in ${formatDuration(due - nowMillis)}`
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
    ["nodes to update", daemonUpdate(seen).pending],
    ["revisions", seen.revisions.length]
  ]
}
