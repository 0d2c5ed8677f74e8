import { podReferences, rootCaConfigMap, runtimeClassResource } from "../../kubernetes/pods/podReferences.ts"
import { priorityClassResource } from "../../kubernetes/pods/priorityClasses.ts"
import { servicesAwaitedByInitContainers } from "./servicesAwaitedByInitContainers.ts"
import { boundClaimKeys, claimKeysWithVolume, claimsOfPodsExcept } from "../claimsOfPods.ts"
import { allContainersOf, draftPodSpec } from "../draftPodSpec.ts"
import { isOfResource } from "../documentKeys.ts"
import { isWorkload } from "../workloads.ts"
import { claimsNamedBy, isAssumedDraft, isClaimDraft, isVolumeDraft } from "../previous/assumedVolumes.ts"
import { standardStorageClass, storageClassNameOf } from "../../kubernetes/storage/storageClasses.ts"
import {
  asRequiredObject,
  objectsCreatedBy,
  requiredObjectText,
  uniqueObjects
} from "../previous/assumedObjects.ts"
import { objectIdOfDocument } from "../previous/previousDocuments.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { subdomainProblems } from "../../kubernetes/validation/nameRules.ts"
import { displayName } from "../../kubernetes/meta/text/displayName.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { ManifestDocument } from "../../manifests/manifestDocument.ts"
import type { Draft } from "../../kubernetes/meta/objects.ts"
import type { RefusedObject } from "../../manifests/refusedObjects.ts"
import type { LivePods } from "../previous/previousDocuments.ts"
import type { RequiredObject } from "../previous/assumedObjects.ts"

type Documents = ReadonlyArray<ManifestDocument>

interface SourceReference {
  readonly name?: string
  readonly optional?: boolean
}

export interface PreviousWorkloads {
  readonly from: Documents
  /** Undefined if `from` is files: all their Pods count as available. */
  readonly livePods: LivePods | undefined
}

interface WorkloadWithMissing {
  readonly document: ManifestDocument
  readonly objects: ReadonlyArray<RequiredObject>
}

/**
 * An object exists if a workload with available Pods needs it. Source: pkg/kubelet/kubelet_pods.go
 * (makeEnvironmentVariables), pkg/volume (configmap, secret, projected).
 */
export const missingObjectsIn = (
  next: Documents,
  previous: PreviousWorkloads
): ReadonlyArray<WorkloadWithMissing> => {
  const { from, livePods } = previous
  const given = [...from, ...next].map(({ draft }) => draft).filter((draft) => !isAssumedDraft(draft))
  const requiredObjectsOf = (draft: Draft): ReadonlyArray<RequiredObject> => [
    ...objectsNamedByWorkload(draft),
    ...requiredClassesOf(draft, given),
    // Of a cluster, only the Services of the workloads that change are read.
    ...(livePods === undefined ? servicesAwaitedByInitContainers(draft) : [])
  ]
  const existingTexts = new Set(
    [
      ...existingObjects([...from, ...next]),
      ...availableWorkloads(previous).flatMap(({ draft }) => requiredObjectsOf(draft))
    ].map(requiredObjectText)
  )
  return next.filter(isWorkload).map((document) => ({
    document,
    objects: uniqueObjects(
      requiredObjectsOf(document.draft).filter((object) => !existingTexts.has(requiredObjectText(object)))
    )
  }))
}

/** Omits `refused` objects, which are not assumed to exist. */
export const missingObjectWarnings = (
  next: Documents,
  previous: PreviousWorkloads,
  refused: ReadonlyArray<RefusedObject>
): ReadonlyArray<string> => {
  const refusedTexts = new Set(refused.flatMap((it) => asRequiredObject(it) ?? []).map(requiredObjectText))
  return missingObjectsIn(next, previous).flatMap(({ document: { kind, draft }, objects }) => {
    const name = displayName({ ...draft.metadata, name: draft.metadata.name ?? "" })
    const warningAbout = (areValid: boolean, whyOne: string, whySeveral: string): ReadonlyArray<string> => {
      const named = objects
        .filter((object) => !refusedTexts.has(requiredObjectText(object)))
        .filter(({ name: objectName }) => (subdomainProblems(objectName).length === 0) === areValid)
      const titles = [...new Set(named.map(requiredObjectTitle))]
      const why = titles.length === 1 ? whyOne : whySeveral
      return titles.length === 0 ? [] : [`${kind.kind}/${name} needs ${titles.join(", ")}, which ${why}`]
    }
    return [
      ...warningAbout(
        true,
        "no file creates: it is assumed to exist",
        "no file creates: they are assumed to exist"
      ),
      ...warningAbout(false, "cannot exist: the name is invalid", "cannot exist: the names are invalid")
    ]
  })
}

/** `ConfigMap/settings` */
export const requiredObjectTitle = ({ resource, name }: RequiredObject): string =>
  `${kindNames[resource]}/${name}`

