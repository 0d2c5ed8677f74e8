import {
  isNameTaken,
  isNewMissing,
  newReplicaSetName
} from "../../src/kubernetes/apps/revisions/newReplicaSet.ts"
import { wasComplete } from "../../src/kubernetes/apps/progress.ts"
import { explainGuard } from "../guards/guard.ts"
import type { DeploymentObservation } from "../../src/kubernetes/apps/deploymentObservation.ts"
import type { Resize } from "../../src/kubernetes/apps/rollingUpdate.ts"

export const newReplicaSetNameTaken = explainGuard(
  isNameTaken,
  "the new one's name is taken",
  ({ collidingName, deployment }) =>
    collidingName === undefined
      ? `no other ReplicaSet is called ${newReplicaSetName(deployment)}`
      : `${collidingName} has another owner or another template`
)

export const newReplicaSetMissing = explainGuard(
  isNewMissing,
  "the new ReplicaSet is missing",
  ({ newReplicaSet, deployment }) =>
    newReplicaSet === undefined
      ? `no ReplicaSet has this template: ${newReplicaSetName(deployment)} is missing`
      : `${newReplicaSet.metadata.name} has this template`
)

/** Judges the last reported status, not the present Pods. */
export const isReportedComplete = explainGuard(
  wasComplete,
  "all are new and available",
  ({ deployment: { spec, status, metadata } }) => {
    const { updatedReplicas = 0, replicas = 0, availableReplicas = 0, observedGeneration = 0 } = status
    const counts = `reported ${updatedReplicas} updated, ${replicas} there, ${availableReplicas} available`
    return `${counts}, ${spec.replicas} desired; generation ${metadata.generation ?? 0}, observed ${observedGeneration}`
  }
)

export const resizesText = (resizes: ReadonlyArray<Resize>, emptyText: string): string =>
  resizes.length === 0
    ? emptyText
    : resizes
        .map(
          ({ replicaSet, replicasFrom, replicasTo }) =>
            `${replicaSet.metadata.name} ${replicasFrom} -> ${replicasTo}`
        )
        .join(", ")

export const floorText = ({ deployment: { spec }, unavailableMax }: DeploymentObservation): string =>
  unavailableMax === 0 ? `floor ${spec.replicas}` : `floor ${spec.replicas} - ${unavailableMax}`
