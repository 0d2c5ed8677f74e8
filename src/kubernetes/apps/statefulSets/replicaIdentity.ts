import { controllerReference } from "../../meta/ownerReferences.ts"
import { podRevisionLabel } from "../controllerRevisions/controllerRevisions.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { Draft, KubeObject, Pod, PodSpec, PodTemplate } from "../../meta/objects.ts"
import type { StatefulSet } from "./statefulSetTypes.ts"

/** Source: stateful_set_utils.go (identityMatches, storageMatches). */
const podNameLabel = "statefulset.kubernetes.io/pod-name"
const podIndexLabel = "apps.kubernetes.io/pod-index"

export const replicaName = ({ metadata }: StatefulSet, ordinal: number): string =>
  `${metadata.name}-${ordinal}`

/** Undefined for a Pod that is not named after an ordinal of this StatefulSet. */
export const ordinalOf = ({ metadata }: StatefulSet, pod: KubeObject): number | undefined => {
  const [, parent, digits] = /^(.*)-(\d+)$/.exec(pod.metadata.name) ?? []
  const ordinal = Number(digits)
  return parent === metadata.name && ordinal <= ordinalMax ? ordinal : undefined
}

/** Upstream reads ordinals as 32-bit integers. */
const ordinalMax = 2 ** 31 - 1

export const startOrdinal = ({ spec }: StatefulSet): number => spec.ordinals?.start ?? 0

export const isOrdinalInRange = (statefulSet: StatefulSet, ordinal: number): boolean => {
  const start = startOrdinal(statefulSet)
  return ordinal >= start && ordinal < start + statefulSet.spec.replicas
}

const claimTemplatesOf = ({ spec }: StatefulSet): ReadonlyArray<Core.PersistentVolumeClaim> =>
  spec.volumeClaimTemplates ?? []

const claimName = (statefulSet: StatefulSet, template: Core.PersistentVolumeClaim, ordinal: number): string =>
  `${template.metadata?.name ?? ""}-${replicaName(statefulSet, ordinal)}`

export const claimNames = (statefulSet: StatefulSet, ordinal: number): ReadonlyArray<string> =>
  claimTemplatesOf(statefulSet).map((template) => claimName(statefulSet, template, ordinal))

export type ClaimDraft = Draft & { readonly spec: Core.PersistentVolumeClaimSpec | undefined }

export const claimDrafts = (statefulSet: StatefulSet, ordinal: number): ReadonlyArray<ClaimDraft> => {
  const { namespace } = statefulSet.metadata
  return claimTemplatesOf(statefulSet).map((template) => ({
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: {
      ...(template.metadata?.annotations === undefined ? {} : { annotations: template.metadata.annotations }),
      name: claimName(statefulSet, template, ordinal),
      ...(namespace === undefined ? {} : { namespace }),
      labels: { ...template.metadata?.labels, ...statefulSet.spec.selector.matchLabels }
    },
    spec: template.spec
  }))
}

export const hasIdentity = (statefulSet: StatefulSet, pod: Pod, ordinal: number): boolean =>
  pod.metadata.labels?.[podNameLabel] === pod.metadata.name && hasClaims(statefulSet, pod, ordinal)

const hasClaims = (statefulSet: StatefulSet, pod: Pod, ordinal: number): boolean =>
  claimTemplatesOf(statefulSet).every((template) =>
    (pod.spec.volumes ?? []).some(
      ({ name, persistentVolumeClaim }) =>
        name === template.metadata?.name &&
        persistentVolumeClaim?.claimName === claimName(statefulSet, template, ordinal)
    )
  )

export const withIdentity = (statefulSet: StatefulSet, pod: Pod, ordinal: number): Pod => ({
  ...pod,
  metadata: { ...pod.metadata, labels: { ...pod.metadata.labels, ...identityLabels(statefulSet, ordinal) } },
  spec: hasClaims(statefulSet, pod, ordinal)
    ? pod.spec
    : { ...pod.spec, volumes: volumesOf(statefulSet, pod.spec, ordinal) }
})

const identityLabels = (statefulSet: StatefulSet, ordinal: number) => ({
  [podNameLabel]: replicaName(statefulSet, ordinal),
  [podIndexLabel]: String(ordinal)
})

/** Claims replace the template's volumes of the same name. */
const volumesOf = (
  statefulSet: StatefulSet,
  { volumes = [] }: Pick<PodSpec, "volumes">,
  ordinal: number
): Array<Core.Volume> => {
  const claimed = claimTemplatesOf(statefulSet).map((template) => ({
    name: template.metadata?.name ?? "",
    persistentVolumeClaim: { claimName: claimName(statefulSet, template, ordinal), readOnly: false }
  }))
  return [...claimed, ...volumes.filter(({ name }) => !claimed.some((it) => it.name === name))]
}

export type ReplicaDraft = Draft & { readonly spec: PodTemplate["spec"] }

export const draftReplica = (
  statefulSet: StatefulSet,
  ordinal: number,
  { template, revisionName }: { readonly template: PodTemplate; readonly revisionName: string }
): ReplicaDraft => {
  const { namespace } = statefulSet.metadata
  const { metadata = {}, spec = { containers: [] } } = template
  const { labels, annotations, finalizers } = metadata
  const name = replicaName(statefulSet, ordinal)
  const volumes = volumesOf(statefulSet, spec, ordinal)
  const { serviceName } = statefulSet.spec as { readonly serviceName?: string }
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      labels: { ...labels, [podRevisionLabel]: revisionName, ...identityLabels(statefulSet, ordinal) },
      ...(annotations === undefined ? {} : { annotations }),
      ...(finalizers === undefined ? {} : { finalizers }),
      ownerReferences: [controllerReference(statefulSet)]
    },
    spec: {
      ...spec,
      ...(volumes.length === 0 ? {} : { volumes }),
      hostname: name,
      ...(serviceName === undefined || serviceName === "" ? {} : { subdomain: serviceName })
    }
  }
}
