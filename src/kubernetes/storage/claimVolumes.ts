import { compareQuantities, parseQuantity } from "../meta/amounts/quantity.ts"
import { isEmptySelector, matchesSelector } from "../meta/selectors/labelSelectors.ts"
import { isTerminating } from "../meta/deletion.ts"
import { storageClassNameOf } from "./storageClasses.ts"
import { storageAnnotations } from "./storageTypes.ts"
import { isVolumeReachable } from "./volumeTopology.ts"
import type { Quantity } from "../meta/amounts/quantity.ts"
import type { Draft, Node } from "../meta/objects.ts"
import type { PersistentVolume, PersistentVolumeClaim } from "./storageTypes.ts"

type Volume = Draft & Pick<PersistentVolume, "spec">
type Claim = Draft & Pick<PersistentVolumeClaim, "spec">

/**
 * Also true of a volume that is reserved for the claim by name. Source: pv_helpers.go (IsVolumeBoundToClaim).
 */
export const isVolumeOfClaim = ({ spec: { claimRef } }: Volume, { metadata }: Claim): boolean =>
  claimRef !== undefined &&
  claimRef.name === metadata.name &&
  claimRef.namespace === metadata.namespace &&
  ((claimRef.uid ?? "") === "" || claimRef.uid === metadata.uid)

export const isClaimBound = ({ spec, metadata }: PersistentVolumeClaim): boolean =>
  (spec.volumeName ?? "") !== "" && metadata.annotations?.[storageAnnotations.bindCompleted] !== undefined

/** Source: pv_controller.go (checkVolumeSatisfyClaim). */
export const volumeMismatch = (
  volume: PersistentVolume,
  claim: PersistentVolumeClaim
): string | undefined => {
  if (isTerminating(volume))
    return `the volume is marked for deletion ${JSON.stringify(volume.metadata.name)}`
  if (isTooSmall(volume, claim)) return "requested PV is too small"
  if (storageClassNameOf(volume) !== storageClassNameOf(claim)) return "storageClassName does not match"
  if (hasOtherVolumeMode(volume, claim)) return "incompatible volumeMode"
  return hasAccessModes(volume, claim) ? undefined : "incompatible accessMode"
}

export const hasOtherVolumeMode = (volume: Volume, claim: Claim): boolean =>
  (volume.spec.volumeMode ?? "Filesystem") !== (claim.spec.volumeMode ?? "Filesystem")

const hasAccessModes = (volume: Volume, claim: Claim): boolean =>
  (claim.spec.accessModes ?? []).every((mode) => volume.spec.accessModes?.includes(mode) === true)

const isTooSmall = (volume: Volume, claim: Claim): boolean =>
  compareQuantities(storageCapacityOf(volume), requestedStorage(claim)) < 0

const noStorage: Quantity = { nanos: 0n, format: "binary" }

export const storageCapacityOf = ({ spec }: Volume): Quantity =>
  parseQuantity(spec.capacity?.["storage"] ?? "0") ?? noStorage

export const requestedStorage = ({ spec }: Claim): Quantity =>
  parseQuantity(spec.resources?.requests?.["storage"] ?? "0") ?? noStorage

/** Source: pv_helpers.go (FindMatchingVolume). */
export const chooseVolume = (
  claim: PersistentVolumeClaim,
  volumes: Iterable<PersistentVolume>,
  options: {
    readonly node?: Node
    /** The scheduler chooses among the volumes that are not reserved for a claim. */
    readonly reservedOnly?: boolean
    /** Names of volumes that other claims of the same Pod get. */
    readonly except?: ReadonlySet<string>
  } = {}
): PersistentVolume | undefined => {
  const { node, reservedOnly = false, except } = options
  let best: PersistentVolume | undefined
  for (const volume of volumes) {
    if (except?.has(volume.metadata.name) === true || !satisfiesClaim(volume, claim)) continue
    const isReachable = node === undefined || isVolumeReachable(volume, node)
    if (isVolumeOfClaim(volume, claim)) return isReachable ? volume : undefined
    if (reservedOnly || !isReachable || !isFreeFor(volume, claim)) continue
    if (best === undefined || fitsBetter(volume, best, { bySizeOnly: node !== undefined })) best = volume
  }
  return best
}

const satisfiesClaim = (volume: Volume, claim: Claim): boolean =>
  (volume.spec.claimRef === undefined || isVolumeOfClaim(volume, claim)) &&
  hasAccessModes(volume, claim) &&
  !isTooSmall(volume, claim) &&
  !hasOtherVolumeMode(volume, claim) &&
  !isTerminating(volume)

const isFreeFor = (volume: PersistentVolume, claim: PersistentVolumeClaim): boolean =>
  volume.status?.phase === "Available" && isSelectedBy(claim, volume)

export const couldBind = (volume: Volume, claim: Claim): boolean =>
  satisfiesClaim(volume, claim) && (isVolumeOfClaim(volume, claim) || isSelectedBy(claim, volume))

const isSelectedBy = (claim: Claim, volume: Volume): boolean => {
  const { selector } = claim.spec
  return (
    (selector === undefined ||
      isEmptySelector(selector) ||
      matchesSelector(selector, volume.metadata.labels)) &&
    storageClassNameOf(volume) === storageClassNameOf(claim)
  )
}

/** The scheduler, which looks for a volume of one node, compares only sizes. */
const fitsBetter = (
  a: PersistentVolume,
  b: PersistentVolume,
  { bySizeOnly }: { readonly bySizeOnly: boolean }
): boolean => {
  const modeCountOrder = bySizeOnly
    ? 0
    : (a.spec.accessModes?.length ?? 0) - (b.spec.accessModes?.length ?? 0)
  const sizeOrder = compareQuantities(storageCapacityOf(a), storageCapacityOf(b))
  if (modeCountOrder !== 0) return modeCountOrder < 0
  return sizeOrder < 0 || (sizeOrder === 0 && a.metadata.name < b.metadata.name)
}
