import {
  claimKeysOf,
  claimsNamedBy,
  hasFittingVolume,
  isClaimDraft,
  isVolumeDraft,
  replicaClaimsOf
} from "../previous/assumedVolumes.ts"
import { keyOfDraft } from "../documentKeys.ts"
import { toObjectKey } from "../../kubernetes/meta/objects.ts"
import { draftPodSpec } from "../draftPodSpec.ts"
import { driverVolumeSources, formerVolumeSources, mountedVolumesOf } from "../mountedVolumes.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { ManifestDocument } from "../../manifests/manifestDocument.ts"
import type { WorkloadWithKind } from "../workloads.ts"
import type { Unknown } from "./unknownKinds.ts"
import type { Draft } from "../../kubernetes/meta/objects.ts"

interface PlannedDocuments {
  readonly documents: ReadonlyArray<ManifestDocument>
  readonly from: ReadonlyArray<ManifestDocument>
}

/**
 * Drivers that the Pods need and no file creates. A volume in `from` proves that its driver exists, except for disks
 * of clouds, whose attaching is not played.
 */
export const volumeDriverUnknowns = (
  { object }: WorkloadWithKind,
  played: PlannedDocuments
): ReadonlyArray<Unknown> => {
  const existingDrivers = new Set([
    ...played.documents.flatMap(({ kind, draft }) => (kind.kind === "CSIDriver" ? draft.metadata.name : [])),
    ...played.from.flatMap(({ draft }) => driversBefore(draft))
  ])
  const mountedVolumes = mountedVolumesOf(object.spec.template.spec ?? {})
  const neededDrivers = [
    ...csiDriversOf(object),
    ...mountedVolumes.flatMap((volume) =>
      driverVolumeSources.filter((source) => volume[source] !== undefined)
    ),
    ...claimedDrivers(object, played)
  ]
  return [...new Set(neededDrivers)]
    .filter((name) => !existingDrivers.has(name))
    .map((name) => ({ kind: "CSIDriver", text: `its Pods need ${driverText(name)}`, keepsPending: false }))
}

interface VolumeSources {
  readonly csi?: { readonly driver: string }
  readonly azureFile?: object
}

const driverText = (name: string): string =>
  isVolumeSource(name)
    ? `a driver for ${name} volumes, which is not played`
    : `CSIDriver/${name}, which no file creates`

const volumeSources: ReadonlyArray<keyof Core.PersistentVolumeSpec & keyof Core.Volume> = [
  ...driverVolumeSources,
  ...formerVolumeSources.filter((source) => source !== "gitRepo")
]

const isVolumeSource = (name: string): boolean => volumeSources.some((source) => source === name)

/** Volumes of azureFile are mounted without being attached to a node. */
const driversBefore = (draft: Draft): ReadonlyArray<string> =>
  isVolumeDraft(draft)
    ? driversOf(draft.spec)
    : mountedVolumesOf(draftPodSpec(draft) ?? {}).flatMap(driversOf)

const driversOf = ({ csi, azureFile }: VolumeSources): ReadonlyArray<string> => [
  ...(csi === undefined ? [] : [csi.driver]),
  ...(azureFile === undefined ? [] : ["azureFile"])
]

const csiDriversOf = (draft: Draft): ReadonlyArray<string> =>
  mountedVolumesOf(draftPodSpec(draft) ?? {}).flatMap(({ csi }) => csi?.driver ?? [])

/** Drivers of claims that no volume without a driver fits. */
const claimedDrivers = (object: Draft, { documents, from }: PlannedDocuments): ReadonlyArray<string> => {
  const namesBefore = new Set(from.flatMap(({ draft }) => (isVolumeDraft(draft) ? draft.metadata.name : [])))
  const volumes = documents.flatMap(({ draft }) => (isVolumeDraft(draft) ? draft : []))
  const givenClaims = documents.map(({ draft }) => draft).filter(isClaimDraft)
  const givenKeys = claimKeysOf(givenClaims)
  const namedKeys = new Set(claimsNamedBy(object).map(({ namespace, name }) => toObjectKey(namespace, name)))
  const replicaClaims = replicaClaimsOf(object)
  const replicaKeys = claimKeysOf(replicaClaims)
  const claims = [
    ...givenClaims.filter((claim) => namedKeys.has(keyOfDraft(claim)) || replicaKeys.has(keyOfDraft(claim))),
    ...replicaClaims.filter((claim) => !givenKeys.has(keyOfDraft(claim)))
  ]
  return claims.flatMap((claim): ReadonlyArray<string> => {
    const { volumeName = "" } = claim.spec
    const fittingVolumes = volumes.filter((volume) =>
      volumeName === "" ? hasFittingVolume(claim, [volume]) : volume.metadata.name === volumeName
    )
    const drivers = fittingVolumes.map(({ metadata, spec }) =>
      namesBefore.has(metadata.name)
        ? undefined
        : (spec.csi?.driver ?? volumeSources.find((source) => spec[source] !== undefined))
    )
    return drivers.includes(undefined) ? [] : drivers.slice(0, 1).flatMap((driver) => driver ?? [])
  })
}
