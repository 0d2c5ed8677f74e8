import { annotationOf, revisionAnnotation } from "../../src/kubernetes/apps/revisions/revisions.ts"
import { explainGuard } from "../guards/guard.ts"
import {
  currentRecord,
  isMarkedComplete,
  isRolloutComplete,
  isControllerBehind,
  revisionText
} from "../../src/kubernetes/steering/steeringObservation.ts"
import { completedRevisionAnnotation } from "../../src/kubernetes/steering/steeringNames.ts"
import {
  hasObsoleteUndoRecord,
  isRollbackTarget,
  requestAnnotations
} from "../../src/kubernetes/steering/steeringActions.ts"
import type { SteeringObservation } from "../../src/kubernetes/steering/steeringObservation.ts"

// The record is an annotation of the Deployment. It says when the steering of the rollout began (`since`), whether the
// rollout was given up (`aborted`), and which earlier rollouts were taken back (`undone`).

const newReplicaSetText = ({ newReplicaSet }: SteeringObservation): string =>
  newReplicaSet === undefined ? "no ReplicaSet has this template" : revisionText(newReplicaSet)

const countsText = ({ deployment: { spec, status } }: SteeringObservation): string =>
  `${status.updatedReplicas ?? 0} updated and ${status.availableReplicas ?? 0} available of ${spec.replicas}, ` +
  `${status.replicas ?? 0} there`

export const controllerBehind = explainGuard(
  isControllerBehind,
  "the template has no numbered ReplicaSet",
  (seen) => {
    const { metadata, status } = seen.deployment
    return (
      `generation ${metadata.generation ?? 0}, observed ${status.observedGeneration ?? 0}; ` +
      `revision ${annotationOf(seen.deployment, revisionAnnotation) ?? "none"}, ${newReplicaSetText(seen)}`
    )
  }
)

export const rolloutUnrecorded = explainGuard(
  (seen: SteeringObservation) => currentRecord(seen) === undefined,
  "this rollout has no record",
  (seen) => `${newReplicaSetText(seen)}, recorded since ${currentRecord(seen)?.since ?? "never"}`
)

export const newlyComplete = explainGuard(
  (seen: SteeringObservation) => isRolloutComplete(seen) && !isMarkedComplete(seen),
  "complete, and its ReplicaSet unmarked",
  countsText
)

export const undoRecordObsolete = explainGuard(
  (seen: SteeringObservation) => isMarkedComplete(seen) && hasObsoleteUndoRecord(seen),
  "complete, with rollbacks on record",
  (seen) => `${currentRecord(seen)?.undone?.length ?? 0} were taken back; ${countsText(seen)}`
)

export const rolloutComplete = explainGuard<SteeringObservation>(
  isMarkedComplete,
  "its ReplicaSet is marked as complete",
  (seen) =>
    `${annotationOf(seen.newReplicaSet ?? seen.deployment, completedRevisionAnnotation) ?? "never complete"}; ${countsText(seen)}`
)

export const rolloutAborted = explainGuard(
  (seen: SteeringObservation) => currentRecord(seen)?.aborted !== undefined,
  "it was given up",
  (seen) => currentRecord(seen)?.aborted?.reason ?? "it was not given up"
)

const requestsText = ({ deployment }: SteeringObservation): string => {
  const requests = requestAnnotations.flatMap((name) => {
    const value = annotationOf(deployment, name)
    return value === undefined ? [] : `${name}: ${JSON.stringify(value)}`
  })
  return requests.length === 0 ? "its user asks for nothing" : requests.join(", ")
}

export const requestTooLate = explainGuard(
  (seen: SteeringObservation) =>
    (isMarkedComplete(seen) || isRollbackTarget(seen) || currentRecord(seen)?.aborted !== undefined) &&
    requestAnnotations.some((name) => annotationOf(seen.deployment, name) !== undefined),
  "requested of a rollout that is over, or is taken back",
  requestsText
)
