import { apiVersionOf, groupResourceOf, kindOfResource, resources } from "../../kubernetes/meta/kinds.ts"
import { growingClaims } from "../growingClaims.ts"
import { initialNamespaces } from "../../cluster/bootstrap.ts"
import { podReferences, runtimeClassResource } from "../../kubernetes/pods/podReferences.ts"
import {
  assumedAnnotations,
  assumedClaim,
  assumedStorageClasses,
  assumedVolumes,
  claimsNamedBy,
  isAssumedDraft,
  isClaimDraft,
  isVolumeDraft
} from "./assumedVolumes.ts"
import { draftPodSpec } from "../draftPodSpec.ts"
import { findCreateProblem } from "../../manifests/manifestProblems.ts"
import { priorityClassResource } from "../../kubernetes/pods/priorityClasses.ts"
import { readManifestObjects } from "../../manifests/readManifests.ts"
import { usedNamespaces } from "./documentNamespaces.ts"
import type { Draft } from "../../kubernetes/meta/objects.ts"
import type { ManifestDocument } from "../../manifests/manifestDocument.ts"
import type { RefusedObject } from "../../manifests/refusedObjects.ts"
import type { PodReference } from "../../kubernetes/pods/podReferences.ts"

type Documents = ReadonlyArray<ManifestDocument>

export type RequiredObject = Omit<PodReference, "field">

/** Adds objects that the manifests need and do not create, which a cluster is assumed to have. */
export const withAssumedObjects = (
  from: Documents | undefined,
  next: Documents,
  refused: ReadonlyArray<RefusedObject> = []
): Documents | undefined => {
  const fromDocuments = from ?? []
  const existingTexts = new Set(
    [...initialNamespaces.map(requiredNamespace), ...objectsCreatedBy(fromDocuments)].map(requiredObjectText)
  )
  // What the files would create is not there before.
  const created = new Set(
    [...objectsCreatedBy(next), ...refused.flatMap((it) => asRequiredObject(it) ?? [])].map(
      requiredObjectText
    )
  )
  const required = [
    ...objectsRequiredBy(fromDocuments),
    ...objectsRequiredBy(next).filter((object) => !created.has(requiredObjectText(object)))
  ]
  const isMissing = (object: RequiredObject): boolean => !existingTexts.has(requiredObjectText(object))
  const missingObjects = required.filter(isMissing)
  const namespaces = missingObjects.flatMap(({ namespace }) =>
    namespace === undefined ? [] : [requiredNamespace(namespace)]
  )
  const assumed = uniqueObjects([...namespaces.filter(isMissing), ...missingObjects]).map(assumedDraft)
  const before = draftsWithValidStorage(fromDocuments)
  const after = draftsWithValidStorage(next)
  const drafts = [...assumed, ...before, ...after]
  const allAssumed = [
    ...assumed,
    ...assumedStorageClasses(drafts, growingClaims(before, after)),
    ...assumedVolumes(drafts, before)
  ]
  const possible = readManifestObjects(allAssumed).documents.filter(isValid)
  return possible.length === 0 ? from : [...possible, ...fromDocuments]
}

const isValid = (document: ManifestDocument): boolean => findCreateProblem(document) === undefined

/** No volume can be assumed for a claim that is refused, and a volume that is refused fits no claim. */
const draftsWithValidStorage = (documents: Documents): ReadonlyArray<Draft> =>
  documents
    .filter(
      (document) => (!isClaimDraft(document.draft) && !isVolumeDraft(document.draft)) || isValid(document)
    )
    .map(({ draft }) => draft)

/** No cluster has an object that it would refuse. */
export const withoutInvalidAssumed = (documents: Documents): Documents =>
  documents.filter((document) => !isAssumedDraft(document.draft) || isValid(document))

const objectsRequiredBy = (documents: Documents): ReadonlyArray<RequiredObject> => [
  ...usedNamespaces(documents).map(requiredNamespace),
  ...objectsNamedByPods(documents.map(({ draft }) => draft))
]

export const objectsNamedByPods = (drafts: ReadonlyArray<Draft>): ReadonlyArray<RequiredObject> =>
  uniqueObjects(
    drafts.flatMap((draft) => {
      const spec = draftPodSpec(draft)
      if (spec === undefined) return []
      return [...podReferences(spec, draft.metadata.namespace ?? ""), ...claimsNamedBy(draft)]
    })
  )

export const objectsCreatedBy = (documents: Documents): ReadonlyArray<RequiredObject> =>
  documents.map(({ kind, draft: { metadata } }) => ({
    resource: groupResourceOf(kind),
    namespace: kind.namespaced ? metadata.namespace : undefined,
    name: metadata.name ?? ""
  }))

export const asRequiredObject = ({ resource, namespace, name }: RefusedObject): RequiredObject | undefined =>
  resource === undefined || name === undefined ? undefined : { resource, namespace, name }

/** A PriorityClass gets priority 0, a RuntimeClass a handler of its name. */
export const assumedDraft = ({ resource, namespace, name }: RequiredObject): Draft => {
  if (resource === resources.persistentVolumeClaims) return assumedClaim(namespace ?? "", name)
  const kind = kindOfResource(resource)
  if (kind === undefined) throw new Error(`${resource} are not stored`)
  const annotations = resource === resources.namespaces ? {} : { annotations: assumedAnnotations }
  const metadata = { name, ...(namespace === undefined ? {} : { namespace }), ...annotations }
  const draft = { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata }
  if (resource === runtimeClassResource) return { ...draft, handler: name.replaceAll(".", "-") } as Draft
  return resource === priorityClassResource ? Object.assign(draft, { value: 0 }) : draft
}

export const requiredNamespace = (name: string): RequiredObject => ({
  resource: resources.namespaces,
  namespace: undefined,
  name
})

export const requiredObjectText = ({ resource, namespace = "", name }: RequiredObject): string =>
  `${resource} ${namespace}/${name}`

export const uniqueObjects = <A extends RequiredObject>(objects: ReadonlyArray<A>): ReadonlyArray<A> => [
  ...new Map(objects.map((object) => [requiredObjectText(object), object])).values()
]
