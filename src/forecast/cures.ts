import { annotateArgument, steeringPatch, steeringRequests } from "../kubernetes/steering/steeringRequests.ts"
import { conditionOf } from "../kubernetes/meta/conditions.ts"
import { faultCures, isUnschedulable, nodeCures, nodesInTheWay } from "./faultCures.ts"
import { findNewReplicaSet } from "../kubernetes/apps/revisions/findNewReplicaSet.ts"
import { imageCures } from "./imageCures.ts"
import { imagesText } from "../kubernetes/pods/containers/images.ts"
import { kubectlCommand, patchRequest, workloadPath } from "./cureRequests.ts"
import { newestRevisionFirst, revisionOf } from "../kubernetes/apps/revisions/revisions.ts"
import { podsOfDeployment } from "../store/ownerLookup.ts"
import { resources } from "../kubernetes/meta/kinds.ts"
import { revisionCures } from "./revisionCures.ts"
import { rolloutStateOf } from "../kubernetes/apps/rolloutStatus.ts"
import { undoPatch, undoRollout } from "../kubernetes/apps/revisions/undoRollout.ts"
import { wasTakenBack } from "../kubernetes/steering/steeringObservation.ts"
import { undosMax } from "./playableCure.ts"
import type { CureContext, PlayableCure } from "./playableCure.ts"
import type { DaemonSet } from "../kubernetes/apps/daemonSets/daemonSetTypes.ts"
import type { Deployment, Pod, ReplicaSet } from "../kubernetes/meta/objects.ts"
import type { StatefulSet } from "../kubernetes/apps/statefulSets/statefulSetTypes.ts"
import type { Workload } from "../kubernetes/apps/workloadStatus.ts"

/** Changes that may help the workload, likeliest first; none if it is complete on ready nodes. */
export const curesFor = (workload: Workload, context: CureContext): ReadonlyArray<PlayableCure> => {
  switch (workload.kind) {
    case "Deployment":
      return deploymentCures(workload as Deployment, context)
    case "StatefulSet":
    case "DaemonSet":
      return revisionCures(workload as StatefulSet | DaemonSet, context)
    default:
      return []
  }
}

const deploymentCures = (
  deployment: Deployment,
  { view, faults }: CureContext
): ReadonlyArray<PlayableCure> => {
  const pods = podsOfDeployment(view, deployment)
  const blockingNodes = nodesInTheWay(view, pods)
  const state = rolloutStateOf(deployment)
  if (state === "complete" && blockingNodes.length === 0) return []
  const replicaSets = view.controlled(resources.replicaSets, deployment.metadata.uid)
  const isPaused = deployment.spec.paused === true
  return [
    ...faultCures(deployment, pods, faults),
    ...blockingNodes.flatMap((node) => nodeCures(node, faults)),
    ...(isPaused ? [] : [...undoCures(deployment, replicaSets), ...imageCures(deployment, pods, faults)]),
    ...scaleCures(deployment, pods),
    ...steeringCures(deployment),
    ...pauseCures(deployment, state === "complete")
  ]
}

const undoCures = (
  deployment: Deployment,
  replicaSets: ReadonlyArray<ReplicaSet>
): ReadonlyArray<PlayableCure> => {
  const newest = findNewReplicaSet(deployment, replicaSets)
  return [...replicaSets]
    .sort(newestRevisionFirst)
    .filter(
      (replicaSet) =>
        replicaSet.metadata.uid !== newest?.metadata.uid && !wasTakenBack(deployment, replicaSet)
    )
    .slice(0, undosMax)
    .flatMap((replicaSet) => {
      const revision = revisionOf(replicaSet)
      if (revision === undefined || revision === 0n) return []
      const result = undoRollout(deployment, replicaSets, Number(revision))
      if ("refusal" in result || result.updatedObject === deployment) return []
      return [
        {
          id: `undo-${revision}`,
          title: `Undo to revision ${revision} (${imagesText(replicaSet)})`,
          command: kubectlCommand("rollout undo", deployment, ` --to-revision=${revision}`),
          request: patchRequest(workloadPath(deployment), "json", undoPatch(result.updatedObject))
        }
      ]
    })
}

const scaleCures = (deployment: Deployment, pods: ReadonlyArray<Pod>): ReadonlyArray<PlayableCure> => {
  const { availableReplicas: available = 0, conditions } = deployment.status
  const isRefused = conditionOf(conditions, "ReplicaFailure")?.status === "True"
  if (available === 0 || available >= deployment.spec.replicas) return []
  if (!isRefused && !pods.some(isUnschedulable)) return []
  return [
    {
      id: "scale",
      title: `Scale to ${available}`,
      command: kubectlCommand("scale", deployment, ` --replicas=${available}`),
      request: patchRequest(workloadPath(deployment), "merge", { spec: { replicas: available } })
    }
  ]
}

/** The requests that the steering of the Deployment follows, such as a promotion. */
const steeringCures = (deployment: Deployment): ReadonlyArray<PlayableCure> =>
  steeringRequests(deployment).map((steeringRequest) => ({
    id: `steering-${steeringRequest.id}`,
    title: steeringRequest.title,
    command: kubectlCommand("annotate", deployment, ` ${annotateArgument(steeringRequest)}`),
    request: patchRequest(workloadPath(deployment), "merge", steeringPatch(steeringRequest))
  }))

const pauseCures = (deployment: Deployment, isComplete: boolean): ReadonlyArray<PlayableCure> => {
  const isPaused = deployment.spec.paused === true
  if (isComplete && !isPaused) return []
  return [
    {
      id: isPaused ? "resume" : "pause",
      title: isPaused ? "Resume" : "Pause",
      command: kubectlCommand(isPaused ? "rollout resume" : "rollout pause", deployment),
      request: patchRequest(workloadPath(deployment), "merge", { spec: { paused: !isPaused } })
    }
  ]
}
