import { chooseVolume, isClaimBound, requestedStorage } from "../storage/claimVolumes.ts"
import { compareQuantities } from "../meta/amounts/quantity.ts"
import { noProvisioner, delaysBinding, storageClassNameOf } from "../storage/storageClasses.ts"
import { isClaimOfPod, podClaims, usesClaims } from "../storage/podClaims.ts"
import { isInZoneOf, isVolumeReachable, matchesTopologies } from "../storage/volumeTopology.ts"
import { isTerminating } from "../meta/deletion.ts"
import { storageAnnotations } from "../storage/storageTypes.ts"
import { toObjectKey } from "../meta/objects.ts"
import type { Node } from "../meta/objects.ts"
import { resolvableByPreemption, unresolvableByPreemption } from "./placementFilter.ts"
import type { PodToPlace, PlacementFilter, NodeInfos } from "./placementFilter.ts"
import type { PodClaim } from "../storage/podClaims.ts"
import type { StorageObjects } from "../storage/storageObjects.ts"
import type { PersistentVolume, PersistentVolumeClaim } from "../storage/storageTypes.ts"

/**
 * Unlike Kubernetes, storage capacity (CSIStorageCapacity) does not count. Source:
 * pkg/scheduler/framework/plugins (volumebinding, volumerestrictions, volumezone).
 */

/** Only one Pod may use a ReadWriteOncePod claim. */
export const hasFreeClaims: PlacementFilter = (pod, nodeInfos) => {
  const { storage } = nodeInfos
  if (storage === undefined || !usesClaims(pod.spec)) return undefined
  const isTaken = podClaims(pod).some((it) =>
    isTakenByOtherPod(pod, it, { storage, podsOn: nodeInfos.podsOn })
  )
  return isTaken
    ? () =>
        resolvableByPreemption(
          "node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode"
        )
    : undefined
}

export const reachesVolumes: PlacementFilter = (pod, { storage }) => {
  if (storage === undefined || !usesClaims(pod.spec)) return undefined
  const claims = podClaims(pod)
  const refusal = firstDefined(claims, (it) => claimRefusal(pod, it, storage))
  if (refusal !== undefined) return refusal
  const isUnbound = claims.some((it) => {
    const claim = claimOf(pod, it, storage)
    return claim !== undefined && !isClaimBound(claim) && !isBindingDelayed(claim, storage)
  })
  if (isUnbound) return "pod has unbound immediate PersistentVolumeClaims"
  const bound = boundVolumes(pod, storage)
  return (node) => {
    const reasons = bindingReasons(bound, node)
    // In upstream's order: node conflict, nothing to bind, missing volume.
    if (planVolumes(pod, node, storage) === undefined)
      reasons.splice(
        reasons[0] === nodeConflict ? 1 : 0,
        0,
        "node(s) didn't find available persistent volumes to bind"
      )
    return reasons.length === 0 ? undefined : { reasons, isUnresolvable: true }
  }
}

const nodeConflict = "node(s) had volume node affinity conflict"

const bindingReasons = (bound: ReadonlyArray<PersistentVolume | undefined>, node: Node): Array<string> => {
  for (const volume of bound) {
    if (volume === undefined)
      return ["node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"]
    if (!isVolumeReachable(volume, node)) return [nodeConflict]
  }
  return []
}

export const isInVolumeZones: PlacementFilter = (pod, { storage }) => {
  if (storage === undefined || !usesClaims(pod.spec)) return undefined
  const refusal = firstDefined(podClaims(pod), (it) => {
    const { volumeName = "" } = claimOf(pod, it, storage)?.spec ?? {}
    const isMissing = volumeName !== "" && !it.isEphemeral && storage.volume(volumeName) === undefined
    return isMissing ? `persistentvolume ${JSON.stringify(volumeName)} not found` : undefined
  })
  if (refusal !== undefined) return refusal
  const bound = boundVolumes(pod, storage)
  return (node) =>
    bound.some((volume) => volume !== undefined && !isInZoneOf(volume, node))
      ? unresolvableByPreemption("node(s) had no available volume zone")
      : undefined
}

