import { hashLabel, templateHash } from "./podTemplates.ts"
import { controllerReference } from "./ownerReferences.ts"
import {
  annotationOf,
  maxRevision,
  renumberedAnnotations,
  revisionAnnotation,
  sizeAnnotations,
  travellingAnnotations
} from "./revisions.ts"
import type { DeploymentObservation, Fact } from "./observations.ts"
import type { Annotations, Deployment, Draft, ReplicaSet } from "./objects.ts"

/**
 * The ReplicaSet of a new revision, and keeping the present one's number and annotations in step.
 *
 * Source: pkg/controller/deployment/sync.go (getNewReplicaSet).
 */

/** Names have at most this many characters; the Deployment's part gives way to the hash. */
const nameLengthMax = 253

/** What a ReplicaSet of the present template is called. */
export const nextName = (deployment: Deployment): string => {
  const hash = templateHash(deployment.spec.template, deployment.status.collisionCount)
  return `${deployment.metadata.name.slice(0, nameLengthMax - hash.length - 1)}-${hash}`
}

export const isNextMissing: Fact = ({ next }) => next === undefined

/** Somebody else has the name that the missing one would get. */
export const isNameTaken: Fact = ({ nameTakenBy }) => nameTakenBy !== undefined

/** The number that the present template has among all revisions so far. */
const nextRevision = (seen: DeploymentObservation): bigint => maxRevision(seen.previous) + 1n

/** The new ReplicaSet of this size as it should be created. */
export const newReplicaSet = (seen: DeploymentObservation, replicas: number): ReplicaSetDraft => {
  const { deployment } = seen
  const { spec } = deployment
  const hash = templateHash(spec.template, deployment.status.collisionCount)
  const labels = { ...spec.template.metadata?.labels, [hashLabel]: hash }
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: {
      name: nextName(deployment),
      ...(deployment.metadata.namespace === undefined ? {} : { namespace: deployment.metadata.namespace }),
      labels,
      annotations: {
        ...travellingAnnotations(deployment.metadata.annotations),
        [revisionAnnotation]: String(nextRevision(seen)),
        ...sizeAnnotations(spec.replicas, spec.replicas + seen.surgeMax)
      },
      ownerReferences: [controllerReference(deployment)]
    },
    spec: {
      replicas,
      ...(spec.minReadySeconds === undefined ? {} : { minReadySeconds: spec.minReadySeconds }),
      selector: { ...spec.selector, matchLabels: { ...spec.selector.matchLabels, [hashLabel]: hash } },
      template: { ...spec.template, metadata: { ...spec.template.metadata, labels } }
    }
  }
}

export interface ReplicaSetDraft extends Draft {
  readonly spec: ReplicaSet["spec"]
}

/**
 * How the ReplicaSet of the present template must be rewritten to carry its number; undefined when it is in
 * step.
 */
export const renumbering = (
  seen: DeploymentObservation
): { readonly annotations: Annotations; readonly minReadySeconds: number } | undefined => {
  const { deployment, next } = seen
  if (next === undefined) return undefined
  const annotations = renumberedAnnotations(deployment, next, nextRevision(seen))
  const minReadySeconds = deployment.spec.minReadySeconds ?? 0
  if (annotations === undefined && (next.spec.minReadySeconds ?? 0) === minReadySeconds) return undefined
  return { annotations: annotations ?? next.metadata.annotations ?? {}, minReadySeconds }
}

/** The number the Deployment itself should carry: that of its ReplicaSet, once both are in step. */
export const revisionToShow = (seen: DeploymentObservation): string | undefined => {
  if (seen.next === undefined) return undefined
  const revision = annotationOf(seen.next, revisionAnnotation)
  return revision === annotationOf(seen.deployment, revisionAnnotation) ? undefined : revision
}
