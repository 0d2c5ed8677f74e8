import * as Effect from "effect/Effect"
import { dequal } from "dequal"
import { groupResourceOf, resources } from "../../domain/kinds.ts"
import { isFields } from "../../domain/fields.ts"
import { keyIn } from "../../domain/objects.ts"
import { ManifestsRefused } from "../../manifests/manifestsRefused.ts"
import { problemOfRefusal } from "../../manifests/refusals.ts"
import type { Draft, Key } from "../../domain/objects.ts"
import type { Fields } from "../../domain/fields.ts"
import type { ManifestDocument } from "../../manifests/manifest.ts"
import type { ObjectStore } from "../../store/objectStore.ts"

/** What is known of Pods that run before, where a cluster was asked. */
export interface Running {
  /** How many of each Deployment are available; all that it asks for where it is left out. */
  readonly available: Readonly<Record<Key, number>>
  /** On which nodes they are; undefined where nobody could say. */
  readonly nodes: ReadonlyArray<string> | undefined
}

/**
 * What runs before, in the turns in which it comes to be as it is. What runs is there, whatever has been said since of
 * what comes next: a pause, a cordon, a quota, bounds. So it comes up without them, and then they come. Of files only a
 * pause is from later than what it holds up; a quota stands beside what it is for.
 */
export const turnsBefore = (
  from: ReadonlyArray<ManifestDocument>,
  running: Running | undefined
): ReadonlyArray<ReadonlyArray<ManifestDocument>> => {
  const first = from.flatMap((document) =>
    running === undefined ? unpaused(document) : unhindered(document, running)
  )
  const put = new Set(first)
  const since = from.filter((document) => !put.has(document))
  return since.length === 0 ? [first] : [first, since]
}

const unpaused = (document: ManifestDocument): ManifestDocument =>
  groupResourceOf(document.kind) === resources.deployments
    ? withSpec(document, ({ paused: _paused, ...spec }) => spec)
    : document

const unhindered = (document: ManifestDocument, running: Running): ReadonlyArray<ManifestDocument> => {
  switch (groupResourceOf(document.kind)) {
    case resources.resourceQuotas:
    case resources.disruptionBudgets:
      return []
    case resources.limitRanges:
      return [withSpec(document, (spec) => ({ ...spec, limits: unbounded(spec["limits"]) }))]
    case resources.nodes:
      return [opened(document, running)]
    case resources.deployments:
      return [fewer(unpaused(document), running)]
    default:
      return [document]
  }
}

/** What is filled in has been filled in for those that run; how large they may be was not asked of them. */
const unbounded = (limits: unknown): ReadonlyArray<unknown> =>
  (Array.isArray(limits) ? limits : []).flatMap((item: unknown) => {
    if (!isFields(item) || item["type"] !== "Container") return []
    const { max: _max, min: _min, maxLimitRequestRatio: _ratio, ...rest } = item
    return [rest]
  })

/** Where Pods of theirs are they could be put; a taint on a node that has none may have been there from the start. */
const opened = (document: ManifestDocument, { nodes }: Running): ManifestDocument => {
  if (nodes === undefined) return withSpec(document, ({ unschedulable: _unschedulable, ...spec }) => spec)
  if (!nodes.includes(document.draft.metadata.name ?? "")) return document
  return withSpec(document, ({ unschedulable: _unschedulable, taints: _taints, ...spec }) => spec)
}

/** What has not come up so far does so under what is so today, if at all. */
const fewer = (document: ManifestDocument, { available }: Running): ManifestDocument => {
  const { namespace, name = "" } = document.draft.metadata
  const count = available[keyIn(namespace, name)]
  return withSpec(document, (spec) => {
    const { replicas = 1 } = spec
    return count !== undefined && typeof replicas === "number" && count < replicas
      ? { ...spec, replicas: count }
      : spec
  })
}

/** The document itself where nothing of it is another thing. */
const withSpec = (document: ManifestDocument, change: (spec: Fields) => Fields): ManifestDocument => {
  const changed = <T extends object>(object: T): T => {
    const spec = specOf(object)
    return spec === undefined ? object : { ...object, spec: change(spec) }
  }
  const draft = changed(document.draft)
  return dequal(draft, document.draft) ? document : { ...document, draft, written: changed(document.written) }
}

const specOf = (object: object): Fields | undefined =>
  "spec" in object && isFields(object.spec) ? object.spec : undefined

/**
 * Puts objects there as they are, and not as somebody would apply them: each remembers what was applied to it last, or
 * that nothing was, and so does whoever applies to it next.
 */
export const putDocuments = Effect.fnUntraced(function* (
  store: ObjectStore["Service"],
  documents: ReadonlyArray<ManifestDocument>
): Effect.fn.Return<void, ManifestsRefused> {
  for (const document of documents) {
    yield* put(store, document).pipe(
      Effect.mapError((error) => new ManifestsRefused({ problems: [problemOfRefusal(document, error)] }))
    )
  }
})

const put = (store: ObjectStore["Service"], { kind, draft }: ManifestDocument) => {
  const { name = "", namespace } = draft.metadata
  const ref = { resource: groupResourceOf(kind), key: keyIn(namespace, name) }
  const again = (object: Draft): Draft => {
    const spec = specOf(draft)
    return spec === undefined ? object : Object.assign({}, object, { spec })
  }
  return store.get(ref).pipe(
    Effect.flatMap((object) => store.update(again(object))),
    Effect.catchTag("NotFound", () => store.create(draft))
  )
}
