import { fieldsOrEmpty } from "../../kubernetes/meta/fields.ts"
import { isOfResource } from "../documentKeys.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import type { ManifestDocument } from "../../manifests/manifestDocument.ts"

/**
 * Jobs with `ttlSecondsAfterFinished` are gone by the next version, and Helm and Argo CD delete hooks. Other Jobs
 * stay, with an immutable template.
 */
export const withoutFinishedJobs = (
  documents: ReadonlyArray<ManifestDocument>
): ReadonlyArray<ManifestDocument> =>
  documents.filter((document) => !isOfResource(resources.jobs)(document) || !isGoneOnceFinished(document))

const hookAnnotations: ReadonlyArray<string> = ["helm.sh/hook", "argocd.argoproj.io/hook"]

const isGoneOnceFinished = ({ draft }: ManifestDocument): boolean => {
  const { annotations = {} } = draft.metadata
  const { ttlSecondsAfterFinished, suspend } = fieldsOrEmpty(fieldsOrEmpty(draft)["spec"])
  return (
    (ttlSecondsAfterFinished !== undefined && suspend !== true) ||
    hookAnnotations.some((name) => annotations[name] !== undefined)
  )
}
