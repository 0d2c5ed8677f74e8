import { templateHashLabel, isSameTemplate } from "./podTemplates.ts"
import {
  annotationOf,
  parseInt64,
  revisionOf,
  rollbackAnnotation,
  uncopiedAnnotations,
  copiedAnnotations
} from "./revisions.ts"
import { revisionNotFoundEvent, rolledBackEvent, sameTemplateEvent } from "../deploymentEvents.ts"
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
  if (target === "none" || target === "unknown")
    return [{ type: "rollBack", to: undefined }, revisionNotFoundEvent(target)]
  const { metadata, spec } = observation.deployment
  return isSameTemplate(target.spec.template, spec.template)
    ? [{ type: "rollBack", to: undefined }, sameTemplateEvent(metadata.name)]
    : [{ type: "rollBack", to: target }, rolledBackEvent(metadata.name, revisionOf(target))]
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
