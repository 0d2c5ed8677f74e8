import { isFields, type Fields } from "../domain/fields.ts"
import { TaggedError } from "effect/Data"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { isFailure } from "effect/Result"
import { decodeObject } from "../domain/admission/decode.ts"
import { groupResourceOf, resources, storedKindOf } from "../domain/kinds.ts"
import { shownAs, storedAs } from "../domain/kindViews.ts"
import { keyIn } from "../domain/objects.ts"
import { namedByPod } from "../domain/namedByPods.ts"
import { withManagedFields } from "../domain/managedFields/complete.ts"
import { library } from "../domain/managedFields/managers.ts"
import { ownedOnWrite } from "../domain/managedFields/ownedWrites.ts"
import { threeWayMerge } from "../domain/threeWayMerge.ts"
import { makeMemoryStore } from "../store/memoryStore.ts"
import { lastAppliedOf, withLastApplied } from "./lastApplied.ts"
import { ManifestsRefused } from "./manifestsRefused.ts"
import type { ManifestDocument, ManifestProblem } from "./manifest.ts"
import { readDrafts, readManifests } from "./readManifests.ts"
import { problemOf, problemOfRefusal, whyNameless } from "./refusals.ts"
import { refusePatched } from "../store/refusals.ts"
import type { Draft, KubeObject, Manifest } from "../domain/objects.ts"
import type { StoreError } from "../store/errors.ts"
import type { NamedWrites, ObjectStore, Ref, WriteOptions } from "../store/objectStore.ts"

/** What became of one document. */
export interface Applied {
  readonly outcome: "created" | "configured" | "unchanged"
  /** The object as it is stored now. */
  readonly object: KubeObject
  readonly document: ManifestDocument
}

type Store = NamedWrites & Pick<ObjectStore["Service"], "rehearsal">

/**
 * Applies documents as `kubectl apply` does, Namespaces first and then in the order given. Answers in that
 * order.
 *
 * Unlike Kubernetes, all documents are tried before the first is written: when one is refused, nothing is applied and
 * every refusal is told. Only a write by someone else in between can still leave a part applied.
 *
 * A store that belongs to another, such as a remote cluster, can try a document only against what is there. What
 * documents take from each other (of a quota, or a node port that two of them ask for) is refused there when it is
 * written, and what stands before it stays applied: the refusal says what.
 *
 * Source: staging/src/k8s.io/kubectl/pkg/cmd/apply/apply.go and patcher.go,
 * staging/src/k8s.io/cli-runtime/pkg/resource/helper.go (CreateWithOptions).
 */
export const applyDocuments = Effect.fnUntraced(function* (
  store: Store,
  documents: ReadonlyArray<ManifestDocument>
): Effect.fn.Return<ReadonlyArray<Applied>, ManifestsRefused> {
  const ordered = namespacesFirst(documents)
  const problems = yield* rehearse(store, ordered)
  if (problems.size > 0) {
    return yield* new ManifestsRefused({
      problems: documents.flatMap((document) => problems.get(document) ?? [])
    })
  }
  const applied: Array<Applied> = []
  for (const document of ordered) {
    const written = applyDocument(store, document)
    applied.push(yield* Effect.mapError(written, (problem) => refusedAfter(applied, problem)))
  }
  return applied
})

const refusedAfter = (applied: ReadonlyArray<Applied>, problem: ManifestProblem): ManifestsRefused =>
  new ManifestsRefused({ problems: [problem], ...(applied.length === 0 ? {} : { applied }) })

/** Applies the objects of a YAML text, or objects made in code. Unknown fields are refused. */
export const applyManifest = (
  store: Store,
  manifest: string | Manifest | ReadonlyArray<Manifest>,
  /** Where objects go that name none. */
  namespace = "default"
): Effect.Effect<ReadonlyArray<Applied>, ManifestsRefused> =>
  Effect.suspend(() => {
    const { documents, behaviours, problems } =
      typeof manifest === "string"
        ? readManifests([{ name: "manifest", text: manifest }], { strict: true, namespace })
        : readDrafts([manifest].flat().map(onTheWire), { namespace })
    const misplaced = behaviours.map(({ value: _value, placeOf: _placeOf, ...place }) => ({
      ...place,
      message: notLive
    }))
    const all = [...problems, ...misplaced]
    return all.length === 0
      ? applyDocuments(store, documents)
      : Effect.fail(new ManifestsRefused({ problems: all }))
  })

