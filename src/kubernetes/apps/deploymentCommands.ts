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
import { identityOf } from "./sharedCommands.ts"
import { sizeAnnotations } from "./revisions/revisions.ts"
import type { DesiredCondition } from "../meta/conditions.ts"
import type { AnnotationChanges, DeploymentCommand } from "./commands.ts"
import type { DeploymentObservation } from "./deploymentObservation.ts"
import type { Resize } from "./rollingUpdate.ts"

export type DeploymentCommands = ReadonlyArray<DeploymentCommand>

type Decide = (observation: DeploymentObservation) => DeploymentCommands

export const claimReplicaSets: Decide = ({ claims }) => [
  ...claims.release.map((it) => ({ type: "releaseReplicaSet", child: identityOf(it) }) as const),
  ...claims.adopt.map((it) => ({ type: "adoptReplicaSet", child: identityOf(it) }) as const)
]

export const createNew: Decide = (observation) => [
  { type: "createReplicaSet", replicaSet: draftReplicaSet(observation, newReplicaSetSize(observation)) }
]

export const createAtFullSize: Decide = (observation) => [
  { type: "createReplicaSet", replicaSet: draftReplicaSet(observation, observation.deployment.spec.replicas) }
]

/** Each resize also updates the annotations that record the Deployment's size. */
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

export const resizeNew: Decide = (observation) => scale(observation, planNewSize(observation))
export const scaleDownOld: Decide = (observation) => scale(observation, planOldSizes(observation))
export const stopOld: Decide = (observation) => scale(observation, planStop(observation))
export const startNew: Decide = (observation) => scale(observation, planStart(observation))
export const scaleProportionally: Decide = (observation) => scale(observation, planScaling(observation))

export const cleanUp: Decide = (observation) =>
  planHistoryCleanUp(observation).map((it) => ({ type: "deleteReplicaSet", child: identityOf(it) }))

export const renumberNew: Decide = (observation) => {
  const changes = planRenumbering(observation)
  if (changes === undefined || observation.newReplicaSet === undefined) return []
  return [{ type: "renumberReplicaSet", name: observation.newReplicaSet.metadata.name, ...changes }]
}

/** Also reports the revision if the Deployment does not show it yet. */
export const reportCounts: Decide = (observation) => [
  { type: "report", report: { part: "counts", counts: observation.counts } },
  ...showRevision(observation)
]

export const reportFailure: Decide = (observation) => [
  { type: "report", report: { part: "replicaFailure", failure: replicaFailureOf(observation) } }
]

export const reportCollision: Decide = () => [{ type: "report", report: { part: "collision" } }]

const showRevision: Decide = (observation) => {
  const revision = revisionToPublish(observation)
  return revision === undefined ? [] : [{ type: "showRevision", revision }]
}

/**
 * Records annotations on the Deployment; undefined removes one. The new ReplicaSet gets a copy, and a rollback
 * restores it: a value should name its revision.
 */
export const annotateDeployment = (annotations: AnnotationChanges): DeploymentCommands => [
  { type: "annotateDeployment", annotations }
]

/** `refresh` writes the condition with a new lastUpdateTime even if nothing else changes. */
export const reportCondition = (condition: DesiredCondition, refresh = false): DeploymentCommands => [
  { type: "report", report: { part: "condition", condition, refresh } }
]

export const forgetProgress: Decide = ({ deployment }) =>
  progressingCondition(deployment) === undefined
    ? []
    : [{ type: "report", report: { part: "noCondition", conditionType: "Progressing" } }]

export const creationRefusedMessage = (observation: DeploymentObservation, message: string): string =>
  `Failed to create new replica set ${JSON.stringify(newReplicaSetName(observation.deployment))}: ${message}`
