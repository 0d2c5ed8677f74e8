import { apiVersionOf, groupResourceOf, kindOfResource, resources } from "../../domain/kinds.ts"
import { firstNamespaces } from "../../bootstrap.ts"
import { namedByPod } from "../../domain/namedByPods.ts"
import { draftPodSpec } from "./podSpecs.ts"
import { priorityClasses } from "../../domain/priorities.ts"
import { readDrafts } from "../../manifests/readManifests.ts"
import { usedIn } from "./standingNamespaces.ts"
import type { Draft } from "../../domain/objects.ts"
import type { ManifestDocument } from "../../manifests/manifest.ts"
import type { NamedByPod } from "../../domain/namedByPods.ts"

type Documents = ReadonlyArray<ManifestDocument>

export type Needed = Omit<NamedByPod, "field">

/**
 * Prepends objects that are assumed to exist since no document creates them: namespaces, and what Pods name. Returns
 * undefined if there is nothing that runs before.
 */
export const withStanding = (from: Documents | undefined, next: Documents): Documents | undefined => {
  const before = from ?? []
  const existing = new Set([...firstNamespaces.map(aNamespace), ...madeIn(before)].map(textOf))
  const created = new Set(madeIn(next).map(textOf))
  const required = [
    ...objectsRequiredBy(before),
    ...objectsRequiredBy(next).filter((it) => !created.has(textOf(it)))
  ]
  const missing = uniqueObjects(required).filter((it) => !existing.has(textOf(it)))
  return missing.length === 0 ? from : [...readDrafts(missing.map(standingDraft)).documents, ...before]
}

const objectsRequiredBy = (documents: Documents): ReadonlyArray<Needed> => [
  ...usedIn(documents).map(aNamespace),
  ...namedByPodsOf(documents.map(({ draft }) => draft))
]

export const namedByPodsOf = (drafts: ReadonlyArray<Draft>): ReadonlyArray<Needed> =>
  uniqueObjects(
    drafts.flatMap((draft) => {
      const spec = draftPodSpec(draft)
      return spec === undefined ? [] : namedByPod(spec, draft.metadata.namespace ?? "")
    })
  )

export const madeIn = (documents: Documents): ReadonlyArray<Needed> =>
  documents.map(({ kind, draft: { metadata } }) => ({
    resource: groupResourceOf(kind),
    namespace: kind.namespaced ? metadata.namespace : undefined,
    name: metadata.name ?? ""
  }))

/** An object of which only the name is known. A PriorityClass has priority 0. */
export const standingDraft = ({ resource, namespace, name }: Needed): Draft => {
  const kind = kindOfResource(resource)
  if (kind === undefined) throw new Error(`${resource} are not stored`)
  const metadata = namespace === undefined ? { name } : { name, namespace }
  const draft = { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata }
  return resource === priorityClasses ? Object.assign(draft, { value: 0 }) : draft
}

export const aNamespace = (name: string): Needed => ({
  resource: resources.namespaces,
  namespace: undefined,
  name
})

export const textOf = ({ resource, namespace = "", name }: Needed): string =>
  `${resource} ${namespace}/${name}`

const uniqueObjects = <A extends Needed>(all: ReadonlyArray<A>): ReadonlyArray<A> => [
  ...new Map(all.map((it) => [textOf(it), it])).values()
]