const notLive = "a Behaviour is given to a cluster when it is made, and cannot be applied to one"

/** What a client would send: a copy without undefined fields; undefined where it can send nothing. */
const onTheWire = (draft: Draft): unknown => {
  const text: string | undefined = JSON.stringify(draft)
  return text === undefined ? undefined : JSON.parse(text)
}

const isNamespace = ({ kind }: ManifestDocument): boolean => groupResourceOf(kind) === resources.namespaces

const namespacesFirst = (documents: ReadonlyArray<ManifestDocument>): ReadonlyArray<ManifestDocument> => [
  ...documents.filter(isNamespace),
  ...documents.filter((document) => !isNamespace(document))
]

type Problems = ReadonlyMap<ManifestDocument, ManifestProblem>

/** Tries every document without writing. */
const rehearse = (store: Store, ordered: ReadonlyArray<ManifestDocument>): Effect.Effect<Problems> => {
  const stage = store.rehearsal?.()
  return stage === undefined ? tryEach(store, ordered) : tryTogether(stage, ordered)
}

/** Each finds what those before it have come to. */
const tryTogether = Effect.fnUntraced(function* (
  stage: NamedWrites,
  ordered: ReadonlyArray<ManifestDocument>
): Effect.fn.Return<Problems> {
  const problems = new Map<ManifestDocument, ManifestProblem>()
  for (const document of ordered) {
    const result = yield* Effect.result(applyDocument(stage, document))
    if (isFailure(result)) problems.set(document, result.failure)
  }
  return problems
})

/**
 * Each alone, where the store cannot say how it would be after the others. What goes into a Namespace that these
 * documents create is tried in a store that holds nothing else, which is what it will find.
 */
const tryEach = Effect.fnUntraced(function* (
  store: NamedWrites,
  ordered: ReadonlyArray<ManifestDocument>
): Effect.fn.Return<Problems> {
  const stage = makeMemoryStore({ nowMillis: () => 0, seed: 1 }).store
  const created = new Set<string>()
  const tried = new Set<string>()
  const problems = new Map<ManifestDocument, ManifestProblem>()
  const isThere = (ref: Ref): Effect.Effect<boolean> =>
    tried.has(textOf(ref))
      ? Effect.succeed(true)
      : Effect.map(present(store, ref), (object) => object !== undefined)
  for (const document of ordered) {
    const { namespace = "", name = "" } = document.draft.metadata
    const isStaged = document.kind.namespaced && created.has(namespace)
    const alone = yield* withoutNames(document, isThere)
    const trial = isStaged ? applyDocument(stage, alone) : applyDocument(store, alone, { dryRun: true })
    const result = yield* Effect.result(trial)
    if (isFailure(result)) {
      problems.set(document, result.failure)
      continue
    }
    tried.add(textOf(refOf(document)))
    if (isNamespace(document) && result.success.outcome === "created") {
      created.add(name)
      yield* Effect.ignore(applyDocument(stage, document))
    }
  }
  return problems
})

const textOf = ({ resource, key }: Ref): string => `${resource}/${key}`

/** A new Pod as it can be tried by itself: without the names of what will be there when its turn comes. */
const withoutNames = Effect.fnUntraced(function* (
  document: ManifestDocument,
  isThere: (ref: Ref) => Effect.Effect<boolean>
): Effect.fn.Return<ManifestDocument> {
  const { kind, written, draft } = document
  const spec = written["spec"]
  if (groupResourceOf(kind) !== resources.pods || !isFields(spec)) return document
  if (yield* isThere(refOf(document))) return document
  const rest: Record<string, unknown> = { ...spec }
  for (const { field, resource, namespace, name } of namedByPod(spec, draft.metadata.namespace ?? "")) {
    if (yield* isThere({ resource, key: keyIn(namespace, name) })) delete rest[field]
  }
  return { ...document, written: { ...written, spec: rest } }
})

