import { controllerReference } from "../../meta/ownerReferences.ts"
import type { OwnerReference } from "kubernetes-types/meta/v1.js"
import type { Draft, PodTemplate, ReplicaSet, ReplicaSetStatus } from "../../meta/objects.ts"

/** Source: replicaset/replica_set_utils.go, controller_utils.go. */

export const reportedReplicaSet = (replicaSet: ReplicaSet, status: ReplicaSetStatus): ReplicaSet => ({
  ...replicaSet,
  status
})

export const draftReplicaSetPod = (
  replicaSet: ReplicaSet
): Draft & { readonly spec: PodTemplate["spec"] } => {
  const { metadata, spec } = replicaSet.spec.template
  const { namespace } = replicaSet.metadata
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      generateName: `${replicaSet.metadata.name}-`,
      ...(namespace === undefined ? {} : { namespace }),
      ...(metadata?.labels === undefined ? {} : { labels: metadata.labels }),
      ...(metadata?.annotations === undefined ? {} : { annotations: metadata.annotations }),
      ...(metadata?.finalizers === undefined ? {} : { finalizers: metadata.finalizers }),
      ownerReferences: referencesTo(replicaSet)
    },
    spec
  }
}

/**
 * Pods of a ReplicaSet share their owner references, to save memory. Status writes keep the `spec`
 * object.
 */
const referencesBySpec = new WeakMap<
  ReplicaSet["spec"],
  { readonly uid: string; readonly references: ReadonlyArray<OwnerReference> }
>()

const referencesTo = (replicaSet: ReplicaSet): ReadonlyArray<OwnerReference> => {
  const { uid } = replicaSet.metadata
  const cached = referencesBySpec.get(replicaSet.spec)
  // ReplicaSets of different clusters may share the spec object.
  if (cached?.uid === uid) return cached.references
  const references = Object.freeze([Object.freeze(controllerReference(replicaSet))])
  referencesBySpec.set(replicaSet.spec, { uid, references })
  return references
}
