import {
  awaitsLocalPathProvisioner,
  localPathProvisionerRefusal
} from "../../kubernetes/storage/localPathVolume.ts"
import { brokenReplicaOf } from "../../kubernetes/apps/statefulSets/brokenReplica.ts"
import { conditionOf } from "../../kubernetes/meta/conditions.ts"
import { containerProblems } from "./containerConfig.ts"
import { gateWithoutStrategyText, hasApprovalGate } from "../../kubernetes/steering/podApproval.ts"
import { isNoProgressTextWithoutCause } from "../../kubernetes/steering/rolloutFailures.ts"
import { isSteered } from "../../kubernetes/steering/steeringRecord.ts"
import { storageAnnotations } from "../../kubernetes/storage/storageTypes.ts"
import { storageClassNameOf } from "../../kubernetes/storage/storageClasses.ts"
import { steeredCondition } from "../../kubernetes/steering/steeringNames.ts"
import { nodeSystemsFor, rejectionText } from "../verdicts/nodeSystems.ts"
import { controllerOf } from "../../kubernetes/meta/ownerReferences.ts"
import { findNewReplicaSet } from "../../kubernetes/apps/revisions/findNewReplicaSet.ts"
import { revisionNameOf } from "../../kubernetes/apps/statefulSets/statefulSetObservation.ts"
import { findWorkload, toWorkloadWithKind } from "../workloads.ts"
import { daemonPlacementDeadlockTextIn, placementDeadlockTextIn } from "../../store/placementInput.ts"
import { podsOfWorkload } from "../../store/ownerLookup.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { podClaimKeys } from "../../kubernetes/storage/podClaims.ts"
import { rolloutState } from "./rolloutState.ts"
import { workloadStatus } from "../../kubernetes/apps/workloadStatus.ts"
import { isPodReady } from "../../kubernetes/pods/podState.ts"
import { notReadyReason } from "../../scenario/ledger/notReadyReason.ts"
import { normalizeEvent } from "../../kubernetes/meta/normalizeEvent.ts"
import type { DocumentPath } from "../../kubernetes/meta/text/fieldPath.ts"
import type { NotReadyReason } from "../../scenario/ledger/notReadyReason.ts"
import type { Deployment, Pod, PodSpec } from "../../kubernetes/meta/objects.ts"
import type { Cluster } from "../../cluster/cluster.ts"
import type { NormalizedEvent } from "../../kubernetes/meta/normalizeEvent.ts"
import type { ConfigAndVolumes } from "./containerConfig.ts"
import type { WorkloadWithKind, WorkloadReference } from "../workloads.ts"

export interface IncompleteReason {
  readonly text: string
  readonly field?: DocumentPath
}

export const incompleteReasons = (
  cluster: Cluster["Service"],
  reference: WorkloadReference,
  configAndVolumes: ConfigAndVolumes = { keys: new Map(), emptyClaims: new Set() }
): ReadonlyArray<IncompleteReason> => {
  const { view } = cluster
  const { resource } = reference
  const workload = findWorkload(view, reference)
  const state = rolloutState(view, reference)
  if (workload === undefined || state === "complete") return []
  const workloadWithKind = toWorkloadWithKind(resource, workload)
  if (state === "paused") return [pauseReason(workloadWithKind)]
  const events = Array.from(view.all(resources.events), normalizeEvent)
  const hasNewestTemplate = newestTemplateTest(view, workloadWithKind)
  const pods = podsOfWorkload(view, resource, workload)
  const reasons = pods.flatMap((pod): ReadonlyArray<IncompleteReason> => {
    const reason = notReadyReason(pod, events)
    if (reason === undefined) return []
    return [hasNewestTemplate(pod) ? withTemplateField(reason) : { text: reason.text }]
  })
  const deadlock = placementDeadlockText(view, workloadWithKind)
  const podSpec = workload.spec.template.spec ?? {}
  // A Pod has the claims of its StatefulSet's templates, too.
  const { volumes = [] }: Partial<PodSpec> =
    pods.find((pod) => hasNewestTemplate(pod) && !isPodReady(pod))?.spec ?? podSpec
  const problems = [
    ...missingNodeProblems(podSpec, view),
    ...provisioningProblems(pods, view),
    ...foreignSystemProblems(workloadWithKind, view),
    ...containerProblems(
      { ...podSpec, volumes },
      { ...configAndVolumes, namespace: workload.metadata.namespace ?? "default" }
    )
  ]
  const steering = workloadWithKind.kind === "Deployment" ? steeringReasons(workloadWithKind.object) : []
  const brokenReplica = brokenReplicaReasons(workloadWithKind, pods)
  const allReasons = [
    ...(state === "failed" && resource === resources.jobs
      ? [{ text: withoutMatchedPod(workloadStatus(resource, workload).message) }]
      : []),
    ...steering,
    ...refusalReasons(workloadWithKind, events),
    ...(deadlock === undefined ? [] : [{ text: deadlock }]),
    ...brokenReplica,
    ...problems.map(withTemplateField),
    ...(problems.length > 0 || steering.length > 0 || brokenReplica.length > 0
      ? reasons.filter(
          ({ text }) => !vagueReasons.includes(text) && !problems.some((it) => it.text.includes(text))
        )
      : reasons)
  ]
  const reasonsByText = new Map<string, IncompleteReason>()
  for (const reason of allReasons) {
    if (reasonsByText.get(reason.text)?.field === undefined) reasonsByText.set(reason.text, reason)
  }
  return [...reasonsByText.values()]
}

