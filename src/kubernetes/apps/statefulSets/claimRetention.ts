import { controllerOf, controllerReference } from "../../meta/ownerReferences.ts"
import { isOrdinalInRange } from "./replicaIdentity.ts"
import type { OwnerReference } from "kubernetes-types/meta/v1.js"
import type { KubeObject } from "../../meta/objects.ts"
import type { StatefulSet } from "./statefulSetTypes.ts"

/**
 * Owner references by `persistentVolumeClaimRetentionPolicy`. Source:
 * stateful_set_utils.go (updateClaimOwnerRefForSetAndPod).
 */
export const ownerReferencesByPolicy = (
  statefulSet: StatefulSet,
  pod: KubeObject,
  ordinal: number,
  claim: KubeObject
): ReadonlyArray<OwnerReference> => {
  const present = claim.metadata.ownerReferences ?? []
  if (hasOtherController(statefulSet, pod, claim)) return present
  const owner = ownerByPolicy(statefulSet, pod, ordinal)
  const others = present.filter(({ uid }) => uid !== statefulSet.metadata.uid && uid !== pod.metadata.uid)
  const presentReference = present.find(
    ({ uid, controller }) => uid === owner?.metadata.uid && controller === true
  )
  return owner === undefined ? others : [...others, presentReference ?? controllerReference(owner)]
}

export const followsRetentionPolicy = (
  statefulSet: StatefulSet,
  pod: KubeObject,
  ordinal: number,
  claim: KubeObject
): boolean => {
  const present = claim.metadata.ownerReferences ?? []
  // References that stay are the same objects in both lists.
  const wanted = ownerReferencesByPolicy(statefulSet, pod, ordinal, claim)
  return present.length === wanted.length && wanted.every((reference) => present.includes(reference))
}

const ownerByPolicy = (
  statefulSet: StatefulSet,
  pod: KubeObject,
  ordinal: number
): KubeObject | undefined => {
  const { whenDeleted = "Retain", whenScaled = "Retain" } =
    statefulSet.spec.persistentVolumeClaimRetentionPolicy ?? {}
  if (whenScaled === "Delete" && !isOrdinalInRange(statefulSet, ordinal)) return pod
  return whenDeleted === "Delete" ? statefulSet : undefined
}

const hasOtherController = (statefulSet: StatefulSet, pod: KubeObject, claim: KubeObject): boolean => {
  const controller = controllerOf(claim)
  return (
    controller !== undefined &&
    controller.uid !== statefulSet.metadata.uid &&
    controller.uid !== pod.metadata.uid
  )
}

/** A claim that a former Pod owns is deleted with that Pod, so no new Pod may use the claim. */
export const isOwnedByFormerPod = (claim: KubeObject, podName: string, podUid?: string): boolean =>
  (claim.metadata.ownerReferences ?? []).some(
    ({ kind, name, uid }) => kind === "Pod" && name === podName && uid !== podUid
  )
