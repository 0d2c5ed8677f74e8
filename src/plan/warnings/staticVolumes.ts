import { displayName } from "../../kubernetes/meta/text/displayName.ts"
import {
  hasFittingVolume,
  hasStaticVolumes,
  isAssumedDraft,
  isClaimDraft,
  isVolumeDraft
} from "../previous/assumedVolumes.ts"
import { keyOfDraft, keysAmong } from "../documentKeys.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { storageClassNameOf } from "../../kubernetes/storage/storageClasses.ts"
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
      const { metadata, spec } = claim
      const { volumeName = "", storageClassName } = spec
      const className = storageClassNameOf(claim)
      const title = `PersistentVolumeClaim/${displayName({ ...metadata, name: metadata.name ?? "" })}`
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
