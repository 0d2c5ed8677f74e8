import { displayName } from "../../kubernetes/meta/text/displayName.ts"
import {
  hasFittingVolume,
  hasStaticVolumes,
  isAssumedDraft,
  isClaimDraft,
  isVolumeDraft
} from "../previous/assumedVolumes.ts"
import { growingClaims } from "../growingClaims.ts"
import { keyOfDraft, keysAmong } from "../documentKeys.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { standardStorageClass, storageClassNameOf } from "../../kubernetes/storage/storageClasses.ts"
import type { Draft } from "../../kubernetes/meta/objects.ts"
import type { ManifestDocument } from "../../manifests/manifestDocument.ts"

type Documents = ReadonlyArray<ManifestDocument>

/** Warns of new claims that need a static volume, which no file creates. */
export const staticVolumeWarnings = (from: Documents, next: Documents): ReadonlyArray<string> => {
  const drafts = [...from, ...next].map(({ draft }) => draft).filter((draft) => !isAssumedDraft(draft))
  const volumes = drafts.filter(isVolumeDraft)
  const classNames = new Set(
    drafts.filter(({ kind }) => kind === "StorageClass").map(({ metadata }) => metadata.name)
  )
  const before = new Set(keysAmong(from, resources.persistentVolumeClaims))
  return next
    .map(({ draft }) => draft)
    .filter(isClaimDraft)
    .filter((draft) => !before.has(keyOfDraft(draft)))
    .flatMap((claim) => {
      const { volumeName = "", storageClassName } = claim.spec
      const className = storageClassNameOf(claim)
      const title = claimTitle(claim)
      if (volumeName !== "")
        return volumes.some((volume) => volume.metadata.name === volumeName)
          ? []
          : [`${title} needs PersistentVolume/${volumeName}, which no file creates: it is assumed to exist`]
      if (classNames.has(className) || hasFittingVolume(claim, volumes)) return []
      const hasVolumes = hasStaticVolumes(className, volumes)
      if (className !== "")
        return hasVolumes
          ? [`${title} fits no PersistentVolume of class ${className} in the files, and waits for one`]
          : []
      if (storageClassName === undefined) return []
      return hasVolumes
        ? [`${title} fits no PersistentVolume without a class in the files, and waits for one`]
        : [`${title} has no class, and no file creates a PersistentVolume for it: one is assumed to exist`]
    })
}

const claimTitle = ({ metadata }: Draft): string =>
  `PersistentVolumeClaim/${displayName({ ...metadata, name: metadata.name ?? "" })}`

/** Warns of claims that grow if no file creates their StorageClass: that decides whether they may. */
export const growingClaimWarnings = (from: Documents, next: Documents): ReadonlyArray<string> => {
  const before = from.map(({ draft }) => draft)
  const after = next.map(({ draft }) => draft)
  const given = new Set(
    [...before, ...after]
      .filter((draft) => draft.kind === "StorageClass" && !isAssumedDraft(draft))
      .map(({ metadata }) => metadata.name)
  )
  return growingClaims(before, after).flatMap((claim) => {
    const className = storageClassNameOf(claim)
    return className === "" || className === standardStorageClass.metadata.name || given.has(className)
      ? []
      : [
          `${claimTitle(claim)} grows, and no file creates StorageClass/${className}: it is assumed to let claims grow`
        ]
  })
}
