import { displayName } from "../../kubernetes/meta/text/displayName.ts"
import { isAssumedDraft, isClaimDraft, isVolumeDraft } from "../previous/assumedVolumes.ts"
import { toObjectKey } from "../../kubernetes/meta/objects.ts"
import type { Draft } from "../../kubernetes/meta/objects.ts"
import type { ManifestDocument } from "../../manifests/manifestDocument.ts"

type Documents = ReadonlyArray<ManifestDocument>

/** Warns of new claims of which a volume is asked that was made by hand, and that no file makes. */
export const staticVolumeWarnings = (from: Documents, next: Documents): ReadonlyArray<string> => {
  const drafts = [...from, ...next].map(({ draft }) => draft).filter((draft) => !isAssumedDraft(draft))
  const volumes = drafts.filter(isVolumeDraft).map(({ metadata }) => metadata.name)
  const before = new Set(
    from
      .map(({ draft }) => draft)
      .filter(isClaimDraft)
      .map(keyText)
  )
  return next
    .map(({ draft }) => draft)
    .filter(isClaimDraft)
    .filter((claim) => !before.has(keyText(claim)))
    .flatMap(({ metadata, spec: { storageClassName, volumeName = "" } }) => {
      const title = `PersistentVolumeClaim/${displayName({ ...metadata, name: metadata.name ?? "" })}`
      if (volumeName !== "")
        return volumes.includes(volumeName)
          ? []
          : [`${title} needs PersistentVolume/${volumeName}, which no file creates: it is assumed to exist`]
      return storageClassName === "" && volumes.length === 0
        ? [`${title} has no class, and no file creates a PersistentVolume for it: one is assumed to exist`]
        : []
    })
}

const keyText = ({ metadata: { namespace, name = "" } }: Draft): string => toObjectKey(namespace, name)
