import { planCleanUp } from "./cleanUp.ts"
import { replicaFailureOf } from "./deploymentStatus.ts"
import { newReplicaSet, nextName, renumbering, revisionToShow } from "./newReplicaSet.ts"
import { nextSize, planNext, planPrevious } from "./rollingUpdate.ts"
import { planStart, planStop } from "./recreate.ts"
import { progressingOf } from "./progress.ts"
import { planScaling } from "./scaling.ts"
import { sizeAnnotations } from "./revisions.ts"
import type { ConditionClaim } from "./conditions.ts"
import type { DeploymentCommand, ObjectIdentity } from "./commands.ts"
import type { DeploymentObservation } from "./observations.ts"
import type { KubeObject } from "./objects.ts"
import type { Resize } from "./rollingUpdate.ts"

/** The commands that follow from an observation, one function a thing the chart may say. */
export type Commands = ReadonlyArray<DeploymentCommand>

type Say = (seen: DeploymentObservation) => Commands

const identityOf = ({ metadata: { name, uid } }: KubeObject): ObjectIdentity => ({ name, uid })

export const claimReplicaSets: Say = ({ claims }) => [
  ...claims.release.map((it) => ({ type: "releaseReplicaSet", child: identityOf(it) }) as const),
  ...claims.adopt.map((it) => ({ type: "adoptReplicaSet", child: identityOf(it) }) as const)
]

/** The ReplicaSet of a new revision, as large as the surge leaves room for beside the old ones. */
export const createNext: Say = (seen) => [
  { type: "createReplicaSet", replicaSet: newReplicaSet(seen, nextSize(seen)) }
]

/** The same at its full size, whatever else runs. */
export const createWhole: Say = (seen) => [
  { type: "createReplicaSet", replicaSet: newReplicaSet(seen, seen.deployment.spec.replicas) }
]

/** Every resize also refreshes what the ReplicaSet remembers of its Deployment's size. */
const scale = (seen: DeploymentObservation, resizes: ReadonlyArray<Resize>): Commands => {
  const { replicas } = seen.deployment.spec
  const annotations = sizeAnnotations(replicas, replicas + seen.surgeMax)
  return resizes.map(({ replicaSet, replicasFrom, replicasTo }) => ({
    type: "scaleReplicaSet",
    name: replicaSet.metadata.name,
    replicasFrom,
    replicasTo,
    annotations
  }))
}

export const resizeNext: Say = (seen) => scale(seen, planNext(seen))
export const shrinkPrevious: Say = (seen) => scale(seen, planPrevious(seen))
export const stopPrevious: Say = (seen) => scale(seen, planStop(seen))
export const startNext: Say = (seen) => scale(seen, planStart(seen))
export const shareSize: Say = (seen) => scale(seen, planScaling(seen))

export const cleanUp: Say = (seen) =>
  planCleanUp(seen).map((it) => ({ type: "deleteReplicaSet", child: identityOf(it) }))

export const renumberNext: Say = (seen) => {
  const wanted = renumbering(seen)
  if (wanted === undefined || seen.next === undefined) return []
  return [{ type: "renumberReplicaSet", name: seen.next.metadata.name, ...wanted }]
}

/** How many Pods there are and of what state, and the revision of the ReplicaSet of this template. */
export const reportCounts: Say = (seen) => [
  { type: "report", report: { part: "counts", counts: seen.counts } },
  ...showRevision(seen)
]

/** The failure of a ReplicaSet, or that none fails any more. */
export const reportFailure: Say = (seen) => [
  { type: "report", report: { part: "replicaFailure", failure: replicaFailureOf(seen) } }
]

export const reportCollision: Say = () => [{ type: "report", report: { part: "collision" } }]

const showRevision: Say = (seen) => {
  const revision = revisionToShow(seen)
  return revision === undefined ? [] : [{ type: "showRevision", revision }]
}

export const reportCondition = (claim: ConditionClaim, refresh = false): Commands => [
  { type: "report", report: { part: "condition", claim, refresh } }
]

/** Without a deadline nobody waits for progress, and nothing is said of it. */
export const forgetProgress: Say = ({ deployment }) =>
  progressingOf(deployment) === undefined
    ? []
    : [{ type: "report", report: { part: "noCondition", conditionType: "Progressing" } }]

/** Said when the server refuses the ReplicaSet of a new revision. */
export const creationRefused = (seen: DeploymentObservation, message: string): string =>
  `Failed to create new replica set ${JSON.stringify(nextName(seen.deployment))}: ${message}`
