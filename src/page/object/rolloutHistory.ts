import { podTrouble } from "../../explain/health/podTrouble.ts"
import { progressingCondition } from "../../kubernetes/apps/progress.ts"
import { timesText } from "../../kubernetes/meta/text/countText.ts"
import { undoRevisions, wasEverComplete } from "./undoRevisions.ts"
import type { OwnRevisions } from "./undoRevisions.ts"
import type { Deployment, KubeObject, Node, Pod } from "../../kubernetes/meta/objects.ts"
import type { TrackRow } from "../timeline/series/workloadTrack.ts"

export interface RolloutHistory {
  /** The versions of the workload up to the shown moment. */
  readonly versions: ReadonlyArray<KubeObject>
  readonly revisions: OwnRevisions
  readonly pods: ReadonlyArray<Pod>
  readonly nodes: ReadonlyMap<string, Node>
  /** The rows of the timeline up to the shown moment. */
  readonly rows: ReadonlyArray<TrackRow>
}

/** Pods that crash a few times and then stay ready move the deadline fewer times. */
const deadlineMovesMin = 3

export const historySentences = (history: RolloutHistory): ReadonlyArray<string> => {
  const workload = history.versions.at(-1)
  if (workload === undefined) return []
  return [
    ...revisionSentence(history),
    ...(workload.kind === "Deployment" ? deadlineSentence(workload as Deployment, history) : [])
  ]
}

/** The past of workloads without trouble need not be read. */
export const isInTrouble = (
  workload: KubeObject,
  { pods, nodes }: Pick<RolloutHistory, "pods" | "nodes">
): boolean => isOverdue(workload) || pods.some((pod) => podTrouble(pod, nodes) !== undefined)

const isOverdue = (workload: KubeObject): boolean =>
  workload.kind === "Deployment" &&
  progressingCondition(workload as Deployment)?.reason === "ProgressDeadlineExceeded"

export const lastCompleteRevision = ({ revisions, rows }: RolloutHistory): number | undefined =>
  undoRevisions(revisions, rows).find(({ wasComplete }) => wasComplete)?.revision

const revisionSentence = (history: RolloutHistory): ReadonlyArray<string> => {
  const { present } = history.revisions
  const lastComplete = lastCompleteRevision(history)
  if (present === undefined || lastComplete === undefined) return []
  return wasEverComplete(present.uid, history.rows) === false
    ? [`Revision ${present.revision} was never complete; the last one that was is ${lastComplete}.`]
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
      .flatMap((it) => progressingCondition(it as Deployment)?.lastUpdateTime ?? [])
  )
  const moves = updates.size - 1
  return moves < deadlineMovesMin
    ? []
    : [
        `Pods that become ready between their crashes have moved the deadline ${timesText(moves)}: it may never come.`
      ]
}
