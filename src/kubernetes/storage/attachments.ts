import { isClaimBound } from "./claimVolumes.ts"
import { isPodFinished } from "../pods/podState.ts"
import { isTerminating } from "../meta/deletion.ts"
import { podClaims, usesClaims } from "./podClaims.ts"
import { toObjectKey } from "../meta/objects.ts"
import type { Key, Node, Pod } from "../meta/objects.ts"
import type { PersistentVolume, PersistentVolumeClaim } from "./storageTypes.ts"

/** Source: pkg/controller/volume/attachdetach, volume/util/util.go (GetUniqueVolumeName). */

/** Volumes of in-tree plugins count as those of the CSI drivers that replace the plugins. */
export const csiVolumeOf = ({
  spec
}: PersistentVolume): { readonly driver: string; readonly handle: string } | undefined => {
  const ids: ReadonlyArray<readonly [driver: string, handle: string | undefined]> = [
    [spec.csi?.driver ?? "", spec.csi?.volumeHandle],
    ["ebs.csi.aws.com", spec.awsElasticBlockStore?.volumeID],
    ["pd.csi.storage.gke.io", spec.gcePersistentDisk?.pdName],
    ["disk.csi.azure.com", spec.azureDisk?.diskURI],
    ["cinder.csi.openstack.org", spec.cinder?.volumeID]
  ]
  const [driver, handle] = ids.find(([, volumeHandle]) => volumeHandle !== undefined) ?? []
  return driver === undefined || handle === undefined ? undefined : { driver, handle }
}

export const attachmentName = (
  volume: PersistentVolume,
  isAttachable: (driver: string) => boolean
): string | undefined => {
  const disk = csiVolumeOf(volume)
  return disk === undefined || !isAttachable(disk.driver)
    ? undefined
    : `kubernetes.io/csi/${disk.driver}^${disk.handle}`
}

export const isAttachedTo = ({ status }: Node, name: string): boolean =>
  status.volumesAttached?.some((it) => it.name === name) === true

export const withAttachment = (node: Node, name: string): Node => ({
  ...node,
  status: {
    ...node.status,
    volumesAttached: [...(node.status.volumesAttached ?? []), { name, devicePath: "" }]
  }
})

export const withoutAttachment = (node: Node, name: string): Node => {
  const { volumesAttached = [], ...status } = node.status
  const remaining = volumesAttached.filter((it) => it.name !== name)
  return { ...node, status: remaining.length === 0 ? status : { ...status, volumesAttached: remaining } }
}

/** Source: volume/util/util.go (IsMultiAttachAllowed). */
export const allowsMultiAttach = ({ spec }: PersistentVolume): boolean => {
  const { accessModes = [] } = spec
  return (
    accessModes.length === 0 ||
    accessModes.some((mode) => mode === "ReadWriteMany" || mode === "ReadOnlyMany")
  )
}

export const podsByNode = (pods: ReadonlyArray<Pod>): ReadonlyMap<string, ReadonlyArray<Pod>> => {
  const byNode = new Map<string, Array<Pod>>()
  for (const pod of pods) {
    const { nodeName = "" } = pod.spec
    if (nodeName === "" || isPodFinished(pod)) continue
    byNode.set(nodeName, [...(byNode.get(nodeName) ?? []), pod])
  }
  return byNode
}

/** Source: attachdetach/reconciler (reportMultiAttachError). */
export const multiAttachMessage = (volumeName: string, podsElsewhere: ReadonlyArray<Pod>): string => {
  const why =
    podsElsewhere.length === 0
      ? "Volume is already exclusively attached to one node and can't be attached to another"
      : `Volume is already used by pod(s) ${podsElsewhere.map(({ metadata }) => metadata.name).join(", ")}`
  return `${multiAttachBeginning} ${JSON.stringify(volumeName)} ${why}`
}

const multiAttachBeginning = "Multi-Attach error for volume"

export const isMultiAttachText = (text: string): boolean => text.includes(multiAttachBeginning)

export interface VolumeLookup {
  readonly claim: (key: Key) => PersistentVolumeClaim | undefined
  readonly volume: (name: string) => PersistentVolume | undefined
  readonly isAttachable: (driver: string) => boolean
}

/** A Pod with an IP has its volumes. Source: volume_manager.go (WaitForAttachAndMount). */
export const awaitsVolumes = (pod: Pod, node: Node | undefined, lookup: VolumeLookup): boolean => {
  if (!usesClaims(pod.spec) || isTerminating(pod) || pod.status.podIP !== undefined) return false
  return podClaims(pod).some(({ name }) => {
    const claim = lookup.claim(toObjectKey(pod.metadata.namespace, name))
    if (claim === undefined || !isClaimBound(claim)) return true
    const volume = lookup.volume(claim.spec.volumeName ?? "")
    const attachment = volume === undefined ? undefined : attachmentName(volume, lookup.isAttachable)
    return attachment !== undefined && node !== undefined && !isAttachedTo(node, attachment)
  })
}