/** A write that loses against another is made again from what is there then, as often as kubectl does it. */
const conflictRetries = 5

const applyDocument = (
  store: NamedWrites,
  document: ManifestDocument,
  options: WriteOptions = {}
): Effect.Effect<Applied, ManifestProblem> => {
  const nameless = whyNameless(document)
  if (nameless !== undefined) return Effect.fail(nameless)
  const write = Effect.gen(function* () {
    const live = yield* present(store, refOf(document))
    return yield* live === undefined
      ? create(store, document, options)
      : change(store, document, { ...options, live })
  })
  return write.pipe(
    Effect.retry({ times: conflictRetries, while: (error) => error._tag === "Conflict" }),
    Effect.mapError((error) =>
      error._tag === "Unmergeable"
        ? problemOf(document, `error: ${error.why}`)
        : problemOfRefusal(document, error)
    )
  )
}

const present = (store: NamedWrites, ref: Ref): Effect.Effect<KubeObject | undefined> =>
  store.get(ref).pipe(Effect.catchTag("NotFound", () => Effect.succeed(undefined)))

const refOf = ({ kind, draft }: ManifestDocument): Ref => {
  const { namespace, name = "" } = draft.metadata
  return {
    resource: groupResourceOf(kind),
    key: kind.namespaced && namespace !== undefined ? `${namespace}/${name}` : name
  }
}

/** The live object and the manifest cannot be brought together. */
class Unmergeable extends TaggedError("Unmergeable")<{ readonly why: string }> {}

const create = Effect.fnUntraced(function* (
  store: NamedWrites,
  document: ManifestDocument,
  options: WriteOptions
): Effect.fn.Return<Applied, StoreError | Unmergeable> {
  const draft = yield* decoded(withLastApplied(document.written))
  // What was read from a cluster says of which version, which is kept in mind, and means nothing for a new object.
  const { resourceVersion: _read, ...metadata } = draft.metadata
  const object = yield* store.create(yield* owned(document, { ...draft, metadata }, undefined), {
    ...options,
    tellsManagers: true
  })
  return { outcome: "created", object, document }
})

const change = Effect.fnUntraced(function* (
  store: NamedWrites,
  document: ManifestDocument,
  { live, ...options }: WriteOptions & { readonly live: KubeObject }
): Effect.fn.Return<Applied, StoreError | Unmergeable> {
  const before = withManagedFields(live)
  const current = shownAs(document.kind, { ...before })
  const applied = lastAppliedOf(current)
  if (!applied.ok) return yield* new Unmergeable({ why: "invalid JSON document" })
  const modified = withLastApplied(document.written)
  const merged = threeWayMerge({ kind: document.kind, original: applied.original, modified, current })
  const draft = yield* decoded(merged)
  const refused = refusePatched(storedKindOf(document.kind), live, draft)
  if (refused !== undefined) return yield* Effect.fail(refused)
  const object = yield* store.update(yield* owned(document, draft, before), {
    ...options,
    tellsManagers: true
  })
  return { outcome: object === live ? "unchanged" : "configured", object, document }
})

const owned = (
  document: ManifestDocument,
  draft: Draft,
  before: KubeObject | undefined
): Effect.Effect<Draft> =>
  Effect.map(Clock.currentTimeMillis, (nowMillis) => {
    const kind = storedKindOf(document.kind)
    return ownedOnWrite({ kind, before, draft: storedAs(document.kind, draft), manager: library, nowMillis })
  })

/** Nulls are dropped and quantities made canonical, as the server does it with what a patch has come to. */
const decoded = (fields: Fields): Effect.Effect<Draft, Unmergeable> => {
  const result = decodeObject(fields, { strict: false })
  return result.ok ? Effect.succeed(result.object) : Effect.fail(new Unmergeable({ why: result.message }))
}
