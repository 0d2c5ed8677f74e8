import { hashLabel } from "../domain/podTemplates.ts"
import { revisionOf, stayingAnnotations, travellingAnnotations } from "../domain/revisions.ts"
import type { Deployment, ReplicaSet } from "../domain/objects.ts"

/**
 * The Deployment with the template and annotations of the revision before its present one, as `kubectl
 * rollout undo` writes it; undefined where there is none.
 *
 * Source: staging/src/k8s.io/kubectl/pkg/polymorphichelpers/rollback.go (DeploymentRollbacker).
 */
export const undone = (deployment: Deployment, replicaSets: Iterable<ReplicaSet>): Deployment | undefined => {
  const [, previous] = [...replicaSets].sort((a, b) => revisionNumber(b) - revisionNumber(a))
  if (previous === undefined) return undefined
  const { template } = previous.spec
  const { [hashLabel]: _hash, ...labels } = template.metadata?.labels ?? {}
  return {
    ...deployment,
    metadata: {
      ...deployment.metadata,
      annotations: {
        ...stayingAnnotations(deployment.metadata.annotations),
        ...travellingAnnotations(previous.metadata.annotations)
      }
    },
    spec: { ...deployment.spec, template: { ...template, metadata: { ...template.metadata, labels } } }
  }
}

const revisionNumber = (replicaSet: ReplicaSet): number => revisionOf(replicaSet) ?? 0