const claimRefusal = (pod: PodToPlace, podClaim: PodClaim, storage: StorageObjects): string | undefined => {
  const name = JSON.stringify(podClaim.name)
  const claim = claimOf(pod, podClaim, storage)
  if (claim === undefined) {
    return podClaim.isEphemeral
      ? `waiting for ephemeral volume controller to create the persistentvolumeclaim ${name}`
      : `persistentvolumeclaim ${name} not found`
  }
  if (claim.status?.phase === "Lost") {
    const volumeName = JSON.stringify(claim.spec.volumeName ?? "")
    return `persistentvolumeclaim ${name} bound to non-existent persistentvolume ${volumeName}`
  }
  if (isTerminating(claim)) return `persistentvolumeclaim ${name} is being deleted`
  if (!podClaim.isEphemeral || isClaimOfPod(pod, claim)) return undefined
  const { namespace = "" } = pod.metadata
  return (
    `PVC ${namespace}/${podClaim.name} was not created for pod ${namespace}/${pod.metadata.name} ` +
    "(pod is not owner)"
  )
}

const firstDefined = <A>(
  items: ReadonlyArray<A>,
  find: (item: A) => string | undefined
): string | undefined => {
  for (const item of items) {
    const found = find(item)
    if (found !== undefined) return found
  }
  return undefined
}

const claimOf = (
  { metadata }: PodToPlace,
  { name }: PodClaim,
  storage: StorageObjects
): PersistentVolumeClaim | undefined => storage.claim(toObjectKey(metadata.namespace, name))

/** A claim that names its volume is bound without the scheduler. */
const isBindingDelayed = (claim: PersistentVolumeClaim, storage: StorageObjects): boolean =>
  (claim.spec.volumeName ?? "") === "" && delaysBinding(storage.storageClass(storageClassNameOf(claim)))

const isTakenByOtherPod = (
  pod: PodToPlace,
  podClaim: PodClaim,
  { storage, podsOn }: Pick<NodeInfos, "podsOn"> & { readonly storage: StorageObjects }
): boolean => {
  const claim = claimOf(pod, podClaim, storage)
  if (claim?.spec.accessModes?.includes("ReadWriteOncePod") !== true) return false
  const { namespace, uid } = pod.metadata
  return storage.podsUsing(toObjectKey(namespace, podClaim.name)).some(({ metadata, spec }) => {
    const { nodeName = "" } = spec
    if (metadata.uid === uid || nodeName === "") return false
    return podsOn(nodeName).some((it) => it.metadata.uid === metadata.uid)
  })
}

const boundVolumes = (
  pod: PodToPlace,
  storage: StorageObjects
): ReadonlyArray<PersistentVolume | undefined> =>
  podClaims(pod).flatMap((it) => {
    const claim = claimOf(pod, it, storage)
    return claim === undefined || !isClaimBound(claim) ? [] : [storage.volume(claim.spec.volumeName ?? "")]
  })

export interface VolumePlan {
  readonly bindings: ReadonlyArray<{
    readonly claim: PersistentVolumeClaim
    readonly volume: PersistentVolume
  }>
  readonly provisions: ReadonlyArray<PersistentVolumeClaim>
}

const emptyPlan: VolumePlan = { bindings: [], provisions: [] }

/** Undefined if the node can reach no volume for a claim. Source: binder.go (FindPodVolumes). */
export const planVolumes = (pod: PodToPlace, node: Node, storage: StorageObjects): VolumePlan | undefined => {
  if (!usesClaims(pod.spec)) return emptyPlan
  const unbound = podClaims(pod).flatMap((it) => {
    const claim = claimOf(pod, it, storage)
    return claim === undefined || isClaimBound(claim) ? [] : [claim]
  })
  const bindings: Array<VolumePlan["bindings"][number]> = []
  const provisions: Array<PersistentVolumeClaim> = []
  const taken = new Set<string>()
  // The smallest claims get the smallest volumes.
  for (const claim of unbound.toSorted((a, b) =>
    compareQuantities(requestedStorage(a), requestedStorage(b))
  )) {
    const selectedNode = claim.metadata.annotations?.[storageAnnotations.selectedNode]
    // The provisioner has been asked already for a volume on the selected node.
    if (selectedNode !== undefined && selectedNode !== node.metadata.name) return undefined
    const volume =
      selectedNode === undefined ? chooseVolume(claim, storage.volumes(), { node, except: taken }) : undefined
    if (volume !== undefined) {
      taken.add(volume.metadata.name)
      bindings.push({ claim, volume })
    } else if (isProvisionable(claim, node, storage)) provisions.push(claim)
    else return undefined
  }
  return { bindings, provisions }
}

const isProvisionable = (claim: PersistentVolumeClaim, node: Node, storage: StorageObjects): boolean => {
  const storageClass = storage.storageClass(storageClassNameOf(claim))
  return (
    storageClass !== undefined &&
    storageClass.provisioner !== "" &&
    storageClass.provisioner !== noProvisioner &&
    matchesTopologies(storageClass.allowedTopologies, node)
  )
}
