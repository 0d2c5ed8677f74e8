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

/** Source: deployment/rollback.go. */

/** Undefined if there is no valid request. */
export const rollbackRevision = ({ deployment }: DeploymentObservation): bigint | undefined => {
  const text = annotationOf(deployment, rollbackAnnotation)
  return text === undefined ? undefined : parseInt64(text)
}

/**
 * Revision 0 is the one before the newest. `none`: there is no earlier revision. `unknown`: no
 * ReplicaSet has the revision.
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
  let [highest, secondHighest] = [0n, 0n]
  for (const replicaSet of replicaSets) {
    const revision = revisionOf(replicaSet)
    if (revision === undefined) continue
    if (revision >= highest) [secondHighest, highest] = [highest, revision]
    else if (revision > secondHighest) secondHighest = revision
  }
  return secondHighest
}

/** The annotation is removed even if the rollback fails. */
export const rollBack = (observation: DeploymentObservation): DeploymentCommands => {
  const target = rollbackTarget(observation, rollbackRevision(observation) ?? 0n)
  if (target === "none" || target === "unknown")
    return [{ type: "rollBack", to: undefined }, revisionNotFoundEvent(target)]
  const { metadata, spec } = observation.deployment
  return isSameTemplate(target.spec.template, spec.template)
    ? [{ type: "rollBack", to: undefined }, sameTemplateEvent(metadata.name)]
    : [{ type: "rollBack", to: target }, rolledBackEvent(metadata.name, revisionOf(target))]
}

export const withRollback = (deployment: Deployment, to: ReplicaSet | undefined): Deployment => {
  const { [rollbackAnnotation]: _request, ...annotations } = deployment.metadata.annotations ?? {}
  const cleared = { ...deployment, metadata: { ...deployment.metadata, annotations } }
  return to === undefined ? cleared : withTemplateOf(cleared, to)
}

/** Also restores the annotations that the ReplicaSet has copied from the Deployment. */
export const withTemplateOf = (deployment: Deployment, replicaSet: ReplicaSet): Deployment => {
  const { metadata } = deployment
  const annotations = {
    ...uncopiedAnnotations(metadata.annotations),
    ...copiedAnnotations(replicaSet.metadata.annotations)
  }
  return withTemplateOnly({ ...deployment, metadata: { ...metadata, annotations } }, replicaSet)
}

/** The template without `pod-template-hash`. */
export const withTemplateOnly = (deployment: Deployment, { spec: { template } }: ReplicaSet): Deployment => {
  const { [templateHashLabel]: _hash, ...labels } = template.metadata?.labels ?? {}
  return {
    ...deployment,
    spec: { ...deployment.spec, template: { ...template, metadata: { ...template.metadata, labels } } }
  }
}
