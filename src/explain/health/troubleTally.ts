import { isPodActive, isPodReady } from "../../kubernetes/pods/podState.ts"
import { isTerminating } from "../../kubernetes/meta/deletion.ts"
import { nodeTrouble, podTrouble, restartTrouble, troubleKinds, troubleText } from "./podTrouble.ts"
import type { Node, Pod } from "../../kubernetes/meta/objects.ts"
import type { PodTrouble, TroubleKind } from "./podTrouble.ts"

export interface TroubleTally {
  /** Root causes come first. */
  readonly troubles: ReadonlyArray<{ readonly kind: TroubleKind; readonly text: string }>
  readonly blockedNewPodCount: number
  /** Pods of the new revision that may become ready by themselves. */
  readonly startingNewPodCount: number
}

export const tallyTrouble = (
  pods: ReadonlyArray<Pod>,
  nodes: ReadonlyMap<string, Node>,
  isOfNewRevision: (pod: Pod) => boolean
): TroubleTally => {
  const countsByTrouble = new Map<string, { readonly trouble: PodTrouble; readonly count: number }>()
  let [blockedNewPodCount, startingNewPodCount] = [0, 0]
  const countTrouble = (trouble: PodTrouble): void => {
    const key = `${trouble.kind} ${trouble.detail}`
    countsByTrouble.set(key, { trouble, count: (countsByTrouble.get(key)?.count ?? 0) + 1 })
  }
  for (const pod of pods) {
    const trouble = podTrouble(pod, nodes)
    if (trouble === undefined) {
      const restarting = restartTrouble(pod)
      if (restarting !== undefined) countTrouble(restarting)
      if (isOfNewRevision(pod) && isPodActive(pod) && !isPodReady(pod)) startingNewPodCount += 1
      continue
    }
    // The Pods of a lost node are evicted and replaced.
    if (isOfNewRevision(pod) && trouble.kind !== "node") blockedNewPodCount += 1
    countTrouble(trouble)
  }
  // A lost node may be the node that the unscheduled Pods need.
  if ([...countsByTrouble.values()].some(({ trouble }) => trouble.kind === "placement"))
    for (const pod of pods.filter(isTerminating)) {
      const trouble = nodeTrouble(pod, nodes)
      if (trouble !== undefined) countTrouble(trouble)
    }
  const troubles = [...countsByTrouble.values()]
    .sort((a, b) => rankOf(a.trouble) - rankOf(b.trouble) || b.count - a.count)
    .map(({ trouble, count }) => ({ kind: trouble.kind, text: troubleText(trouble, count) }))
  return { troubles, blockedNewPodCount, startingNewPodCount }
}

const rankOf = ({ kind }: PodTrouble): number => troubleKinds.indexOf(kind)
