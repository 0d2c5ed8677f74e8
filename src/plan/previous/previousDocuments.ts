import * as Effect from "effect/Effect"
import { dequal } from "dequal"
import { groupResourceOf, resources } from "../../kubernetes/meta/kinds.ts"
import { isFields } from "../../kubernetes/meta/fields.ts"
import { applyDocuments } from "../../manifests/applyManifests.ts"
import { portableDocument, isReadFromCluster } from "./portableObjects.ts"
import { isOfResource, keyOfDraft } from "../documentKeys.ts"
import { toObjectKey } from "../../kubernetes/meta/objects.ts"
import { matchesSelector } from "../../kubernetes/meta/selectors/labelSelectors.ts"
import { ManifestsRefused } from "../../manifests/manifestsRefused.ts"
import { toManifestProblem } from "../../manifests/manifestProblems.ts"
import type { Deployment, Draft, Key, PodTemplate } from "../../kubernetes/meta/objects.ts"
import type { Fields } from "../../kubernetes/meta/fields.ts"
import type { ManifestDocument } from "../../manifests/manifestDocument.ts"
import type { ObjectStore } from "../../store/objectStore.ts"

/** The revision that a StatefulSet or a DaemonSet is rolling out; some Pods are of the revision before. */
export interface UnfinishedRevision {
  /** The workload's `ownerId`. */
  readonly owner: string
  readonly templateBefore: PodTemplate
  /** The least ordinal of a ready Pod of the new revision. */
  readonly leastUpdatedOrdinal: number | undefined
}

export interface LivePods {
  /** How many Pods are available, by `ownerId`; all Pods of an owner without an entry are. */
  readonly available: Readonly<Record<string, number>>
  /** By `ownerId`: ReplicaSets whose unavailable Pods are starting normally. */
  readonly startingReplicaSets: ReadonlyArray<string>
  /** By `ownerId`: ReplicaSets of which no Pod becomes ready. */
  readonly failingReplicaSets: ReadonlyArray<string>
  readonly unfinishedRevisions: ReadonlyArray<UnfinishedRevision>
  /** Names of nodes on which the workloads run Pods; undefined if the client may not read Pods. */
  readonly nodes: ReadonlyArray<string> | undefined
}

/** A key such as `ReplicaSet default/web-1`. */
export const ownerId = (kind: string, key: Key): string => `${kind} ${key}`

export const objectIdOfDocument = ({ kind, draft }: ManifestDocument): string =>
  ownerId(kind.kind, keyOfDraft(draft))

interface StartOrder {
  /** A wave is stored once all Pods of the wave before are available. */
  readonly waves: ReadonlyArray<ReadonlyArray<ManifestDocument>>
  /** Workloads in the middle of a rollout, whose Pods are not awaited. */
  readonly unfinishedWorkloads: ReadonlyArray<ManifestDocument>
}

/**
 * The Pods of a live cluster must start again in the simulated one. A pause, cordon, quota or limit that is newer than
 * the Pods is stored after they have started. ReplicaSets are stored oldest first; then their Deployment adopts them.
 */
export const startOrder = (
  from: ReadonlyArray<ManifestDocument>,
  livePods: LivePods | undefined
): StartOrder => {
  if (livePods === undefined) return withLastWave(from, [from.map(unpaused)], [])
  const [adoptingDeployments, withoutAdopting] = partition(from, (document) => hasReplicaSets(document, from))
  const [replicaSets, otherDocuments] = partition(withoutAdopting, isOfResource(resources.replicaSets))
  const waves = [
    otherDocuments.flatMap((document) => withoutStartObstacles(document, livePods)),
    ...replicaSets.map((document) => [withAvailableReplicas(document, livePods)]),
    ...newRevisionWaves(otherDocuments, livePods)
  ]
  const halfUpdated = otherDocuments.filter(
    (document) => unfinishedRevisionOf(document, livePods) !== undefined
  )
  const startingReplicaSets = replicaSets.filter((document) =>
    livePods.startingReplicaSets.includes(objectIdOfDocument(document))
  )
  return withLastWave(from, waves, [...startingReplicaSets, ...adoptingDeployments, ...halfUpdated])
}

const withLastWave = (
  from: ReadonlyArray<ManifestDocument>,
  waves: StartOrder["waves"],
  deferred: ReadonlyArray<ManifestDocument>
): StartOrder => {
  const waveDocuments = new Set(waves.flat())
  const unfinishedWorkloads = deferred.filter((document) => !waveDocuments.has(document))
  const remaining = from.filter(
    (document) => !waveDocuments.has(document) && !unfinishedWorkloads.includes(document)
  )
  return { waves: remaining.length === 0 ? waves : [...waves, remaining], unfinishedWorkloads }
}

const partition = <A>(
  items: ReadonlyArray<A>,
  matches: (item: A) => boolean
): readonly [matching: Array<A>, others: Array<A>] => {
  const parts: [matching: Array<A>, others: Array<A>] = [[], []]
  for (const item of items) parts[matches(item) ? 0 : 1].push(item)
  return parts
}

const hasReplicaSets = (document: ManifestDocument, all: ReadonlyArray<ManifestDocument>): boolean => {
  if (!isOfResource(resources.deployments)(document)) return false
  const { metadata, spec } = document.draft as Deployment
  return all.some(
    (other) =>
      isOfResource(resources.replicaSets)(other) &&
      other.draft.metadata.namespace === metadata.namespace &&
      matchesSelector(spec.selector, other.draft.metadata.labels)
  )
}

const unpaused = (document: ManifestDocument): ManifestDocument =>
  isOfResource(resources.deployments)(document)
    ? withSpec(document, ({ paused: _paused, ...spec }) => spec)
    : document

