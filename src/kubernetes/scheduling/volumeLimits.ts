import { csiVolumeOf } from "../storage/attachments.ts"
import { podClaims, usesClaims } from "../storage/podClaims.ts"
import { toObjectKey } from "../meta/objects.ts"
import { resolvableByPreemption } from "./placementFilter.ts"
import type { Node } from "../meta/objects.ts"
import type { PodToPlace, PlacementFilter, NodeInfos } from "./placementFilter.ts"
import type { StorageObjects } from "../storage/storageObjects.ts"

/** Unlike Kubernetes, claims that are not bound yet do not count. Source: nodevolumelimits/csi.go. */
export const hasRoomForVolumes: PlacementFilter = (pod, nodeInfos) => {
  const { storage } = nodeInfos
  if (storage === undefined || !usesClaims(pod.spec)) return undefined
  const wanted = driversByVolume(pod, storage)
  if (wanted.size === 0) return undefined
  return (node) =>
    exceedsLimit(node, wanted, { storage, nodeInfos })
      ? resolvableByPreemption("node(s) exceed max volume count")
      : undefined
}

const exceedsLimit = (
  node: Node,
  wanted: ReadonlyMap<string, string>,
  { storage, nodeInfos }: { readonly storage: StorageObjects; readonly nodeInfos: Pick<NodeInfos, "podsOn"> }
): boolean => {
  const limits = storage.volumeLimits(node.metadata.name)
  if (limits.size === 0) return false
  const present = new Map(
    nodeInfos.podsOn(node.metadata.name).flatMap((pod) => [...driversByVolume(pod, storage)])
  )
  return [...limits].some(([driver, limit]) => {
    const isOfDriver = ([, volumeDriver]: readonly [string, string]): boolean => volumeDriver === driver
    const added = [...wanted].filter((entry) => isOfDriver(entry) && !present.has(entry[0]))
    return added.length > 0 && [...present].filter(isOfDriver).length + added.length > limit
  })
}

/** The keys are `driver/handle`, the same for all Pods that use the volume. */
const driversByVolume = (
  { metadata, spec }: PodToPlace,
  storage: StorageObjects
): ReadonlyMap<string, string> => {
  const drivers = new Map<string, string>()
  for (const { name } of podClaims({ metadata, spec })) {
    const { volumeName = "" } = storage.claim(toObjectKey(metadata.namespace, name))?.spec ?? {}
    const volume = volumeName === "" ? undefined : storage.volume(volumeName)
    const { driver, handle } = (volume && csiVolumeOf(volume)) ?? {}
    if (driver !== undefined && handle !== undefined) drivers.set(`${driver}/${handle}`, driver)
  }
  return drivers
}
