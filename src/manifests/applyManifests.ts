import type { AppliedDocument } from "./manifestDocument.ts"
import { isFields, toJsonValue } from "../kubernetes/meta/fields.ts"
import * as Effect from "effect/Effect"
import { isFailure } from "effect/Result"
import { customResourceDefinitionResource, servedKindsOf } from "../kubernetes/customResources/definitions.ts"
import { groupResourceOf, resources, type GroupResource } from "../kubernetes/meta/kinds.ts"
import { toObjectKey } from "../kubernetes/meta/objects.ts"
import { podReferences } from "../kubernetes/pods/podReferences.ts"
import { makeMemoryStore } from "../store/memoryStore.ts"
import { ManifestsRefused } from "./manifestsRefused.ts"
import type { ManifestDocument, ManifestProblem } from "./manifestDocument.ts"
import type { ServedKinds } from "./definedKinds.ts"
import { applyDocument, findLiveObject, refOf } from "./applyDocument.ts"
import { readManifestObjects, readManifests } from "./readManifests.ts"
import type { Draft, Manifest } from "../kubernetes/meta/objects.ts"
import type { SingleObjectWrites, ObjectStore, Ref } from "../store/objectStore.ts"

type Store = SingleObjectWrites & Pick<ObjectStore["Service"], "beginDryRun">

/**
 * Applies Namespaces first, then CustomResourceDefinitions, and returns results in that order. Unlike Kubernetes,
 * tries all documents before writing any. A remote cluster refuses documents that conflict with each other only
 * when they are written; the error lists those applied before. Source:
 * kubectl/pkg/cmd/apply/apply.go.
 */
export const applyDocuments = Effect.fnUntraced(function* (
  store: Store,
  documents: ReadonlyArray<ManifestDocument>
): Effect.fn.Return<ReadonlyArray<AppliedDocument>, ManifestsRefused> {
  const problems = yield* tryToApply(store, documents)
  if (problems.size > 0) return yield* new ManifestsRefused({ problems: [...problems.values()] })
  const appliedDocuments: Array<AppliedDocument> = []
  for (const document of inApplyOrder(documents)) {
    const write = applyDocument(store, document)
    appliedDocuments.push(
      yield* Effect.mapError(write, (problem) => interruptedApply(appliedDocuments, problem))
    )
  }
  return appliedDocuments
})

const interruptedApply = (
  applied: ReadonlyArray<AppliedDocument>,
  problem: ManifestProblem
): ManifestsRefused =>
  new ManifestsRefused({ problems: [problem], ...(applied.length === 0 ? {} : { applied }) })

/** Refuses unknown fields. */
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
  readonly namespace?: string
  readonly kinds?: ServedKinds | undefined
}

const behaviourRefusal = "a Behaviour is given to a cluster when it is made, and cannot be applied to one"

const isNamespace = ({ kind }: ManifestDocument): boolean => groupResourceOf(kind) === resources.namespaces

const isDefinition = ({ kind }: ManifestDocument): boolean =>
  groupResourceOf(kind) === customResourceDefinitionResource

export const inApplyOrder = (documents: ReadonlyArray<ManifestDocument>): ReadonlyArray<ManifestDocument> => [
  ...documents.filter(isNamespace),
  ...documents.filter(isDefinition),
  ...documents.filter((document) => !isNamespace(document) && !isDefinition(document))
]

type Problems = ReadonlyMap<ManifestDocument, ManifestProblem>

/**
 * Tries each document after those that are applied before it, and returns the problems in the order of the
 * documents.
 */
export const tryToApply = (
  store: Store,
  documents: ReadonlyArray<ManifestDocument>
): Effect.Effect<Problems> => {
  const ordered = inApplyOrder(documents)
  const dryRunStore = store.beginDryRun?.()
  const trial = dryRunStore === undefined ? tryEach(store, ordered) : tryTogether(dryRunStore, ordered)
  return Effect.map(
    trial,
    (problems) =>
      new Map(
        documents.flatMap((document) => {
          const problem = problems.get(document)
          return problem === undefined ? [] : [[document, problem] as const]
        })
      )
  )
}

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

/** Uses a dry run, or an empty local store if the document's Namespace or definition is itself new. */
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
      : Effect.map(findLiveObject(store, ref), (object) => object !== undefined)
  for (const document of documents) {
    const { namespace = "", name = "" } = document.draft.metadata
    const isInNewNamespace = document.kind.namespaced && newNamespaces.has(namespace)
    const isOfNewResource = newResources.has(groupResourceOf(document.kind))
    // Neither store can try the document: the cluster lacks the Namespace, and the empty store lacks the schema.
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

/** A dry run would not find objects that are applied before the Pod. */
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
    if (!(yield* willExist({ resource, key: toObjectKey(namespace, name) }))) continue
    delete remainingSpec[field]
    if (field === "serviceAccountName") delete remainingSpec["serviceAccount"]
    // Admission takes the overhead from the RuntimeClass.
    if (field === "runtimeClassName") delete remainingSpec["overhead"]
  }
  return { ...document, rawFields: { ...rawFields, spec: remainingSpec } }
})
