import { findNewReplicaSet } from "../../kubernetes/apps/revisions/findNewReplicaSet.ts"
import { podTrouble } from "../../explain/health/podTrouble.ts"
import { progressingCondition } from "../../kubernetes/apps/progress.ts"
import { revisionOf } from "../../kubernetes/apps/revisions/revisions.ts"
import { timesText } from "../../kubernetes/meta/text/countText.ts"
import { undoRevisions, wasEverComplete } from "./undoRevisions.ts"
import type { Deployment, Node, Pod, ReplicaSet } from "../../kubernetes/meta/objects.ts"
import type { TrackRow } from "../timeline/series/workloadTrack.ts"

interface RolloutHistory {
  /** The versions of the Deployment up to the shown moment, the last one as it is shown. */
  readonly versions: ReadonlyArray<Deployment>
  readonly replicaSets: ReadonlyArray<ReplicaSet>
  readonly pods: ReadonlyArray<Pod>
  readonly nodes: ReadonlyMap<string, Node>
  /** Up to the shown moment. */
  readonly rows: ReadonlyArray<TrackRow>
}

/** A rollout in trouble has had time for more than this many tries. */
const movesMin = 3

/** What only the past of a rollout tells, of one that is in trouble. */
export const historySentences = (history: RolloutHistory): ReadonlyArray<string> => {
  const deployment = history.versions.at(-1)
  if (deployment === undefined || !history.pods.some((pod) => podTrouble(pod, history.nodes) !== undefined))
    return []
  return [...revisionSentence(deployment, history), ...deadlineSentence(deployment, history)]
}

const revisionSentence = (
  deployment: Deployment,
  { replicaSets, rows }: RolloutHistory
): ReadonlyArray<string> => {
  const present = findNewReplicaSet(deployment, replicaSets)
  const lastComplete = undoRevisions(deployment, replicaSets, rows).find(({ wasComplete }) => wasComplete)
  if (present === undefined || lastComplete === undefined) return []
  return wasEverComplete(present.metadata.uid, rows) === false
    ? [
        `Revision ${revisionOf(present) ?? "?"} was never complete; the last one that was is ${lastComplete.revision}.`
      ]
    : []
}

/** Source: pkg/controller/deployment/util/deployment_util.go (DeploymentProgressing). */
const deadlineSentence = (
  deployment: Deployment,
  { versions, pods, nodes }: RolloutHistory
): ReadonlyArray<string> => {
  if (progressingCondition(deployment)?.reason !== "ReplicaSetUpdated") return []
  if (!pods.some((pod) => podTrouble(pod, nodes)?.kind === "crash")) return []
  const { generation } = deployment.metadata
  const updates = new Set(
    versions
      .filter(({ metadata }) => metadata.generation === generation)
      .flatMap((it) => progressingCondition(it)?.lastUpdateTime ?? [])
  )
  const moves = updates.size - 1
  return moves < movesMin
    ? []
    : [
        `Pods that become ready between their crashes have moved the deadline ${timesText(moves)}: it may never come.`
      ]
}
