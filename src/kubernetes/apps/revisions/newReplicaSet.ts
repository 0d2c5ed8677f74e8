import { templateHashLabel, templateHash } from "./podTemplates.ts"
import { controllerReference } from "../../meta/ownerReferences.ts"
import {
  annotationOf,
  maxRevision,
  renumberedAnnotations,
  revisionAnnotation,
  sizeAnnotations,
  copiedAnnotations
} from "./revisions.ts"
import type { DeploymentObservation, DeploymentGuard } from "../deploymentObservation.ts"
import type { Annotations, Deployment, Draft, ReplicaSet } from "../../meta/objects.ts"

/** Source: deployment/sync.go (getNewReplicaSet). */

const nameLengthMax = 253

export const newReplicaSetName = (deployment: Deployment): string => {
  const hash = templateHash(deployment.spec.template, deployment.status.collisionCount)
  return `${deployment.metadata.name.slice(0, nameLengthMax - hash.length - 1)}-${hash}`
}

export const isNewMissing: DeploymentGuard = ({ newReplicaSet }) => newReplicaSet === undefined

/** Another object has the name of the missing ReplicaSet: a hash collision. */
export const isNameTaken: DeploymentGuard = ({ collidingName }) => collidingName !== undefined

const newRevision = (observation: DeploymentObservation): bigint =>
  maxRevision(observation.oldReplicaSets) + 1n

export const draftReplicaSet = (observation: DeploymentObservation, replicas: number): ReplicaSetDraft => {
  const { deployment } = observation
  const { spec } = deployment
  const hash = templateHash(spec.template, deployment.status.collisionCount)
  const labels = { ...spec.template.metadata?.labels, [templateHashLabel]: hash }
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: {
      name: newReplicaSetName(deployment),
      ...(deployment.metadata.namespace === undefined ? {} : { namespace: deployment.metadata.namespace }),
      labels,
      annotations: {
        ...copiedAnnotations(deployment.metadata.annotations),
        [revisionAnnotation]: String(newRevision(observation)),
        ...sizeAnnotations(spec.replicas, spec.replicas + observation.surgeMax)
      },
      ownerReferences: [controllerReference(deployment)]
    },
    spec: {
      replicas,
      ...(spec.minReadySeconds === undefined ? {} : { minReadySeconds: spec.minReadySeconds }),
      selector: {
        ...spec.selector,
        matchLabels: { ...spec.selector.matchLabels, [templateHashLabel]: hash }
      },
      template: { ...spec.template, metadata: { ...spec.template.metadata, labels } }
    }
  }
}

export interface ReplicaSetDraft extends Draft {
  readonly spec: ReplicaSet["spec"]
}

/** Undefined if the new ReplicaSet is up to date. */
export const planRenumbering = (
  observation: DeploymentObservation
): { readonly annotations: Annotations; readonly minReadySeconds: number } | undefined => {
  const { deployment, newReplicaSet } = observation
  if (newReplicaSet === undefined) return undefined
  const annotations = renumberedAnnotations(deployment, newReplicaSet, newRevision(observation))
  const minReadySeconds = deployment.spec.minReadySeconds ?? 0
  if (annotations === undefined && (newReplicaSet.spec.minReadySeconds ?? 0) === minReadySeconds)
    return undefined
  return { annotations: annotations ?? newReplicaSet.metadata.annotations ?? {}, minReadySeconds }
}

export const revisionToPublish = (observation: DeploymentObservation): string | undefined => {
  if (observation.newReplicaSet === undefined) return undefined
  const revision = annotationOf(observation.newReplicaSet, revisionAnnotation)
  return revision === annotationOf(observation.deployment, revisionAnnotation) ? undefined : revision
}
