import * as Effect from "effect/Effect"
import { dequal } from "dequal"
import { groupResourceOf, resources } from "../../domain/kinds.ts"
import { isFields } from "../../domain/fields.ts"
import { applyDocuments } from "../../manifests/applyManifests.ts"
import { asItStood, wasRead } from "./asItStood.ts"
import { isOf } from "./documentKeys.ts"
import { keyIn } from "../../domain/objects.ts"
import { matchesSelector } from "../../domain/selectors.ts"
import { ManifestsRefused } from "../../manifests/manifestsRefused.ts"
import { problemOfRefusal } from "../../manifests/refusals.ts"
import type { Deployment, Draft, Key } from "../../domain/objects.ts"
import type { Fields } from "../../domain/fields.ts"
import type { ManifestDocument } from "../../manifests/manifest.ts"
import type { ObjectStore } from "../../store/objectStore.ts"

/** What is known of Pods that run before, where a cluster was asked. */
export interface Running {
  /** How many Pods of each are available, by `ownerText`; all that it asks for where it is left out. */
  readonly available: Readonly<Record<string, number>>
  /** ReplicaSets of which the others are on their way already, by `ownerText`: nothing else keeps them. */
  readonly comingUp: ReadonlyArray<string>
  /** ReplicaSets of which none come up: what serves for a moment does so in vain. */
  readonly failing: ReadonlyArray<string>
  /** On which nodes they are; undefined where nobody could say. */
  readonly nodes: ReadonlyArray<string> | undefined
}

/** `ReplicaSet default/web-6f8b9c7d5`: what Pods belong to. */
export const ownerText = (kind: "Deployment" | "ReplicaSet", key: Key): string => `${kind} ${key}`

export const ownerTextOf = (document: ManifestDocument): string => {
  const { namespace, name = "" } = document.draft.metadata
  return ownerText(
    isOf(resources.deployments)(document) ? "Deployment" : "ReplicaSet",
    keyIn(namespace, name)
  )
}

/** What runs before, in the turns in which it comes to be as it is. */
interface ComingUp {
  /** Each is waited for. */
  readonly turns: ReadonlyArray<ReadonlyArray<ManifestDocument>>
  /** Deployments that find their ReplicaSets there, and Pods that are on their way: all this is not waited for. */
  readonly last: ReadonlyArray<ManifestDocument>
}

/**
 * What runs is there, whatever has been said since of what comes next: a pause, a cordon, a quota, bounds. So it comes
 * up without them, and then they come. ReplicaSets that were read come one after the other, as they came to be, and
 * their Deployment finds them there, in the middle of a rollout as the case may be; Pods that are on their way begin
 * anew with it. Of files only a pause is from later than what it holds up; a quota stands beside what it is for.
 */
export const comingUp = (from: ReadonlyArray<ManifestDocument>, running: Running | undefined): ComingUp => {
  if (running === undefined) return inTurns(from, [from.map(unpaused)], [])
  const [deployments, others] = parted(from, (document) => hasReplicaSets(document, from))
  const [replicaSets, rest] = parted(others, isOf(resources.replicaSets))
  const turns = [
    rest.flatMap((document) => unhindered(document, running)),
    ...replicaSets.map((document) => [fewer(document, running)])
  ]
  const onTheirWay = replicaSets.filter((document) => running.comingUp.includes(ownerTextOf(document)))
  return inTurns(from, turns, [...onTheirWay, ...deployments])
}

/** What is not there yet as it is, and does not come last, comes when everything else is there. */
const inTurns = (
  from: ReadonlyArray<ManifestDocument>,
  turns: ComingUp["turns"],
  late: ReadonlyArray<ManifestDocument>
): ComingUp => {
  const put = new Set(turns.flat())
  const last = late.filter((document) => !put.has(document))
  const since = from.filter((document) => !put.has(document) && !last.includes(document))
  return { turns: since.length === 0 ? turns : [...turns, since], last }
}

const parted = <A>(all: ReadonlyArray<A>, holds: (one: A) => boolean): readonly [Array<A>, Array<A>] => {
  const parts: [Array<A>, Array<A>] = [[], []]
  for (const one of all) parts[holds(one) ? 0 : 1].push(one)
  return parts
}

/** Whether it is a Deployment that has ReplicaSets among the documents. */
const hasReplicaSets = (document: ManifestDocument, all: ReadonlyArray<ManifestDocument>): boolean => {
  if (!isOf(resources.deployments)(document)) return false
  const { metadata, spec } = document.draft as Deployment
  return all.some(
    (other) =>
      isOf(resources.replicaSets)(other) &&
      other.draft.metadata.namespace === metadata.namespace &&
      matchesSelector(spec.selector, other.draft.metadata.labels)
  )
}

const unpaused = (document: ManifestDocument): ManifestDocument =>
  isOf(resources.deployments)(document)
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
  const count = available[ownerTextOf(document)]
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
 * Brings there what ran before: as a cluster has it where it was read from one, be it by us or by `kubectl get -o
 * yaml`, or else as somebody applies it.
 */
export const bringDocuments = Effect.fnUntraced(function* (
  store: ObjectStore["Service"],
  documents: ReadonlyArray<ManifestDocument>,
  running?: Running
): Effect.fn.Return<void, ManifestsRefused> {
  if (running !== undefined) return yield* putDocuments(store, documents)
  const [read, written] = parted(documents, wasRead)
  const [namespaces, others] = parted(read.map(asItStood), isOf(resources.namespaces))
  yield* putDocuments(store, namespaces)
  yield* applyDocuments(store, written)
  yield* putDocuments(store, others)
})

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
