import { compareQuantities } from "../../kubernetes/meta/amounts/quantity.ts"
import { storageCapacityOf, couldBind } from "../../kubernetes/storage/claimVolumes.ts"
import { draftPodSpec } from "../draftPodSpec.ts"
import { keyOfDraft } from "../documentKeys.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import {
  defaultStorageClass,
  namesStorageClass,
  standardStorageClass,
  storageClassNameOf
} from "../../kubernetes/storage/storageClasses.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { Draft, Key } from "../../kubernetes/meta/objects.ts"
import type {
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass
} from "../../kubernetes/storage/storageTypes.ts"
import type { StatefulSet } from "../../kubernetes/apps/statefulSets/statefulSetTypes.ts"
import type { PodReference } from "../../kubernetes/pods/podReferences.ts"

export const assumedAnnotations = { "charthouse.dev/assumed": "true" }

export const isAssumedDraft = ({ metadata }: Draft): boolean =>
  metadata.annotations?.["charthouse.dev/assumed"] === "true"

/** A claim template replaces the volume of its name. Source: stateful_set_utils.go (updateStorage). */
export const claimsNamedBy = (draft: Draft): ReadonlyArray<Omit<PodReference, "field">> => {
  const templateNames = new Set(volumeClaimTemplatesOf(draft).map(({ metadata }) => metadata?.name))
  return (draftPodSpec(draft)?.volumes ?? []).flatMap(({ name, persistentVolumeClaim }) =>
    persistentVolumeClaim === undefined || templateNames.has(name)
      ? []
      : [
          {
            resource: resources.persistentVolumeClaims,
            namespace: draft.metadata.namespace ?? "",
            name: persistentVolumeClaim.claimName
          }
        ]
  )
}

const volumeClaimTemplatesOf = (draft: Draft): ReadonlyArray<Core.PersistentVolumeClaim> =>
  isStatefulSetDraft(draft) ? (draft.spec.volumeClaimTemplates ?? []) : []

/** Pods on all nodes may use the claim. */
export const assumedClaim = (
  namespace: string,
  name: string
): Draft & Pick<PersistentVolumeClaim, "spec"> => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name, namespace, annotations: assumedAnnotations },
  spec: {
    accessModes: ["ReadWriteMany"],
    resources: { requests: { storage: "1Gi" } },
    storageClassName: "",
    volumeName: `assumed-${namespace}-${name}`
  }
})

/** Claims that each Pod gets for itself, by the name of their template. */
export const claimTemplatesOf = (draft: Draft): ReadonlyArray<VolumeClaimDraft> => [
  ...volumeClaimTemplatesOf(draft).map((template) =>
    ownClaim(draft, template.metadata?.name ?? "", template)
  ),
  ...(draftPodSpec(draft)?.volumes ?? []).flatMap(({ name, ephemeral }) =>
    ephemeral?.volumeClaimTemplate === undefined ? [] : [ownClaim(draft, name, ephemeral.volumeClaimTemplate)]
  )
]

/** The claims of a StatefulSet's replicas, from its templates. */
export const replicaClaimsOf = (draft: Draft): ReadonlyArray<VolumeClaimDraft> =>
  isStatefulSetDraft(draft)
    ? volumeClaimTemplatesOf(draft).flatMap((template) =>
        replicaClaimNames(draft, template.metadata?.name ?? "").map((name) => ownClaim(draft, name, template))
      )
    : []

type StatefulSetDraft = Draft & { readonly spec: Partial<StatefulSet["spec"]> }

export const replicaClaimNames = (
  { metadata, spec: { replicas = 1, ordinals: { start = 0 } = {} } }: StatefulSetDraft,
  templateName: string
): ReadonlyArray<string> =>
  Array.from({ length: replicas }, (_, index) => `${templateName}-${metadata.name ?? ""}-${start + index}`)

const ownClaim = (
  draft: Draft,
  name: string,
  { metadata, spec = {} }: Core.PersistentVolumeClaim
): VolumeClaimDraft => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { ...metadata, name, namespace: draft.metadata.namespace ?? "" },
  spec
})

