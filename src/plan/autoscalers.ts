import { objectIdOfDocument } from "./previous/previousDocuments.ts"
import { isOfResource } from "./documentKeys.ts"
import { apiVersionOf, resources, servedKinds } from "../kubernetes/meta/kinds.ts"
import { targetKindOf } from "../kubernetes/autoscaling/scaleTarget.ts"
import { toObjectKey } from "../kubernetes/meta/objects.ts"
import type * as Autoscaling from "kubernetes-types/autoscaling/v2.js"
import type { Draft } from "../kubernetes/meta/objects.ts"
import type { ManifestDocument } from "../manifests/manifestDocument.ts"
import type { WorkloadId } from "./workloads.ts"

/** autoscaling/v1 or v2, which differ only in metrics. */
export type AutoscalerDraft = Draft & { readonly spec?: Partial<Autoscaling.HorizontalPodAutoscalerSpec> }

export const autoscalersAmong = (
  documents: ReadonlyArray<ManifestDocument>
): ReadonlyArray<AutoscalerDraft> =>
  documents.filter(isOfResource(resources.autoscalers)).map(({ draft }) => draft)

/** The manifests may lack the scaled workload. */
export const scaleTargetId = ({ metadata, spec }: AutoscalerDraft): WorkloadId => {
  const { kind = "", name = "" } = spec?.scaleTargetRef ?? {}
  return `${kind} ${toObjectKey(metadata.namespace, name)}`
}

/** Documents leave out custom resources, which an autoscaler may scale, too. */
export const autoscalersWithoutTarget = (
  autoscalers: ReadonlyArray<AutoscalerDraft>,
  documents: ReadonlyArray<ManifestDocument>
): ReadonlyArray<AutoscalerDraft> => {
  const ids = new Set(documents.map(objectIdOfDocument))
  return autoscalers.filter(
    (autoscaler) =>
      scalableKinds.has(autoscaler.spec?.scaleTargetRef?.kind ?? "") && !ids.has(scaleTargetId(autoscaler))
  )
}

const scalableKinds: ReadonlySet<string> = new Set(["Deployment", "StatefulSet", "ReplicaSet"])

export const whyNotScalable = ({ spec }: AutoscalerDraft): string | undefined => {
  const scaleTargetRef = spec?.scaleTargetRef
  if (scaleTargetRef === undefined) return undefined
  const target = targetKindOf({ scaleTargetRef }, servedKinds)
  if (!("problem" in target)) return undefined
  const { apiVersion = "", kind } = scaleTargetRef
  return servedKinds.some((served) => served.kind === kind && apiVersionOf(served) === apiVersion)
    ? `a ${kind} has no scale subresource`
    : target.problem
}
