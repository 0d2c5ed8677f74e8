import { allContainersOf } from "../draftPodSpec.ts"
import { configKeysIn } from "../seeds/containerConfig.ts"
import { containerPath } from "../../kubernetes/pods/containers/containers.ts"
import { missingObjectsIn, objectsNamedByWorkload, requiredObjectTitle } from "../warnings/missingObjects.ts"
import { documentOfWorkload } from "../documentKeys.ts"
import { nearestName } from "../../kubernetes/meta/text/nearestWord.ts"
import { objectsCreatedBy, requiredObjectText } from "../previous/assumedObjects.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { ConfigKeys } from "../seeds/containerConfig.ts"
import type { ManifestDocument } from "../../manifests/manifestDocument.ts"
import type { PodSpec } from "../../kubernetes/meta/objects.ts"
import type { PreviousWorkloads } from "../warnings/missingObjects.ts"
import type { Reason } from "./verdict.ts"
import type { RequiredObject } from "../previous/assumedObjects.ts"
import type { WorkloadWithKind } from "../workloads.ts"

type Documents = ReadonlyArray<ManifestDocument>

export interface ReferenceContext extends PreviousWorkloads {
  /** Leaves out objects that are only assumed to exist. */
  readonly documents: Documents
  readonly next: Documents
}

/** A workload needs a missing object, which the files have in another namespace or by a similar name. */
export const referenceRisksIn = (
  context: ReferenceContext
): ((workload: WorkloadWithKind) => ReadonlyArray<Reason>) => {
  const { documents, next } = context
  const keys = configKeysIn(documents)
  const required = new Set(
    documents.flatMap(({ draft }) => objectsNamedByWorkload(draft)).map(requiredObjectText)
  )
  const objects = objectsCreatedBy(documents)
  const unused = objects.filter((object) => !required.has(requiredObjectText(object)))
  const missingObjects = missingObjectsIn(next, context)
  return (workload) => {
    const { metadata, spec } = workload.object
    const ownDocument = documentOfWorkload(workload, next)
    const missingOfWorkload = missingObjects.find(({ document }) => document === ownDocument)
    return [
      ...(missingOfWorkload?.objects ?? [])
        .filter(({ resource }) => resource !== resources.services)
        .flatMap((object) => elsewhereText(object, objects) ?? similarText(object, unused) ?? [])
        .map((text) => ({ rule: "missing-reference" as const, text })),
      ...missingFiles(spec.template.spec ?? {}, { namespace: metadata.namespace ?? "default", keys })
    ]
  }
}

const elsewhereText = (
  object: RequiredObject,
  objects: ReadonlyArray<RequiredObject>
): string | undefined => {
  const elsewhere = objects.find(({ resource, name }) => resource === object.resource && name === object.name)
  return elsewhere?.namespace === undefined
    ? undefined
    : `its Pods need ${requiredObjectTitle(object)} in namespace ${object.namespace}, which only namespace ${elsewhere.namespace} has`
}

const similarText = (object: RequiredObject, unused: ReadonlyArray<RequiredObject>): string | undefined => {
  const candidates = unused.filter(
    ({ resource, namespace, name }) =>
      resource === object.resource &&
      namespace === object.namespace &&
      withoutNumbers(name) !== withoutNumbers(object.name)
  )
  const nearest = nearestName(
    object.name,
    candidates.map(({ name }) => name)
  )
  return nearest === undefined
    ? undefined
    : `its Pods need ${requiredObjectTitle(object)}, which no file creates; did you mean ${nearest}?`
}

/** `db-1` and `db-2` are two on purpose. */
const withoutNumbers = (name: string): string => name.replace(/\d+/gu, "")

/** Source: pkg/kubelet/kubelet_pods.go (makeMounts), which makes a missing subPath a directory. */
const missingFiles = (
  spec: Partial<PodSpec>,
  { namespace, keys }: { readonly namespace: string; readonly keys: ConfigKeys }
): ReadonlyArray<Reason> =>
  allContainersOf(spec).flatMap((container) =>
    (container.volumeMounts ?? []).flatMap(({ name, subPath = "" }, index): ReadonlyArray<Reason> => {
      const source = configSourceOf(spec.volumes?.find((volume) => volume.name === name))
      const presentKeys = source && keys.get(`${source.kind} ${namespace}/${source.name}`)
      if (source === undefined || presentKeys === undefined || subPath === "") return []
      const paths = source.items?.map(({ path }) => path) ?? [...presentKeys]
      const first = firstSegmentOf(subPath)
      if (paths.some((path) => firstSegmentOf(path) === first)) return []
      const text = `container ${JSON.stringify(container.name)} mounts ${subPath} of ${source.kind}/${source.name}, which has no such key: it gets an empty directory`
      const path = ["spec", "template", "spec", ...containerPath(spec, container.name), "volumeMounts", index]
      return [{ rule: "missing-reference", text, field: path }]
    })
  )

const firstSegmentOf = (path: string): string | undefined =>
  path.split("/").find((segment) => segment !== "" && segment !== ".")

const configSourceOf = ({ configMap, secret }: Partial<Core.Volume> = {}) => {
  if (configMap !== undefined)
    return { kind: "ConfigMap", name: configMap.name ?? "", items: configMap.items }
  return secret === undefined
    ? undefined
    : { kind: "Secret", name: secret.secretName ?? "", items: secret.items }
}