/** They let claims grow, unless a cluster has the class and `growth` says otherwise. */
export const assumedStorageClasses = (
  drafts: ReadonlyArray<Draft>,
  growing: ReadonlyArray<VolumeClaimDraft>,
  growth: ReadonlyMap<string, boolean> = new Map()
): ReadonlyArray<Draft> => {
  const standard = standardStorageClass.metadata
  const existingClasses = new Set([
    ...(growth.get(standard.name) === true ? [] : [standard.name]),
    ...drafts.filter(({ kind }) => kind === "StorageClass").map(({ metadata }) => metadata.name)
  ])
  const volumes = drafts.filter(isVolumeDraft)
  const provisionedClaims = drafts
    .flatMap(claimTemplatesOf)
    .filter((claim) => !hasStaticVolumes(storageClassNameOf(claim), volumes))
  const claims = [...provisionedClaims, ...growing]
  return [...new Set(claims.map(storageClassNameOf))]
    .filter((name) => name !== "" && !existingClasses.has(name))
    .map((name) => ({
      ...standardStorageClass,
      metadata:
        name === standard.name
          ? standard
          : { name, ...(growth.has(name) ? {} : { annotations: assumedAnnotations }) },
      allowVolumeExpansion: growth.get(name) ?? true,
      ...(claims.some(
        (claim) => storageClassNameOf(claim) === name && isForSeveralNodes(claim.spec.accessModes)
      )
        ? { parameters: { sharedFileSystemPath: "/assumed" } }
        : {})
    }))
}

export const isStatefulSetDraft = (draft: Draft): draft is StatefulSetDraft =>
  draft.kind === "StatefulSet" && "spec" in draft

export type VolumeClaimDraft = Draft & Pick<PersistentVolumeClaim, "spec">
export type VolumeDraft = Draft & Pick<PersistentVolume, "spec">

export const isClaimDraft = (draft: Draft): draft is VolumeClaimDraft =>
  draft.kind === "PersistentVolumeClaim" && "spec" in draft

/** Reading the manifests has checked the type. */
const isClassDraft = (draft: Draft): draft is StorageClass => draft.kind === "StorageClass"

export const isVolumeDraft = (draft: Draft): draft is VolumeDraft =>
  draft.kind === "PersistentVolume" && "spec" in draft

/** Any node can attach an assumed volume; with ReadWriteOnce only one node at a time, like a cloud disk. */
export const assumedVolumes = (
  drafts: ReadonlyArray<Draft>,
  before: ReadonlyArray<Draft>
): ReadonlyArray<Draft> => {
  const volumes = drafts.filter(isVolumeDraft)
  const classes = drafts.filter(isClassDraft)
  const claimsBefore = claimKeysOf(before)
  const claimsWithOwnVolume = claimKeysWithOwnVolume(
    [...before.filter(isClaimDraft), ...before.flatMap(replicaClaimsOf)],
    volumes
  )
  const classNameOf = (claim: VolumeClaimDraft): string =>
    namesStorageClass(claim)
      ? storageClassNameOf(claim)
      : (defaultStorageClass(classes) ?? standardStorageClass).metadata.name
  const classOf = (claim: VolumeClaimDraft): StorageClass | undefined =>
    classes.find(({ metadata }) => metadata.name === classNameOf(claim))
  const waitsForStaticVolume = (claim: VolumeClaimDraft): boolean =>
    namesStorageClass(claim) &&
    !claimsBefore.has(keyOfDraft(claim)) &&
    hasStaticVolumes(storageClassNameOf(claim), volumes)
  const hasVolume = (claim: VolumeClaimDraft): boolean => {
    const { volumeName = "" } = claim.spec
    if (volumeName !== "") return volumes.some((volume) => volume.metadata.name === volumeName)
    const storageClass = classOf(claim)
    // The claims of what ran before had their volumes.
    const hasClass =
      storageClass !== undefined &&
      (storageClass.provisioner === standardStorageClass.provisioner || !claimsBefore.has(keyOfDraft(claim)))
    const hasOwnVolume = claimsBefore.has(keyOfDraft(claim))
      ? claimsWithOwnVolume.has(keyOfDraft(claim))
      : hasFittingVolume(claim, volumes)
    return hasClass || hasOwnVolume || waitsForStaticVolume(claim)
  }
  const givenClaims = drafts.filter(isClaimDraft)
  const givenKeys = claimKeysOf(givenClaims)
  // A StatefulSet uses an existing claim of the same name. For claims of other templates, the class is assumed.
  const replicaClaims = drafts
    .flatMap(replicaClaimsOf)
    .filter(
      (claim) =>
        classOf(claim) !== undefined || hasStaticVolumes(classNameOf(claim), volumes) || isWithoutClass(claim)
    )
    .filter((claim) => !givenKeys.has(keyOfDraft(claim)))
  return (
    [...givenClaims, ...replicaClaims]
      // Without access modes, the claim itself is invalid.
      .filter((claim) => !hasVolume(claim) && (claim.spec.accessModes ?? []).length > 0)
      .map((claim) => assumedVolume(claim, classNameOf(claim)))
  )
}