/** Of a live cluster, only revisions with available Pods surely have what they need. */
const availableWorkloads = ({ from, livePods }: PreviousWorkloads): Documents => {
  if (livePods === undefined) return from
  const revisions = from.filter(isOfResource(resources.replicaSets))
  return (revisions.length === 0 ? from : revisions).filter(
    (document) => (livePods.available[objectIdOfDocument(document)] ?? 0) > 0
  )
}

const kindNames: Readonly<Record<string, string>> = {
  [resources.configMaps]: "ConfigMap",
  [resources.secrets]: "Secret",
  [resources.persistentVolumeClaims]: "PersistentVolumeClaim",
  [resources.serviceAccounts]: "ServiceAccount",
  [priorityClassResource]: "PriorityClass",
  [resources.storageClasses]: "StorageClass",
  [resources.services]: "Service"
}

export const objectsNamedByWorkload = (draft: Draft): ReadonlyArray<RequiredObject> => [
  ...pullSecretsOf(draft),
  ...objectsAwaitedByPods(draft)
]

/** The verdict tells about RuntimeClasses and CSIDrivers, which are left out here. */
export const objectsAwaitedByPods = (draft: Draft): ReadonlyArray<RequiredObject> => {
  const { namespace = "default" } = draft.metadata
  const spec = draftPodSpec(draft) ?? {}
  const references = podReferences(spec, namespace).filter(
    ({ resource }) => resource !== runtimeClassResource
  )
  return [...sourcesOf(draft), ...references]
}

/** Source: pkg/kubelet/kubelet_pods.go (getPullSecretsForPod), which warns of a missing one and goes on. */
const pullSecretsOf = (draft: Draft): ReadonlyArray<RequiredObject> =>
  (draftPodSpec(draft)?.imagePullSecrets ?? []).flatMap(({ name = "" }) =>
    name === ""
      ? []
      : [{ resource: resources.secrets, namespace: draft.metadata.namespace ?? "default", name }]
  )

const sourcesOf = (draft: Draft): ReadonlyArray<RequiredObject> => {
  const spec = draftPodSpec(draft) ?? {}
  const projected = (spec.volumes ?? []).flatMap((volume) => volume.projected?.sources ?? [])
  const containers = allContainersOf(spec)
  const envValueSources = containers.flatMap(({ env = [] }) =>
    env.flatMap(({ valueFrom }) => valueFrom ?? [])
  )
  const envSources = containers.flatMap(({ envFrom = [] }) => envFrom)
  const volumes = spec.volumes ?? []
  const namespace = draft.metadata.namespace
  const requiredSources = (
    resource: string,
    sources: ReadonlyArray<SourceReference | undefined>
  ): ReadonlyArray<RequiredObject> =>
    sources.flatMap(({ name = "", optional = false } = {}) =>
      optional || name === "" || name === rootCaConfigMap ? [] : [{ resource, namespace, name }]
    )
  return [
    ...requiredSources(resources.configMaps, [
      ...envSources.map(({ configMapRef }) => configMapRef),
      ...envValueSources.map(({ configMapKeyRef }) => configMapKeyRef),
      ...[...volumes, ...projected].map(({ configMap }) => configMap)
    ]),
    ...requiredSources(resources.secrets, [
      ...envSources.map(({ secretRef }) => secretRef),
      ...envValueSources.map(({ secretKeyRef }) => secretKeyRef),
      ...volumes.map(({ secret }) => secret && namedSecret(secret)),
      ...projected.map(({ secret }) => secret)
    ]),
    ...claimsNamedBy(draft)
  ]
}

/** Leaves out what is assumed to exist. A static volume binds a claim by the class name, without a StorageClass. */
export const existingObjects = (documents: Documents): ReadonlyArray<RequiredObject> => {
  const given = documents.filter(({ draft }) => !isAssumedDraft(draft))
  const classesOfVolumes = given.flatMap(({ draft }) =>
    isVolumeDraft(draft) && draft.spec.claimRef === undefined
      ? requiredStorageClass(storageClassNameOf(draft))
      : []
  )
  return [...classesOfVolumes, ...objectsCreatedBy(given)]
}

const requiredClassesOf = (draft: Draft, given: ReadonlyArray<Draft>): ReadonlyArray<RequiredObject> => {
  const claims = given.filter(isClaimDraft)
  const withVolume = new Set([
    ...boundClaimKeys(claims),
    ...claimKeysWithVolume(draft, claims, given.filter(isVolumeDraft))
  ])
  return claimsOfPodsExcept(withVolume, draft, claims)
    .map(storageClassNameOf)
    .filter((className) => className !== "" && className !== standardStorageClass.metadata.name)
    .map(requiredStorageClass)
}

export const requiredStorageClass = (name: string): RequiredObject => ({
  resource: resources.storageClasses,
  namespace: undefined,
  name
})

const namedSecret = ({ secretName = "", optional = false }: Core.SecretVolumeSource): SourceReference => ({
  name: secretName,
  optional
})
