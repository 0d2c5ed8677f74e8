import { conditionOf } from "../../kubernetes/meta/conditions.ts"
import { containerProblems } from "./containerConfig.ts"
import { gateWithoutStrategyText, isGatedTemplate } from "../../kubernetes/steering/podApproval.ts"
import { isDeadlineUnexplained } from "../../kubernetes/steering/rolloutFailures.ts"
import { isSteered } from "../../kubernetes/steering/steeringRecord.ts"
import { steeredCondition } from "../../kubernetes/steering/steeringNames.ts"
import { findWorkload, toWorkloadWithKind } from "../workloads.ts"
import { placementDeadlockIn } from "../../store/placementInput.ts"
import { podsOfWorkload } from "../../store/ownerLookup.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { rolloutState } from "./rolloutState.ts"
import { workloadStatus } from "../../kubernetes/apps/workloadStatus.ts"
import { whyPodsNotReady } from "../../scenario/ledger/notReadyReason.ts"
import { normalizeEvent } from "../../kubernetes/meta/normalizeEvent.ts"
import type { Deployment } from "../../kubernetes/meta/objects.ts"
import type { Cluster } from "../../cluster/cluster.ts"
import type { NormalizedEvent } from "../../kubernetes/meta/normalizeEvent.ts"
import type { ConfigKeys } from "./containerConfig.ts"
import type { WorkloadWithKind, WorkloadReference } from "../workloads.ts"

/** Why the rollout of a workload is not complete; empty if it is. */
export const incompleteReasons = (
  cluster: Cluster["Service"],
  reference: WorkloadReference,
  keys: ConfigKeys = new Map()
): ReadonlyArray<string> => {
  const { view } = cluster
  const { resource } = reference
  const workload = findWorkload(view, reference)
  const state = rolloutState(view, reference)
  if (workload === undefined || state === "complete") return []
  if (state === "paused")
    return [
      resource === resources.jobs
        ? "spec.suspend is true, and a suspended Job never ends"
        : "spec.paused is true, and a paused rollout never ends"
    ]
  const events = Array.from(view.all(resources.events), normalizeEvent)
  const reasons = podsOfWorkload(view, resource, workload).flatMap(
    (pod) => whyPodsNotReady(pod, events) ?? []
  )
  const played = toWorkloadWithKind(resource, workload)
  const deadlock = played.kind === "Deployment" ? placementDeadlockIn(view, played.object) : undefined
  const problems = containerProblems(workload.spec.template.spec ?? {}, {
    namespace: workload.metadata.namespace ?? "default",
    keys
  })
  const steering = played.kind === "Deployment" ? steeringReasons(played.object) : []
  const allReasons = [
    ...(state === "failed" && resource === resources.jobs
      ? [workloadStatus(resource, workload).message]
      : []),
    ...steering,
    ...refusalOf(played, events),
    // The cause of what the Pods say.
    ...(deadlock === undefined ? [] : [deadlock]),
    ...problems,
    ...(problems.length > 0 || steering.length > 0
      ? reasons.filter((reason) => !vagueReasons.includes(reason))
      : reasons)
  ]
  return [...new Set(allReasons)]
}

/** The reasons of the condition with which a rollout waits for something else than its Pods. */
const waitingReasons: ReadonlySet<string> = new Set(["Checking", "HeldByUser", "Holding"])

/** Why the steering approves no Pods, or that there is none. */
const steeringReasons = (deployment: Deployment): ReadonlyArray<string> => {
  const condition = conditionOf(deployment.status.conditions, steeredCondition)
  const isWaiting = condition?.status === "False" || waitingReasons.has(condition?.reason ?? "")
  if (isWaiting && condition?.message !== undefined) return [condition.message]
  return isGatedTemplate(deployment.spec.template) && !isSteered(deployment) ? [gateWithoutStrategyText] : []
}

/** That Pods are not ready, without the cause. */
const vagueReasons: ReadonlyArray<string> = ["Pods run and are not ready", "Pods had not started yet"]

/** Whether a reason tells that Pods are not ready, or that their steering has waited in vain, without the cause. */
export const isVagueReason = (reason: string): boolean =>
  vagueReasons.includes(reason) || isDeadlineUnexplained(reason)

/** Why the API server refuses Pods. Deployments have a condition for it, other workloads only Events. */
const refusalOf = (
  { kind, object }: WorkloadWithKind,
  events: ReadonlyArray<NormalizedEvent>
): ReadonlyArray<string> => {
  if (kind === "Deployment") {
    const failure = conditionOf(object.status.conditions, "ReplicaFailure")?.message
    return failure === undefined ? [] : [withoutPodName(failure)]
  }
  const event = events.findLast(
    ({ involvedObject, reason }) => involvedObject.uid === object.metadata.uid && reason === "FailedCreate"
  )
  return event === undefined ? [] : [withoutPodName(event.message.replace(/^Error creating: /u, ""))]
}

/** The Pod's name differs from seed to seed: `pods "web-1" is forbidden`, `Pod "web-1" is invalid`. */
const withoutPodName = (message: string): string => message.replace(/^(?:pods|Pod) "[^"]*" is /, "Pods are ")