/** A pod failure policy names the Pod, whose name differs between seeds. */
const withoutMatchedPod = (message: string): string =>
  message
    .replace(/ for pod \S+ failed/u, " failed")
    .replace(/\bPod \S+ has condition/u, "a Pod has condition")

const pauseReason = ({ kind, object }: WorkloadWithKind): IncompleteReason => {
  if (kind !== "Job")
    return { text: "spec.paused is true, and a paused rollout never ends", field: ["spec", "paused"] }
  return object.spec.suspend === true
    ? { text: "spec.suspend is true, and a suspended Job never ends", field: ["spec", "suspend"] }
    : { text: "spec.parallelism is 0, and such a Job runs no Pod", field: ["spec", "parallelism"] }
}

const placementDeadlockText = (
  view: Cluster["Service"]["view"],
  { kind, object }: WorkloadWithKind
): string | undefined => {
  if (kind === "Deployment") return placementDeadlockTextIn(view, object)
  return kind === "DaemonSet" ? daemonPlacementDeadlockTextIn(view, object) : undefined
}

/** Only Pods of the newest template surely have the fields of the manifest. */
const newestTemplateTest = (
  view: Cluster["Service"]["view"],
  { kind, object }: WorkloadWithKind
): ((pod: Pod) => boolean) => {
  if (kind === "StatefulSet") return (pod) => revisionNameOf(pod) === object.status.updateRevision
  if (kind !== "Deployment") return () => true
  const replicaSets = view.controlled(resources.replicaSets, object.metadata.uid)
  const uid = findNewReplicaSet(object, replicaSets)?.metadata.uid
  return (pod) => controllerOf(pod)?.uid === uid
}

const podSpecPath = ["spec", "template", "spec"]

const withTemplateField = ({ text, field = [] }: NotReadyReason): IncompleteReason => ({
  text,
  field: [...podSpecPath, ...field]
})

/** A Pod with a `nodeName` passes the scheduler by, and waits for the kubelet of that node. */
const missingNodeProblems = (
  { nodeName = "" }: Partial<PodSpec>,
  view: Cluster["Service"]["view"]
): ReadonlyArray<NotReadyReason> =>
  nodeName === "" || view.get(resources.nodes, nodeName) !== undefined
    ? []
    : [{ text: `Pods are bound to Node/${nodeName}, which does not exist`, field: ["nodeName"] }]

/** Events of refused claims may have expired by now. */
const provisioningProblems = (
  pods: ReadonlyArray<Pod>,
  view: Cluster["Service"]["view"]
): ReadonlyArray<NotReadyReason> =>
  pods.flatMap(podClaimKeys).flatMap((key) => {
    const claim = view.get(resources.persistentVolumeClaims, key)
    const storageClass = view.get(
      resources.storageClasses,
      claim === undefined ? "" : storageClassNameOf(claim)
    )
    if (claim === undefined || storageClass === undefined || !awaitsLocalPathProvisioner(claim, storageClass))
      return []
    const node = view.get(
      resources.nodes,
      claim.metadata.annotations?.[storageAnnotations.selectedNode] ?? ""
    )
    const refusal = localPathProvisionerRefusal(claim, storageClass, node)
    return refusal === undefined ? [] : [{ text: `ProvisioningFailed: ${refusal}`, field: ["volumes"] }]
  })

