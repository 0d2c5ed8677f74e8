import { dequal } from "dequal"
import { documentId, draftsAmong } from "../documentKeys.ts"
import { isFields } from "../../kubernetes/meta/fields.ts"
import { isWorkload, workloadsAmong } from "../workloads.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { matchesSelector } from "../../kubernetes/meta/selectors/labelSelectors.ts"
import type { Labels } from "../../kubernetes/meta/objects.ts"
import type { ManifestDocument } from "../../manifests/manifestDocument.ts"
import type { WorkloadReference } from "../workloads.ts"

export interface ManifestsDifference {
  /** Includes workloads whose Pods a changed Service selects or has selected. */
  readonly changed: ReadonlyArray<ManifestDocument>
  readonly removed: ReadonlyArray<WorkloadReference>
}

export const manifestsDifference = (
  from: ReadonlyArray<ManifestDocument>,
  next: ReadonlyArray<ManifestDocument>
): ManifestsDifference => {
  const before = new Map(from.map((document) => [documentId(document), document]))
  const isChanged = (document: ManifestDocument): boolean =>
    !dequal(before.get(documentId(document))?.rawFields, document.rawFields)
  const changedServices = draftsAmong(next.filter(isChanged), resources.services)
  const isSelectedByChangedService = (document: ManifestDocument): boolean =>
    isWorkload(document) &&
    changedServices.some(
      ({ metadata, spec }) =>
        metadata.namespace === document.draft.metadata.namespace &&
        [spec.selector, selectorBefore(from, metadata)].some(
          (labels) =>
            labels !== undefined && matchesSelector({ matchLabels: labels }, templateLabels(document))
        )
    )
  const idsAfter = new Set(workloadsAmong(next).map(({ id }) => id))
  return {
    changed: next.filter((document) => isChanged(document) || isSelectedByChangedService(document)),
    removed: workloadsAmong(from).filter(({ id }) => !idsAfter.has(id))
  }
}

const selectorBefore = (
  from: ReadonlyArray<ManifestDocument>,
  { namespace, name }: { readonly namespace?: string; readonly name?: string }
): Labels | undefined =>
  draftsAmong(from, resources.services).find(
    ({ metadata }) => metadata.namespace === namespace && metadata.name === name
  )?.spec.selector

const templateLabels = ({ rawFields }: ManifestDocument): Labels => {
  const labels = ["spec", "template", "metadata", "labels"].reduce<unknown>(
    (fields, name) => (isFields(fields) ? fields[name] : undefined),
    rawFields
  )
  // Reading the manifests has checked the type.
  return isFields(labels) ? (labels as Labels) : {}
}
