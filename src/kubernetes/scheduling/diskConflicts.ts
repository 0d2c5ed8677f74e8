import { resolvableByPreemption } from "./placementFilter.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { PodSpec } from "../meta/objects.ts"
import type { PlacementFilter } from "./placementFilter.ts"

/** Source: volume_restrictions.go (isVolumeConflict). */
export const hasFreeDisks: PlacementFilter = ({ spec }, { podsOn }) => {
  const wanted = (spec.volumes ?? []).filter(isExclusiveDisk)
  if (wanted.length === 0) return undefined
  return (node) =>
    podsOn(node.metadata.name).some((other) => conflictingDisk(wanted, other.spec) !== undefined)
      ? resolvableByPreemption("node(s) had no available disk")
      : undefined
}

const isExclusiveDisk = (volume: Core.Volume): boolean =>
  volume.gcePersistentDisk !== undefined ||
  volume.awsElasticBlockStore !== undefined ||
  volume.iscsi !== undefined ||
  volume.rbd !== undefined

export const conflictingDisk = (
  wanted: ReadonlyArray<Core.Volume>,
  { volumes: used = [] }: Pick<PodSpec, "volumes">
): Core.Volume | undefined =>
  used.length === 0 ? undefined : wanted.find((volume) => used.some((other) => conflicts(volume, other)))

/** Pods may share a disk that all of them only read; an EBS volume is never shared. */
const conflicts = (a: Core.Volume, b: Core.Volume): boolean =>
  isSameDisk(a.gcePersistentDisk, b.gcePersistentDisk, (x, y) => x.pdName === y.pdName) ||
  (a.awsElasticBlockStore !== undefined &&
    a.awsElasticBlockStore.volumeID === b.awsElasticBlockStore?.volumeID) ||
  isSameDisk(a.iscsi, b.iscsi, (x, y) => x.iqn === y.iqn) ||
  isSameDisk(a.rbd, b.rbd, isSameImage)

const isSameDisk = <Source extends { readonly readOnly?: boolean }>(
  a: Source | undefined,
  b: Source | undefined,
  isSame: (a: Source, b: Source) => boolean
): boolean =>
  a !== undefined && b !== undefined && isSame(a, b) && !(a.readOnly === true && b.readOnly === true)

const isSameImage = (a: Core.RBDVolumeSource, b: Core.RBDVolumeSource): boolean =>
  a.monitors.some((monitor) => b.monitors.includes(monitor)) &&
  (a.pool ?? defaultPool) === (b.pool ?? defaultPool) &&
  a.image === b.image

const defaultPool = "rbd"