/** A DaemonSet needs all nodes that may take its Pods, other workloads only some. */
const foreignSystemProblems = (
  { kind, object }: WorkloadWithKind,
  view: Cluster["Service"]["view"]
): ReadonlyArray<NotReadyReason> => {
  const systems = nodeSystemsFor(object.spec.template.spec ?? {}, [...view.all(resources.nodes)])
  return systems === undefined || (systems.isOnSomeNode && kind !== "DaemonSet")
    ? []
    : [{ text: rejectionText(systems), field: ["os"] }]
}

/** A StatefulSet does not replace a broken Pod, although its template has changed. */
const brokenReplicaReasons = (
  { kind, object }: WorkloadWithKind,
  pods: ReadonlyArray<Pod>
): ReadonlyArray<IncompleteReason> => {
  const broken = kind === "StatefulSet" ? brokenReplicaOf(object, pods) : undefined
  return broken === undefined
    ? []
    : [
        {
          text: `OrderedReady waits for Pod ${broken.metadata.name}, which has an earlier template and is not ready: it has to be deleted by hand`
        }
      ]
}

const steeredWaitingReasons: ReadonlySet<string> = new Set(["Checking", "HeldByUser", "Holding"])

const steeringReasons = (deployment: Deployment): ReadonlyArray<IncompleteReason> => {
  const condition = conditionOf(deployment.status.conditions, steeredCondition)
  const isWaiting = condition?.status === "False" || steeredWaitingReasons.has(condition?.reason ?? "")
  if (isWaiting && condition?.message !== undefined)
    return [{ text: condition.message, field: ["metadata", "annotations"] }]
  return hasApprovalGate(deployment.spec.template) && !isSteered(deployment)
    ? [{ text: gateWithoutStrategyText, field: [...podSpecPath, "readinessGates"] }]
    : []
}

/** For a deadline that was missed before, which only a new ReplicaSet or a ready Pod resets. */
export const missedBeforeReason: IncompleteReason = {
  text: "no new rollout begins, and the present one had missed its deadline before: kubectl rollout status fails"
}

const vagueReasons: ReadonlyArray<string> = [
  "Pods run and are not ready",
  "Pods had not started yet",
  missedBeforeReason.text
]

export const isVagueReason = (reason: string): boolean =>
  vagueReasons.includes(reason) || isNoProgressTextWithoutCause(reason)

/** Deployments have conditions for a refusal, other workloads only Events. */
const refusalReasons = (
  { kind, object }: WorkloadWithKind,
  events: ReadonlyArray<NormalizedEvent>
): ReadonlyArray<IncompleteReason> => {
  if (kind === "Deployment") {
    const { conditions } = object.status
    const failure = conditionOf(conditions, "ReplicaFailure")?.message
    const progressing = conditionOf(conditions, "Progressing")
    return [
      ...(failure === undefined ? [] : [toRefusal(failure)]),
      ...(progressing?.reason === "ReplicaSetCreateError" && progressing.message !== undefined
        ? [{ text: withoutReplicaSetNames(progressing.message) }]
        : [])
    ]
  }
  const event = events.findLast(
    ({ involvedObject, reason }) => involvedObject.uid === object.metadata.uid && reason === "FailedCreate"
  )
  return event === undefined
    ? []
    : [toRefusal(event.message.replace(/^(?:\(combined from similar events\): )?Error creating: /u, ""))]
}

/** A quota is exceeded by the number of Pods, which more than one field decides. */
const toRefusal = (message: string): IncompleteReason => ({
  text: withoutPodName(message),
  ...(message.includes("exceeded quota") ? {} : { field: podSpecPath })
})

/** Shortens messages such as `Failed to create new replica set "web-1": replicasets.apps "web-1" is forbidden`. */
const withoutReplicaSetNames = (message: string): string =>
  message.replace(/^Failed to create new replica set "[^"]*": (?:\S+ "[^"]*" is )?/, "the new ReplicaSet is ")

/** Pod names differ from seed to seed. */
const withoutPodName = (message: string): string => message.replace(/^(?:pods|Pod) "[^"]*" is /, "Pods are ")
