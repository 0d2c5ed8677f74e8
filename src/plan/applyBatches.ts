import { draftPodSpec } from "./draftPodSpec.ts"
import { inApplyOrder } from "../manifests/applyManifests.ts"
import { isWorkload } from "./workloads.ts"
import { matchesSelector } from "../kubernetes/meta/selectors/labelSelectors.ts"
import { namespacedTemplateLabels } from "../kubernetes/core/endpoints.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { ManifestDocument } from "../manifests/manifestDocument.ts"
import type { WorkloadWithKind } from "./workloads.ts"

type Documents = ReadonlyArray<ManifestDocument>

/** kubectl takes about this long for each object, and Pods are scheduled sooner by default. */
export const batchDelayMillis = 50

/**
 * Returns one batch, unless Pods keep those of another workload away from their nodes. Each workload then has a batch
 * of its own, so that the scheduler takes Pods in the order of the files.
 */
export const applyBatches = (next: Documents): ReadonlyArray<Documents> => {
  const workloads = next.filter(isWorkload)
  const hasAntiAffinity = workloads.some((workload) => {
    const terms = requiredTermsOf(workload)
    return (
      terms.length > 0 && workloads.some((other) => other !== workload && keepAway(terms, workload, other))
    )
  })
  if (!hasAntiAffinity) return [next]
  const batches: Array<Array<ManifestDocument>> = [[]]
  for (const document of inApplyOrder(next)) {
    batches.at(-1)?.push(document)
    if (isWorkload(document)) batches.push([])
  }
  return batches.filter(({ length }) => length > 0)
}

type Terms = ReadonlyArray<Core.PodAffinityTerm>

const requiredTermsOf = ({ draft }: ManifestDocument): Terms =>
  draftPodSpec(draft)?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []

const keepAway = (terms: Terms, workload: ManifestDocument, other: ManifestDocument): boolean => {
  const { namespace = "", labels } = namespacedTemplateLabels(other.draft as WorkloadWithKind["object"])
  return terms.some(
    ({ labelSelector, namespaceSelector, namespaces = [workload.draft.metadata.namespace ?? ""] }) =>
      labelSelector !== undefined &&
      (namespaceSelector !== undefined || namespaces.includes(namespace)) &&
      matchesSelector(labelSelector, labels)
  )
}
