import type { AppliedDocument } from "./manifestDocument.ts"
import { isFields, type Fields } from "../kubernetes/meta/fields.ts"
import { TaggedError } from "effect/Data"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { fail, isFailure, succeed, type Result } from "effect/Result"
import { decodeObject } from "../kubernetes/admission/decoding/decodeObject.ts"
import { definitionsResourceName, servedKindsOf } from "../kubernetes/customResources/definitions.ts"
import { groupResourceOf, resources, storedKindOf, type GroupResource } from "../kubernetes/meta/kinds.ts"
import { convertToServed, convertToStored } from "../kubernetes/meta/kindConversion.ts"
import { toObjectKey } from "../kubernetes/meta/objects.ts"
import { podReferences } from "../kubernetes/pods/podReferences.ts"
import { withAllManagedFields } from "../kubernetes/apply/managedFields/allManagedFields.ts"
import { libraryManager } from "../kubernetes/apply/managedFields/fieldManagers.ts"
import { withRecordedManager } from "../kubernetes/apply/managedFields/recordManager.ts"
import { threeWayMerge } from "../kubernetes/apply/patches/threeWayMerge.ts"
import { makeMemoryStore } from "../store/memoryStore.ts"
import { readLastApplied, withLastAppliedAnnotation } from "./lastApplied.ts"
import { ManifestsRefused } from "./manifestsRefused.ts"
import type { ManifestDocument, ManifestProblem } from "./manifestDocument.ts"
import type { ServedKinds } from "./definedKinds.ts"
import { readManifestObjects, readManifests } from "./readManifests.ts"
import { documentProblem, toManifestProblem, findMissingName } from "./manifestProblems.ts"
import { refuseStalePatch } from "../store/storeRefusals.ts"
import type { Draft, KubeObject, Manifest } from "../kubernetes/meta/objects.ts"
import type { StoreError } from "../store/storeErrors.ts"
import type { GetOptions, SingleObjectWrites, ObjectStore, Ref, WriteOptions } from "../store/objectStore.ts"

type Store = SingleObjectWrites & Pick<ObjectStore["Service"], "beginDryRun">

/**
 * Applies documents as `kubectl apply` does, Namespaces first and then CustomResourceDefinitions. Returns the results
 * in that order.
 * Unlike Kubernetes, all documents are tried before the first is written: when one is refused, nothing is applied and
 * all refusals are reported. Only a concurrent write can still leave some of them applied.
 * A remote cluster tries each document only against its present objects. It refuses documents that conflict with each
 * other (over a quota, a node port) when they are written; the error lists the documents applied before.
 * Source: staging/src/k8s.io/kubectl/pkg/cmd/apply/apply.go and patcher.go,
 * staging/src/k8s.io/cli-runtime/pkg/resource/helper.go (CreateWithOptions).
 */
export const applyDocuments = Effect.fnUntraced(function* (
  store: Store,
  documents: ReadonlyArray<ManifestDocument>
): Effect.fn.Return<ReadonlyArray<AppliedDocument>, ManifestsRefused> {
  const orderedDocuments = inApplyOrder(documents)
  const problems = yield* tryDocuments(store, orderedDocuments)
  if (problems.size > 0) {
    return yield* new ManifestsRefused({
      problems: documents.flatMap((document) => problems.get(document) ?? [])
    })
  }
  const appliedDocuments: Array<AppliedDocument> = []
  for (const document of orderedDocuments) {
    const write = applyDocument(store, document)
    appliedDocuments.push(
      yield* Effect.mapError(write, (problem) => interruptedApply(appliedDocuments, problem))
    )
  }
  return appliedDocuments
})

/** For a write that fails although its trial passed. `applied`: the documents written before. */
const interruptedApply = (
  applied: ReadonlyArray<AppliedDocument>,
  problem: ManifestProblem
): ManifestsRefused =>
  new ManifestsRefused({ problems: [problem], ...(applied.length === 0 ? {} : { applied }) })

/** Refuses unknown fields. `kinds`: those that the cluster serves, by default the store's. */
export const applyManifest = (
  store: Store,
  manifest: string | Manifest | ReadonlyArray<Manifest>,
  { namespace = "default", kinds = store.kinds }: ApplyOptions = {}
): Effect.Effect<ReadonlyArray<AppliedDocument>, ManifestsRefused> =>
  Effect.suspend(() => {
    const { documents, behaviours, problems } =
      typeof manifest === "string"
        ? readManifests([{ name: "manifest", text: manifest }], { strict: true, namespace, kinds })
        : readManifestObjects([manifest].flat().map(toJsonValue), { namespace, kinds })
    const behaviourProblems = behaviours.map(({ value: _value, placeOf: _placeOf, ...location }) => ({
      ...location,
      message: behaviourRefusal
    }))
    const allProblems = [...problems, ...behaviourProblems]
    return allProblems.length === 0
      ? applyDocuments(store, documents)
      : Effect.fail(new ManifestsRefused({ problems: allProblems }))
  })

interface ApplyOptions {
  /** Namespace of objects that state none. */
  readonly namespace?: string
  readonly kinds?: ServedKinds | undefined
}

