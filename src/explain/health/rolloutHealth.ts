import { availableFloor, resolveFenceposts } from "../../kubernetes/apps/rolloutBounds.ts"
import { conditionOf } from "../../kubernetes/meta/conditions.ts"
import { controllerOf } from "../../kubernetes/meta/ownerReferences.ts"
import { countText } from "../../kubernetes/meta/text/countText.ts"
import { findNewReplicaSet } from "../../kubernetes/apps/revisions/findNewReplicaSet.ts"
import { progressingCondition } from "../../kubernetes/apps/progress.ts"
import { rolloutStateOf } from "../../kubernetes/apps/rolloutStatus.ts"
import { steeredCondition } from "../../kubernetes/steering/steeringNames.ts"
import { tallyTrouble } from "./troubleTally.ts"
import { toWorkloadHealth } from "./healthLeads.ts"
import { isGenerationObserved } from "../../kubernetes/meta/observedGeneration.ts"
import type { Deployment, Node, Pod, ReplicaSet } from "../../kubernetes/meta/objects.ts"
import type { Health, Progress, WorkloadHealth } from "./healthLeads.ts"
import type { TroubleTally } from "./troubleTally.ts"

export interface RolloutHealthObjects {
  readonly deployment: Deployment
  readonly replicaSets: ReadonlyArray<ReplicaSet>
  readonly pods: ReadonlyArray<Pod>
  readonly nodes: ReadonlyMap<string, Node>
  /** Why new Pods can never be placed, without a period: from `placementDeadlockText`. */
  readonly deadlock: string | undefined
}

export const rolloutHealth = (objects: RolloutHealthObjects): WorkloadHealth => {
  const { deployment } = objects
  const newUid = findNewReplicaSet(deployment, objects.replicaSets)?.metadata.uid
  const tally = tallyTrouble(objects.pods, objects.nodes, (pod) => controllerOf(pod)?.uid === newUid)
  const progress = progressOf(objects, tally, newUid !== undefined)
  const isFirstStart =
    progress === "rolling out" &&
    tally.troubles.length === 0 &&
    objects.replicaSets.every(({ metadata }) => metadata.uid === newUid)
  const holdText = steeringHoldText(deployment)
  const hasMissedDeadline = rolloutStateOf(deployment) === "failed"
  const causes = [
    ...causesOf(objects, tally),
    ...(progress === "rolling out" && hasMissedDeadline && holdText !== undefined ? [holdText] : [])
  ]
  return toWorkloadHealth(
    isFirstStart ? "ok" : healthOf(deployment),
    progress,
    causes.length === 0 && progress === "blocked" ? [deadlineCause(deployment, tally)] : causes
  )
}

const healthOf = (deployment: Deployment): Health => {
  const { spec, status } = deployment
  const available = status.availableReplicas ?? 0
  if (spec.replicas > 0 && available === 0) return "down"
  const { unavailableMax } = resolveFenceposts(deployment)
  return available < availableFloor({ deployment, unavailableMax }) ? "degraded" : "ok"
}

const progressOf = (
  { deployment, deadlock }: RolloutHealthObjects,
  { blockedNewPodCount, startingNewPodCount }: TroubleTally,
  hasNewReplicaSet: boolean
): Progress => {
  const { spec, status } = deployment
  const state = rolloutStateOf(deployment)
  if (state === "complete") return spec.replicas === 0 ? "idle" : "complete"
  if (spec.paused === true) return "paused"
  if (deadlock !== undefined || refusalOf(deployment) !== undefined) return "blocked"
  // With Recreate, the condition is about the previous template until the old Pods are gone.
  const isTemplateRolledOut =
    hasNewReplicaSet &&
    progressingCondition(deployment)?.reason === "NewReplicaSetAvailable" &&
    isGenerationObserved(deployment) &&
    (status.updatedReplicas ?? 0) === (status.replicas ?? 0)
  if (isTemplateRolledOut) return "idle"
  // A rollout that its steering holds past the deadline is not blocked.
  const isFailed = state === "failed" && steeringHoldText(deployment) === undefined
  if (startingNewPodCount > 0 && !isFailed) return "rolling out"
  return blockedNewPodCount > 0 || isFailed ? "blocked" : "rolling out"
}

const steeringHoldText = ({ status }: Deployment): string | undefined => {
  const condition = conditionOf(status.conditions, steeredCondition)
  const text = condition?.status === "True" ? steeringHoldTexts[condition.reason ?? ""] : undefined
  return text === undefined ? undefined : `${text}, past its deadline`
}

const steeringHoldTexts: Readonly<Record<string, string>> = {
  Holding: "its steering holds it",
  Checking: "its steering checks it",
  HeldByUser: "its user holds it"
}

const refusalOf = ({ status }: Deployment): string | undefined => {
  const failure = conditionOf(status.conditions, "ReplicaFailure")
  if (failure?.status === "True") return failure.message ?? failure.reason
  const progressing = conditionOf(status.conditions, "Progressing")
  return progressing?.reason === "ReplicaSetCreateError" ? progressing.message : undefined
}

const causesOf = (
  { deployment, deadlock }: RolloutHealthObjects,
  { troubles }: TroubleTally
): ReadonlyArray<string> => {
  const refusal = refusalOf(deployment)
  return [
    ...(refusal === undefined ? [] : [`a Pod or ReplicaSet was refused: ${refusal.replace(/\.$/u, "")}`]),
    ...(deadlock === undefined ? [] : [deadlock]),
    // The deadlock says why Pods find no node.
    ...troubles.filter(({ kind }) => deadlock === undefined || kind !== "placement").map(({ text }) => text)
  ]
}

/** Unready new Pods explain a missed deadline first, whatever old Pods do. */
const deadlineCause = ({ spec, status }: Deployment, { startingNewPodCount }: TroubleTally): string => {
  const missing = spec.replicas - (status.availableReplicas ?? 0)
  const problemText =
    startingNewPodCount > 0
      ? countText(startingNewPodCount, "new Pod does not become ready", "new Pods do not become ready")
      : missing > 0
        ? countText(missing, "Pod is not available", "Pods are not available")
        : "it is not complete"
  return `${problemText}, and its deadline has passed`
}
