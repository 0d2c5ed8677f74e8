import { apiVersionOf, groupResourceOf, kindOfResource, resources } from "../../domain/kinds.ts"
import { firstNamespaces } from "../../bootstrap.ts"
import { namedByPod } from "../../domain/namedByPods.ts"
import { podSpecOf } from "./podSpecs.ts"
import { priorityClasses } from "../../domain/priorities.ts"
import { readDrafts } from "../../manifests/readManifests.ts"
import { usedIn } from "./standingNamespaces.ts"
import type { Draft } from "../../domain/objects.ts"
import type { ManifestDocument } from "../../manifests/manifest.ts"
import type { NamedByPod } from "../../domain/namedByPods.ts"

type Documents = ReadonlyArray<ManifestDocument>

/** What must be there for something else to be. */
export type Needed = Omit<NamedByPod, "field">

/**
 * Makes what is there already and nobody makes: the namespaces, and what Pods name, of what runs before and of what is
 * rolled out. What runs before begins with it; undefined where neither is anything of it.
 */
export const withStanding = (from: Documents | undefined, next: Documents): Documents | undefined => {
  const before = from ?? []
  const known = new Set([...firstNamespaces.map(aNamespace), ...madeIn(before)].map(textOf))
  const made = new Set(madeIn(next).map(textOf))
  const needed = [...neededBy(before), ...neededBy(next).filter((it) => !made.has(textOf(it)))]
  const missing = onlyOnce(needed).filter((it) => !known.has(textOf(it)))
  return missing.length === 0 ? from : [...readDrafts(missing.map(standingDraft)).documents, ...before]
}

const neededBy = (documents: Documents): ReadonlyArray<Needed> => [
  ...usedIn(documents).map(aNamespace),
  ...namedByPodsOf(documents.map(({ draft }) => draft))
]

/** What the Pods of objects name, each once. */
export const namedByPodsOf = (drafts: ReadonlyArray<Draft>): ReadonlyArray<Needed> =>
  onlyOnce(
    drafts.flatMap((draft) => {
      const spec = podSpecOf(draft)
      return spec === undefined ? [] : namedByPod(spec, draft.metadata.namespace ?? "")
    })
  )

/** What documents make. */
export const madeIn = (documents: Documents): ReadonlyArray<Needed> =>
  documents.map(({ kind, draft: { metadata } }) => ({
    resource: groupResourceOf(kind),
    namespace: kind.namespaced ? metadata.namespace : undefined,
    name: metadata.name ?? ""
  }))

/** One of which nothing more is known than that it is there: a class puts nobody before anybody. */
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

const onlyOnce = <A extends Needed>(all: ReadonlyArray<A>): ReadonlyArray<A> => [
  ...new Map(all.map((it) => [textOf(it), it])).values()
]