const behaviourRefusal = "a Behaviour is given to a cluster when it is made, and cannot be applied to one"

/** The object as its JSON in a request: without functions and undefined fields. */
const toJsonValue = (draft: Draft): unknown => {
  const text: string | undefined = JSON.stringify(draft)
  return text === undefined ? undefined : JSON.parse(text)
}

const isNamespace = ({ kind }: ManifestDocument): boolean => groupResourceOf(kind) === resources.namespaces

const isDefinition = ({ kind }: ManifestDocument): boolean =>
  groupResourceOf(kind) === definitionsResourceName

const inApplyOrder = (documents: ReadonlyArray<ManifestDocument>): ReadonlyArray<ManifestDocument> => [
  ...documents.filter(isNamespace),
  ...documents.filter(isDefinition),
  ...documents.filter((document) => !isNamespace(document) && !isDefinition(document))
]

type Problems = ReadonlyMap<ManifestDocument, ManifestProblem>

/** Finds the documents that the cluster would refuse, without writing. */
const tryDocuments = (store: Store, documents: ReadonlyArray<ManifestDocument>): Effect.Effect<Problems> => {
  const dryRunStore = store.beginDryRun?.()
  return dryRunStore === undefined ? tryEach(store, documents) : tryTogether(dryRunStore, documents)
}

/** Tries the documents in order, in a store that drops its writes in the end. */
const tryTogether = Effect.fnUntraced(function* (
  dryRunStore: SingleObjectWrites,
  documents: ReadonlyArray<ManifestDocument>
): Effect.fn.Return<Problems> {
  const problems = new Map<ManifestDocument, ManifestProblem>()
  for (const document of documents) {
    const result = yield* Effect.result(applyDocument(dryRunStore, document))
    if (isFailure(result)) problems.set(document, result.failure)
  }
  return problems
})

/** Tries each document with a dry run, or in an empty local store if its Namespace or definition is itself new. */
const tryEach = Effect.fnUntraced(function* (
  store: SingleObjectWrites,
  documents: ReadonlyArray<ManifestDocument>
): Effect.fn.Return<Problems> {
  const emptyStore = makeMemoryStore({ nowMillis: () => 0, seed: 1 }).store
  const newNamespaces = new Set<string>()
  const newResources = new Set<GroupResource>()
  const acceptedRefs = new Set<string>()
  const problems = new Map<ManifestDocument, ManifestProblem>()
  const willExist = (ref: Ref): Effect.Effect<boolean> =>
    acceptedRefs.has(refText(ref))
      ? Effect.succeed(true)
      : Effect.map(findObject(store, ref), (object) => object !== undefined)
  for (const document of documents) {
    const { namespace = "", name = "" } = document.draft.metadata
    const isInNewNamespace = document.kind.namespaced && newNamespaces.has(namespace)
    const isOfNewResource = newResources.has(groupResourceOf(document.kind))
    // No server can try it: the cluster knows the schema but lacks the Namespace.
    if (isInNewNamespace && document.kind.custom !== undefined && !isOfNewResource) continue
    const standaloneDocument = yield* withoutPodReferences(document, willExist)
    if (
      isOfNewResource &&
      document.kind.namespaced &&
      (yield* willExist({ resource: resources.namespaces, key: namespace }))
    )
      yield* Effect.ignore(emptyStore.create(namespaceDraft(namespace)))
    const trial =
      isInNewNamespace || isOfNewResource
        ? applyDocument(emptyStore, standaloneDocument)
        : applyDocument(store, standaloneDocument, { dryRun: true })
    const result = yield* Effect.result(trial)
    if (isFailure(result)) {
      problems.set(document, result.failure)
      continue
    }
    acceptedRefs.add(refText(refOf(document)))
    if (isNamespace(document) && result.success.outcome === "created") {
      newNamespaces.add(name)
      yield* Effect.ignore(applyDocument(emptyStore, document))
    }
    if (isDefinition(document) && result.success.outcome === "created") {
      for (const kind of servedKindsOf(document.draft)) newResources.add(groupResourceOf(kind))
      yield* Effect.ignore(applyDocument(emptyStore, document))
    }
  }
  return problems
})

const namespaceDraft = (name: string): Draft => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } })

const refText = ({ resource, key }: Ref): string => `${resource}/${key}`

/** Drops a new Pod's references to objects that exist or are applied before it, which a dry run could not find. */
const withoutPodReferences = Effect.fnUntraced(function* (
  document: ManifestDocument,
  willExist: (ref: Ref) => Effect.Effect<boolean>
): Effect.fn.Return<ManifestDocument> {
  const { kind, rawFields, draft } = document
  const spec = rawFields["spec"]
  if (groupResourceOf(kind) !== resources.pods || !isFields(spec)) return document
  if (yield* willExist(refOf(document))) return document
  const remainingSpec: Record<string, unknown> = { ...spec }
  for (const { field, resource, namespace, name } of podReferences(spec, draft.metadata.namespace ?? "")) {
    if (yield* willExist({ resource, key: toObjectKey(namespace, name) })) delete remainingSpec[field]
  }
  return { ...document, rawFields: { ...rawFields, spec: remainingSpec } }
})

