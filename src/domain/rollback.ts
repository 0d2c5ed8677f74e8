import { hashLabel, isSameTemplate } from "./podTemplates.ts"
import {
  annotationOf,
  integerOf,
  revisionOf,
  rollbackAnnotation,
  stayingAnnotations,
  travellingAnnotations
} from "./revisions.ts"
import type { Commands } from "./deploymentCommands.ts"
import type { DeploymentObservation } from "./observations.ts"
import type { Deployment, ReplicaSet } from "./objects.ts"

/**
 * Going back to an earlier revision that was asked for by annotation, which is taken away whatever comes of it.
 *
 * Source: pkg/controller/deployment/rollback.go.
 */

/** The revision asked for; undefined where none is that can be read. */
export const rollbackRevision = ({ deployment }: DeploymentObservation): bigint | undefined => {
  const text = annotationOf(deployment, rollbackAnnotation)
  return text === undefined ? undefined : integerOf(text)
}

/** Who has the revision asked for, 0 meaning the one before the present one. */
export const rollbackTarget = (
  seen: DeploymentObservation,
  revision: bigint
): ReplicaSet | "none" | "unknown" => {
  const wanted = revision === 0n ? lastRevision(seen.replicaSets) : revision
  if (wanted === 0n) return "none"
  return seen.replicaSets.find((it) => revisionOf(it) === wanted) ?? "unknown"
}

/** The second highest revision. */
const lastRevision = (replicaSets: ReadonlyArray<ReplicaSet>): bigint => {
  let [max, second] = [0n, 0n]
  for (const replicaSet of replicaSets) {
    const revision = revisionOf(replicaSet)
    if (revision === undefined) continue
    if (revision >= max) [second, max] = [max, revision]
    else if (revision > second) second = revision
  }
  return second
}

/** Goes back, or says why it cannot. */
export const rollBack = (seen: DeploymentObservation): Commands => {
  const target = rollbackTarget(seen, rollbackRevision(seen) ?? 0n)
  const warn = (reason: string, message: string): Commands => [
    { type: "rollBack", to: undefined },
    { type: "recordEvent", eventType: "Warning", reason, message }
  ]
  if (target === "none") {
    return warn("DeploymentRollbackRevisionNotFound", "Unable to find last revision.")
  }
  if (target === "unknown") {
    return warn("DeploymentRollbackRevisionNotFound", "Unable to find the revision to rollback to.")
  }
  const { name } = seen.deployment.metadata
  if (isSameTemplate(target.spec.template, seen.deployment.spec.template)) {
    const message = `The rollback revision contains the same template as current deployment ${JSON.stringify(name)}`
    return warn("DeploymentRollbackTemplateUnchanged", message)
  }
  const message = `Rolled back deployment ${JSON.stringify(name)} to revision ${revisionOf(target)}`
  return [
    { type: "rollBack", to: target },
    { type: "recordEvent", eventType: "Normal", reason: "DeploymentRollback", message }
  ]
}

/**
 * The Deployment with the template and the travelling annotations of an earlier revision, or as it is; in either case
 * without the request.
 */
export const rolledBack = (deployment: Deployment, to: ReplicaSet | undefined): Deployment => {
  const { [rollbackAnnotation]: _request, ...annotations } = deployment.metadata.annotations ?? {}
  const without = { ...deployment, metadata: { ...deployment.metadata, annotations } }
  return to === undefined ? without : withTemplateOf(without, to)
}

/** The Deployment with the template and the travelling annotations of one of its ReplicaSets. */
export const withTemplateOf = (deployment: Deployment, { metadata, spec }: ReplicaSet): Deployment => {
  const { template } = spec
  const { [hashLabel]: _hash, ...labels } = template.metadata?.labels ?? {}
  return {
    ...deployment,
    metadata: {
      ...deployment.metadata,
      annotations: {
        ...stayingAnnotations(deployment.metadata.annotations),
        ...travellingAnnotations(metadata.annotations)
      }
    },
    spec: { ...deployment.spec, template: { ...template, metadata: { ...template.metadata, labels } } }
  }
}
