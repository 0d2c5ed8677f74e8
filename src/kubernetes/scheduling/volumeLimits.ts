import { csiVolumeOf } from "../storage/attachments.ts"
import { podClaims, usesClaims } from "../storage/podClaims.ts"
import { toObjectKey } from "../meta/objects.ts"
import { resolvableByPreemption } from "./placementFilter.ts"
import type { Node } from "../meta/objects.ts"
import type { PodToPlace, PlacementFilter, PlacementWorld } from "./placementFilter.ts"
import type { StorageObjects } from "../storage/storageObjects.ts"

/** Unlike Kubernetes, claims that are not bound yet do not count. Source: nodevolumelimits/csi.go. */
export const hasRoomForVolumes: PlacementFilter = (pod, world) => {
  const { storage } = world
  if (storage === undefined || !usesClaims(pod.spec)) return undefined
  const wanted = driverVolumes(pod, storage)
  if (wanted.size === 0) return undefined
  return (node) =>
    exceedsLimit(node, wanted, { storage, world })
      ? resolvableByPreemption("node(s) exceed max volume count")
      : undefined
}

const exceedsLimit = (
  node: Node,
  wanted: ReadonlyMap<string, string>,
  { storage, world }: { readonly storage: StorageObjects; readonly world: Pick<PlacementWorld, "podsOn"> }
): boolean => {
  const limits = storage.volumeLimits(node.metadata.name)
  if (limits.size === 0) return false
  const present = new Map(world.podsOn(node.metadata.name).flatMap((it) => [...driverVolumes(it, storage)]))
  return [...limits].some(([driver, limit]) => {
    const isOfDriver = ([, it]: readonly [string, string]): boolean => it === driver
    const added = [...wanted].filter((it) => isOfDriver(it) && !present.has(it[0]))
    return added.length > 0 && [...present].filter(isOfDriver).length + added.length > limit
  })
}

/** Drivers by `driver/handle`, which is the same for all Pods that use the volume. */
const driverVolumes = (
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
