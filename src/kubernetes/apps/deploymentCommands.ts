import { planHistoryCleanUp } from "./revisions/historyCleanUp.ts"
import { replicaFailureOf } from "./deploymentStatus.ts"
import {
  draftReplicaSet,
  newReplicaSetName,
  planRenumbering,
  revisionToPublish
} from "./revisions/newReplicaSet.ts"
import { newReplicaSetSize, planNewSize, planOldSizes } from "./rollingUpdate.ts"
import { planStart, planStop } from "./recreate.ts"
import { progressingCondition } from "./progress.ts"
import { planScaling } from "./scaling.ts"
import { sizeAnnotations } from "./revisions/revisions.ts"
import type { DesiredCondition } from "../meta/conditions.ts"
import type { AnnotationChanges, DeploymentCommand } from "./commands.ts"
import type { ObjectIdentity } from "./sharedCommands.ts"
import type { DeploymentObservation } from "./deploymentObservation.ts"
import type { KubeObject } from "../meta/objects.ts"
import type { Resize } from "./rollingUpdate.ts"

export type DeploymentCommands = ReadonlyArray<DeploymentCommand>

type Decide = (observation: DeploymentObservation) => DeploymentCommands

const identityOf = ({ metadata: { name, uid } }: KubeObject): ObjectIdentity => ({ name, uid })

/** Releases ReplicaSets that the selector does not match any more, and adopts those that it matches. */
export const claimReplicaSets: Decide = ({ claims }) => [
  ...claims.release.map((it) => ({ type: "releaseReplicaSet", child: identityOf(it) }) as const),
  ...claims.adopt.map((it) => ({ type: "adoptReplicaSet", child: identityOf(it) }) as const)
]

/** Creates the ReplicaSet of a new revision with as many replicas as the surge allows beside the old ones. */
export const createNew: Decide = (observation) => [
  { type: "createReplicaSet", replicaSet: draftReplicaSet(observation, newReplicaSetSize(observation)) }
]

/** Creates the ReplicaSet of a new revision at its full size. */
export const createAtFullSize: Decide = (observation) => [
  { type: "createReplicaSet", replicaSet: draftReplicaSet(observation, observation.deployment.spec.replicas) }
]

/** The commands for resizes. Each also updates the annotations by which a ReplicaSet records the Deployment's size. */
const scale = (observation: DeploymentObservation, resizes: ReadonlyArray<Resize>): DeploymentCommands => {
  const { replicas } = observation.deployment.spec
  const annotations = sizeAnnotations(replicas, replicas + observation.surgeMax)
  return resizes.map(({ replicaSet, replicasFrom, replicasTo }) => ({
    type: "scaleReplicaSet",
    name: replicaSet.metadata.name,
    replicasFrom,
    replicasTo,
    annotations
  }))
}

/** Scales the new ReplicaSet as far as the surge allows. */
export const resizeNew: Decide = (observation) => scale(observation, planNewSize(observation))
/** Scales the old ReplicaSets down as far as the floor allows. */
export const scaleDownOld: Decide = (observation) => scale(observation, planOldSizes(observation))
/** Scales all old ReplicaSets to 0. */
export const stopOld: Decide = (observation) => scale(observation, planStop(observation))
/** Scales the new ReplicaSet to its full size. */
export const startNew: Decide = (observation) => scale(observation, planStart(observation))
/** Distributes a new size of the Deployment among its ReplicaSets. */
export const scaleProportionally: Decide = (observation) => scale(observation, planScaling(observation))

/** Deletes old ReplicaSets beyond the history limit. */
export const cleanUp: Decide = (observation) =>
  planHistoryCleanUp(observation).map((it) => ({ type: "deleteReplicaSet", child: identityOf(it) }))

/** Gives the new ReplicaSet its revision number and minReadySeconds. */
export const renumberNew: Decide = (observation) => {
  const changes = planRenumbering(observation)
  if (changes === undefined || observation.newReplicaSet === undefined) return []
  return [{ type: "renumberReplicaSet", name: observation.newReplicaSet.metadata.name, ...changes }]
}

/** Reports the replica counts, and the revision if the Deployment does not show it yet. */
export const reportCounts: Decide = (observation) => [
  { type: "report", report: { part: "counts", counts: observation.counts } },
  ...showRevision(observation)
]

/** Reports ReplicaFailure, or its absence. */
export const reportFailure: Decide = (observation) => [
  { type: "report", report: { part: "replicaFailure", failure: replicaFailureOf(observation) } }
]

/** Counts a hash collision, so that the next look tries another name. */
export const reportCollision: Decide = () => [{ type: "report", report: { part: "collision" } }]

/** Copies the revision number of the new ReplicaSet to the Deployment. */
const showRevision: Decide = (observation) => {
  const revision = revisionToPublish(observation)
  return revision === undefined ? [] : [{ type: "showRevision", revision }]
}

/**
 * Records annotations on the Deployment, for a strategy that has to know something at a later look; undefined removes
 * one. They are written with the status, after all other commands of the look. As in Kubernetes, the new ReplicaSet
 * gets a copy, which a rollback to its revision brings back: a record should name the revision that it is about.
 */
export const annotateDeployment = (annotations: AnnotationChanges): DeploymentCommands => [
  { type: "annotateDeployment", annotations }
]

/**
 * Reports a condition. One with the same status and reason is left as it is; `refresh` writes it with a new
 * lastUpdateTime even if nothing else in it changes.
 */
export const reportCondition = (condition: DesiredCondition, refresh = false): DeploymentCommands => [
  { type: "report", report: { part: "condition", condition, refresh } }
]

/** Removes the Progressing condition, which a Deployment has only with a progress deadline. */
export const forgetProgress: Decide = ({ deployment }) =>
  progressingCondition(deployment) === undefined
    ? []
    : [{ type: "report", report: { part: "noCondition", conditionType: "Progressing" } }]

export const creationRefusedMessage = (observation: DeploymentObservation, message: string): string =>
  `Failed to create new replica set ${JSON.stringify(newReplicaSetName(observation.deployment))}: ${message}`
