import { dequal } from "dequal"
import { allContainersOf, draftPodSpec } from "../draftPodSpec.ts"
import { documentId, lastDocumentOfEachObject } from "../documentKeys.ts"
import { displayName } from "../../kubernetes/meta/text/displayName.ts"
import { groupResourceOf, resources } from "../../kubernetes/meta/kinds.ts"
import { isSameTemplate } from "../../kubernetes/apps/revisions/podTemplates.ts"
import { namespaceOption } from "../../kubernetes/meta/text/kubectlTarget.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { Draft, PodSpec, PodTemplate } from "../../kubernetes/meta/objects.ts"
import type { GroupResource } from "../../kubernetes/meta/kinds.ts"
import type { ManifestDocument } from "../../manifests/manifestDocument.ts"

/**
 * Pods of an unchanged template keep the variables and `subPath` files with which they started. Source:
 * pkg/kubelet/kubelet_pods.go (makeEnvironmentVariables), pkg/volume/util/subpath.
 */
export const staleConfigWarnings = (
  from: ReadonlyArray<ManifestDocument>,
  next: ReadonlyArray<ManifestDocument>
): ReadonlyArray<string> => {
  const before = new Map(
    lastDocumentOfEachObject(from).map((document) => [documentId(document), document.draft])
  )
  const after = new Map(
    lastDocumentOfEachObject(next).map((document) => [documentId(document), document.draft])
  )
  return lastDocumentOfEachObject(next).flatMap((document) => {
    const { kind, draft } = document
    const [templateBefore, template] = [templateOf(before.get(documentId(document))), templateOf(draft)]
    if (!restartable.has(groupResourceOf(kind)) || templateBefore === undefined || template === undefined)
      return []
    if (!isSameTemplate(templateBefore, template)) return []
    const { namespace = "default", name = "" } = draft.metadata
    const stale = configReadAtStart(draftPodSpec(draft) ?? {}).filter((read) => {
      const id = `${read.resource} ${namespace}/${read.name}`
      const [draftBefore, draftAfter] = [before.get(id), after.get(id)]
      return (
        draftBefore !== undefined &&
        draftAfter !== undefined &&
        !dequal(valuesOf(draftBefore, read.key), valuesOf(draftAfter, read.key))
      )
    })
    const titles = stale.map(
      (read) => `${read.resource === resources.secrets ? "Secret" : "ConfigMap"}/${read.name}`
    )
    const workload = `${kind.kind.toLowerCase()}/${name}${namespaceOption(draft.metadata)}`
    return [...new Set(titles)].map(
      (title) =>
        `${title} changes, and the template of ${kind.kind}/${displayName({ namespace, name })} does not: its Pods keep the values that they read when they started. Afterwards: kubectl rollout restart ${workload}`
    )
  })
}

const restartable: ReadonlySet<GroupResource> = new Set([
  resources.deployments,
  resources.statefulSets,
  resources.daemonSets
])

const templateOf = (draft: Draft | undefined): PodTemplate | undefined =>
  (draft as { readonly spec?: { readonly template?: PodTemplate } } | undefined)?.spec?.template

interface ConfigRead {
  readonly resource: typeof resources.configMaps | typeof resources.secrets
  readonly name: string
  /** Undefined for all keys. */
  readonly key: string | undefined
}

const configReadAtStart = (spec: Partial<PodSpec>): ReadonlyArray<ConfigRead> =>
  allContainersOf(spec).flatMap(({ env = [], envFrom = [], volumeMounts = [] }) => [
    ...envFrom.flatMap(({ configMapRef, secretRef }) => [
      ...configReadOf(resources.configMaps, configMapRef),
      ...configReadOf(resources.secrets, secretRef)
    ]),
    ...env.flatMap(({ valueFrom }) => [
      ...configReadOf(resources.configMaps, valueFrom?.configMapKeyRef),
      ...configReadOf(resources.secrets, valueFrom?.secretKeyRef)
    ]),
    ...volumeMounts.flatMap(({ name, subPath }) =>
      subPath === undefined ? [] : configReadsOfVolume(spec.volumes?.find((volume) => volume.name === name))
    )
  ])

const configReadsOfVolume = (volume: Core.Volume | undefined): ReadonlyArray<ConfigRead> => [
  ...configReadOf(resources.configMaps, volume?.configMap),
  ...configReadOf(resources.secrets, volume?.secret && { name: volume.secret.secretName })
]

const configReadOf = (
  resource: ConfigRead["resource"],
  reference: { readonly name?: string | undefined; readonly key?: string } | undefined
): ReadonlyArray<ConfigRead> =>
  reference?.name === undefined ? [] : [{ resource, name: reference.name, key: reference.key }]

const valuesOf = (draft: Draft, key: string | undefined): unknown => {
  const { data, binaryData, stringData = {} } = draft as Core.ConfigMap & Core.Secret
  const encoded = Object.entries(stringData).map(([name, text]) => [
    name,
    Buffer.from(text).toString("base64")
  ])
  const values: Readonly<Record<string, unknown>> = { ...data, ...binaryData, ...Object.fromEntries(encoded) }
  return key === undefined ? values : values[key]
}