/** Each volume is for one claim, and the smallest is taken first. Of claims of one key, the first counts. */
export const claimKeysWithOwnVolume = (
  claims: ReadonlyArray<VolumeClaimDraft>,
  volumes: ReadonlyArray<VolumeDraft>
): ReadonlySet<Key> => {
  // Files before and after the change may have the same volume.
  const volumesByName = new Map(volumes.map((volume) => [volume.metadata.name, volume]))
  const freeVolumes = new Set([...volumesByName.values()].toSorted(smallestFirst))
  const claimsByKey = new Map(claims.toReversed().map((claim) => [keyOfDraft(claim), claim]))
  const withVolume = [...claimsByKey.values()].toReversed().filter((claim) => {
    const ownVolume = [...freeVolumes].find((volume) => hasFittingVolume(claim, [volume]))
    return ownVolume !== undefined && freeVolumes.delete(ownVolume)
  })
  return new Set(withVolume.map(keyOfDraft))
}

const smallestFirst = (a: VolumeDraft, b: VolumeDraft): number =>
  compareQuantities(storageCapacityOf(a), storageCapacityOf(b))

/** Only a volume that is made by hand can bind such a claim. */
export const isWithoutClass = (claim: VolumeClaimDraft): boolean =>
  namesStorageClass(claim) && storageClassNameOf(claim) === ""

/** Includes the claims of a StatefulSet's replicas. */
export const claimKeysOf = (drafts: ReadonlyArray<Draft>): ReadonlySet<Key> =>
  new Set([...drafts.filter(isClaimDraft), ...drafts.flatMap(replicaClaimsOf)].map(keyOfDraft))

/** Whether a claim of the class that fits no volume waits. */
export const hasStaticVolumes = (className: string, volumes: ReadonlyArray<VolumeDraft>): boolean =>
  volumes.some((volume) => volume.spec.claimRef === undefined && isStaticVolumeOfClass(volume, className))

/** Other volumes are disks of a cloud or CSI driver, which may provision more of their class. */
export const isStaticVolumeOfClass = (volume: VolumeDraft, className: string): boolean => {
  const { hostPath, local, nfs } = volume.spec
  const isStatic = className === "" || hostPath !== undefined || local !== undefined || nfs !== undefined
  return isStatic && storageClassNameOf(volume) === className
}

export const hasFittingVolume = (
  { spec, ...claim }: VolumeClaimDraft,
  volumes: ReadonlyArray<VolumeDraft>
): boolean => {
  const storageClassName = admittedClassName(spec)
  return volumes.some((volume) => couldBind(volume, { ...claim, spec: { ...spec, storageClassName } }))
}

const admittedClassName = ({ storageClassName }: VolumeClaimDraft["spec"]): string =>
  storageClassName ?? standardStorageClass.metadata.name

const isForSeveralNodes = (accessModes: ReadonlyArray<string> = []): boolean =>
  accessModes.some((mode) => mode === "ReadWriteMany" || mode === "ReadOnlyMany")

const assumedVolume = ({ metadata, spec }: VolumeClaimDraft, storageClassName: string): Draft => {
  const { namespace = "", name = "" } = metadata
  const { accessModes = [], volumeMode, resources: amounts, volumeName = "" } = spec
  const volume: VolumeDraft = {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: {
      name: volumeName === "" ? `assumed-${namespace}-${name}` : volumeName,
      annotations: assumedAnnotations
    },
    spec: {
      accessModes: [...accessModes],
      capacity: { storage: amounts?.requests?.["storage"] ?? "1Gi" },
      claimRef: { kind: "PersistentVolumeClaim", apiVersion: "v1", namespace, name },
      ...(isForSeveralNodes(accessModes)
        ? { hostPath: { path: "/assumed" } }
        : { csi: { driver: "assumed.charthouse.dev", volumeHandle: `${namespace}-${name}` } }),
      persistentVolumeReclaimPolicy: "Retain",
      storageClassName,
      ...(volumeMode === undefined ? {} : { volumeMode })
    }
  }
  return volume
}