const withoutStartObstacles = (
  document: ManifestDocument,
  livePods: LivePods
): ReadonlyArray<ManifestDocument> => {
  switch (groupResourceOf(document.kind)) {
    case resources.resourceQuotas:
    case resources.disruptionBudgets:
      return []
    case resources.limitRanges:
      return [withSpec(document, (spec) => ({ ...spec, limits: withoutBounds(spec["limits"]) }))]
    case resources.nodes:
      return [withoutTaints(document, livePods)]
    case resources.deployments:
      return [withAvailableReplicas(unpaused(document), livePods)]
    case resources.statefulSets:
      return [withTemplateBefore(document, livePods) ?? withAvailableReplicas(document, livePods)]
    case resources.daemonSets:
      return [withTemplateBefore(document, livePods) ?? document]
    default:
      return [document]
  }
}

const unfinishedRevisionOf = (document: ManifestDocument, { unfinishedRevisions }: LivePods) =>
  unfinishedRevisions.find(({ owner }) => owner === objectIdOfDocument(document))

const withTemplateBefore = (document: ManifestDocument, livePods: LivePods): ManifestDocument | undefined => {
  const { templateBefore } = unfinishedRevisionOf(document, livePods) ?? {}
  return templateBefore === undefined
    ? undefined
    : withSpec(document, (spec) => ({ ...spec, template: templateBefore }))
}

const newRevisionWaves = (
  documents: ReadonlyArray<ManifestDocument>,
  livePods: LivePods
): StartOrder["waves"] => {
  const updated = documents.flatMap((document) => {
    const { leastUpdatedOrdinal: partition } = unfinishedRevisionOf(document, livePods) ?? {}
    if (partition === undefined || !isOfResource(resources.statefulSets)(document)) return []
    return [
      withSpec(document, (spec) => ({
        ...spec,
        updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition } }
      }))
    ]
  })
  return updated.length === 0 ? [] : [updated]
}

/** The running Pods need only the defaults of a limit range; its bounds apply to new Pods. */
const withoutBounds = (limits: unknown): ReadonlyArray<unknown> =>
  (Array.isArray(limits) ? limits : []).flatMap((item: unknown) => {
    if (!isFields(item) || item["type"] !== "Container") return []
    const { max: _max, min: _min, maxLimitRequestRatio: _ratio, ...rest } = item
    return [rest]
  })

/** A node that runs Pods of the rollout must accept them again. */
const withoutTaints = (document: ManifestDocument, { nodes }: LivePods): ManifestDocument => {
  if (nodes === undefined) return withSpec(document, ({ unschedulable: _unschedulable, ...spec }) => spec)
  if (!nodes.includes(document.draft.metadata.name ?? "")) return document
  return withSpec(document, ({ unschedulable: _unschedulable, taints: _taints, ...spec }) => spec)
}

/** The other replicas come with the original document, which is stored later. */
const withAvailableReplicas = (document: ManifestDocument, { available }: LivePods): ManifestDocument => {
  const count = available[objectIdOfDocument(document)]
  return withSpec(document, (spec) => {
    const { replicas = 1 } = spec
    return count !== undefined && typeof replicas === "number" && count < replicas
      ? { ...spec, replicas: count }
      : spec
  })
}

export const withSpec = (document: ManifestDocument, change: (spec: Fields) => Fields): ManifestDocument => {
  const withChange = <T extends object>(object: T): T => {
    const spec = specOf(object)
    return spec === undefined ? object : { ...object, spec: change(spec) }
  }
  const draft = withChange(document.draft)
  return dequal(draft, document.draft)
    ? document
    : { ...document, draft, rawFields: withChange(document.rawFields) }
}

const specOf = (object: object): Fields | undefined =>
  "spec" in object && isFields(object.spec) ? object.spec : undefined

export const restoreDocuments = Effect.fnUntraced(function* (
  store: ObjectStore["Service"],
  documents: ReadonlyArray<ManifestDocument>,
  livePods?: LivePods
): Effect.fn.Return<void, ManifestsRefused> {
  // Objects of a live cluster have been stripped of identity and status.
  if (livePods !== undefined) return yield* createOrUpdateDocuments(store, documents)
  const [fromCluster, fromFiles] = partition(documents, isReadFromCluster)
  const [namespaces, otherDocuments] = partition(
    fromCluster.map(portableDocument),
    isOfResource(resources.namespaces)
  )
  yield* createOrUpdateDocuments(store, namespaces)
  yield* applyDocuments(store, fromFiles)
  yield* createOrUpdateDocuments(store, otherDocuments)
})

/** Unlike `kubectl apply`, keeps the last-applied annotation. */
export const createOrUpdateDocuments = Effect.fnUntraced(function* (
  store: ObjectStore["Service"],
  documents: ReadonlyArray<ManifestDocument>
): Effect.fn.Return<void, ManifestsRefused> {
  for (const document of documents) {
    yield* createOrUpdate(store, document).pipe(
      Effect.mapError((error) => new ManifestsRefused({ problems: [toManifestProblem(document, error)] }))
    )
  }
})

const createOrUpdate = (store: ObjectStore["Service"], { kind, draft }: ManifestDocument) => {
  const { name = "", namespace } = draft.metadata
  const ref = { resource: groupResourceOf(kind), key: toObjectKey(namespace, name) }
  const withNewSpec = (object: Draft): Draft => {
    const spec = specOf(draft)
    return Object.assign({}, object, spec === undefined ? { ...draft, metadata: object.metadata } : { spec })
  }
  return store.get(ref).pipe(
    Effect.flatMap((object) => store.update(withNewSpec(object))),
    Effect.catchTag("NotFound", () => store.create(draft))
  )
}
