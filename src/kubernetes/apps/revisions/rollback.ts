import { templateHashLabel, isSameTemplate } from "./podTemplates.ts"
import {
  annotationOf,
  parseInt64,
  revisionOf,
  rollbackAnnotation,
  uncopiedAnnotations,
  copiedAnnotations
} from "./revisions.ts"
import { recordEvent } from "../sharedCommands.ts"
import type { DeploymentCommands } from "../deploymentCommands.ts"
import type { DeploymentObservation } from "../deploymentObservation.ts"
import type { Deployment, ReplicaSet } from "../../meta/objects.ts"

/**
 * Rollback to an earlier revision by annotation. The annotation is removed whether or not the rollback succeeds.
 * Source: pkg/controller/deployment/rollback.go.
 */

/** The revision that the annotation requests; undefined if there is no valid request. */
export const rollbackRevision = ({ deployment }: DeploymentObservation): bigint | undefined => {
  const text = annotationOf(deployment, rollbackAnnotation)
  return text === undefined ? undefined : parseInt64(text)
}

/**
 * The ReplicaSet of the requested revision, where 0 is the revision before the newest. `none`: there is no such earlier
 * revision. `unknown`: no ReplicaSet has the revision.
 */
export const rollbackTarget = (
  observation: DeploymentObservation,
  revision: bigint
): ReplicaSet | "none" | "unknown" => {
  const wantedRevision = revision === 0n ? previousRevision(observation.replicaSets) : revision
  if (wantedRevision === 0n) return "none"
  return observation.replicaSets.find((it) => revisionOf(it) === wantedRevision) ?? "unknown"
}

const previousRevision = (replicaSets: ReadonlyArray<ReplicaSet>): bigint => {
  let [max, second] = [0n, 0n]
  for (const replicaSet of replicaSets) {
    const revision = revisionOf(replicaSet)
    if (revision === undefined) continue
    if (revision >= max) [second, max] = [max, revision]
    else if (revision > second) second = revision
  }
  return second
}

/** The commands for an observation with a valid request. If it cannot be met, they only remove the annotation. */
export const rollBack = (observation: DeploymentObservation): DeploymentCommands => {
  const target = rollbackTarget(observation, rollbackRevision(observation) ?? 0n)
  const warn = (reason: string, message: string): DeploymentCommands => [
    { type: "rollBack", to: undefined },
    recordEvent("Warning", reason, message)
  ]
  if (target === "none") {
    return warn("DeploymentRollbackRevisionNotFound", "Unable to find last revision.")
  }
  if (target === "unknown") {
    return warn("DeploymentRollbackRevisionNotFound", "Unable to find the revision to rollback to.")
  }
  const { name } = observation.deployment.metadata
  if (isSameTemplate(target.spec.template, observation.deployment.spec.template)) {
    const message = `The rollback revision contains the same template as current deployment ${JSON.stringify(name)}`
    return warn("DeploymentRollbackTemplateUnchanged", message)
  }
  const message = `Rolled back deployment ${JSON.stringify(name)} to revision ${revisionOf(target)}`
  return [{ type: "rollBack", to: target }, recordEvent("Normal", "DeploymentRollback", message)]
}

/**
 * The Deployment after a rollback to `to`, without the rollback annotation. If `to` is undefined, only that is removed.
 */
export const withRollback = (deployment: Deployment, to: ReplicaSet | undefined): Deployment => {
  const { [rollbackAnnotation]: _request, ...annotations } = deployment.metadata.annotations ?? {}
  const cleared = { ...deployment, metadata: { ...deployment.metadata, annotations } }
  return to === undefined ? cleared : withTemplateOf(cleared, to)
}

/** The Deployment with a ReplicaSet's template, and its annotations as far as the two copy them from each other. */
export const withTemplateOf = (deployment: Deployment, replicaSet: ReplicaSet): Deployment => {
  const { metadata } = deployment
  const annotations = {
    ...uncopiedAnnotations(metadata.annotations),
    ...copiedAnnotations(replicaSet.metadata.annotations)
  }
  return withTemplateOnly({ ...deployment, metadata: { ...metadata, annotations } }, replicaSet)
}

/** The Deployment with a ReplicaSet's template, without the label that only the ReplicaSet's own Pods have. */
export const withTemplateOnly = (deployment: Deployment, { spec: { template } }: ReplicaSet): Deployment => {
  const { [templateHashLabel]: _hash, ...labels } = template.metadata?.labels ?? {}
  return {
    ...deployment,
    spec: { ...deployment.spec, template: { ...template, metadata: { ...template.metadata, labels } } }
  }
}