/** kubectl's number of retries after a conflict. */
const conflictRetries = 5

const applyDocument = (
  store: SingleObjectWrites,
  readDocument: ManifestDocument,
  options: WriteOptions = {}
): Effect.Effect<AppliedDocument, ManifestProblem> => {
  const nameProblem = findMissingName(readDocument)
  if (nameProblem !== undefined) return Effect.fail(nameProblem)
  const resolved = resolveDocument(store, readDocument)
  if (isFailure(resolved)) return Effect.fail(resolved.failure)
  const document = resolved.success
  const write = Effect.gen(function* () {
    const live = yield* findObject(store, refOf(document), { apiVersion: document.draft.apiVersion })
    return yield* live === undefined
      ? createObject(store, document, options)
      : updateObject(store, document, { ...options, live })
  })
  return write.pipe(
    Effect.retry({ times: conflictRetries, while: (error) => error._tag === "Conflict" }),
    Effect.mapError((error) =>
      error._tag === "MergeFailed"
        ? documentProblem(document, `error: ${error.why}`)
        : toManifestProblem(document, error)
    )
  )
}

/** The stored definition may have changed since the document was read: takes the kind that the store serves now. */
const resolveDocument = (
  { kinds }: SingleObjectWrites,
  document: ManifestDocument
): Result<ManifestDocument, ManifestProblem> => {
  if (document.kind.custom === undefined || kinds === undefined) return succeed(document)
  const decoded = decodeObject(document.rawFields, { strict: true, kinds })
  if (decoded.ok) return succeed({ ...document, kind: decoded.kind })
  const { path } = decoded
  return fail({
    ...documentProblem(document, decoded.message),
    ...(path === undefined ? {} : document.placeOf(path))
  })
}

const findObject = (
  store: SingleObjectWrites,
  ref: Ref,
  options: GetOptions = {}
): Effect.Effect<KubeObject | undefined> =>
  store.get(ref, options).pipe(Effect.catchTag("NotFound", () => Effect.succeed(undefined)))

const refOf = ({ kind, draft }: ManifestDocument): Ref => {
  const { namespace, name = "" } = draft.metadata
  return {
    resource: groupResourceOf(kind),
    key: kind.namespaced && namespace !== undefined ? `${namespace}/${name}` : name
  }
}

/** The last-applied annotation or the merged object is no valid object. */
class MergeFailed extends TaggedError("MergeFailed")<{ readonly why: string }> {}

const createObject = Effect.fnUntraced(function* (
  store: SingleObjectWrites,
  document: ManifestDocument,
  options: WriteOptions
): Effect.fn.Return<AppliedDocument, StoreError | MergeFailed> {
  const draft = yield* decodeFields(document, withLastAppliedAnnotation(document.rawFields))
  // A manifest exported from a cluster has a resource version, which a create must not have.
  const { resourceVersion: _resourceVersion, ...metadata } = draft.metadata
  const object = yield* store.create(yield* withManagedFields(document, { ...draft, metadata }, undefined), {
    ...options,
    hasManagedFields: true
  })
  return { outcome: "created", object, document }
})

const updateObject = Effect.fnUntraced(function* (
  store: SingleObjectWrites,
  document: ManifestDocument,
  { live, ...options }: WriteOptions & { readonly live: KubeObject }
): Effect.fn.Return<AppliedDocument, StoreError | MergeFailed> {
  // The store keeps the managed fields of recent writes in a shorter form.
  const before = withAllManagedFields(live)
  const current = convertToServed(document.kind, { ...before })
  const lastApplied = readLastApplied(current)
  if (!lastApplied.ok) return yield* new MergeFailed({ why: "invalid JSON document" })
  const modified = withLastAppliedAnnotation(document.rawFields)
  const merged = threeWayMerge({ kind: document.kind, original: lastApplied.original, modified, current })
  const draft = yield* decodeFields(document, merged)
  const storeError = refuseStalePatch(storedKindOf(document.kind), live, draft)
  if (storeError !== undefined) return yield* Effect.fail(storeError)
  const object = yield* store.update(yield* withManagedFields(document, draft, before), {
    ...options,
    hasManagedFields: true
  })
  return { outcome: object === live ? "unchanged" : "configured", object, document }
})

const withManagedFields = (
  document: ManifestDocument,
  draft: Draft,
  before: KubeObject | undefined
): Effect.Effect<Draft> =>
  Effect.map(Clock.currentTimeMillis, (nowMillis) => {
    const kind = storedKindOf(document.kind)
    return withRecordedManager({
      kind,
      before,
      draft: convertToStored(document.kind, draft),
      manager: libraryManager,
      nowMillis
    })
  })

/** Decoding drops nulls and makes quantities canonical, as the server does with a patched object. */
const decodeFields = ({ kind }: ManifestDocument, fields: Fields): Effect.Effect<Draft, MergeFailed> => {
  const result = decodeObject(fields, { strict: false, kinds: { ofServed: () => kind } })
  return result.ok ? Effect.succeed(result.object) : Effect.fail(new MergeFailed({ why: result.message }))
}
