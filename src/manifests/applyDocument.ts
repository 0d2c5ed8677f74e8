import { TaggedError } from "effect/Data"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { fail, isFailure, succeed, type Result } from "effect/Result"
import { decodeObject } from "../kubernetes/admission/decoding/decodeObject.ts"
import { groupResourceOf, storedKindOf } from "../kubernetes/meta/kinds.ts"
import { convertToServed, convertToStored } from "../kubernetes/meta/kindConversion.ts"
import { withCompleteManagedFields } from "../kubernetes/apply/managedFields/completeManagedFields.ts"
import { conflictMessage } from "../kubernetes/apply/managedFields/fieldConflicts.ts"
import { libraryManager } from "../kubernetes/apply/managedFields/fieldManagers.ts"
import { updateResetFields, withRecordedManager } from "../kubernetes/apply/managedFields/recordManager.ts"
import { appliedDraft, applyConfiguration } from "../kubernetes/apply/managedFields/serverSideApply.ts"
import { threeWayMerge } from "../kubernetes/apply/patches/threeWayMerge.ts"
import { readLastApplied, withLastAppliedAnnotation } from "./lastApplied.ts"
import { documentProblem, toManifestProblem, findMissingName } from "./manifestProblems.ts"
import { refuseStalePatch } from "../store/storeRefusals.ts"
import type { ApplyFailure } from "../kubernetes/apply/managedFields/serverSideApply.ts"
import type { AppliedDocument, ManifestDocument, ManifestProblem } from "./manifestDocument.ts"
import type { Draft, KubeObject } from "../kubernetes/meta/objects.ts"
import type { Fields } from "../kubernetes/meta/fields.ts"
import type { StoreError } from "../store/storeErrors.ts"
import type { GetOptions, SingleObjectWrites, Ref, WriteOptions } from "../store/objectStore.ts"

/** Source: kubectl/pkg/cmd/apply/patcher.go (maxPatchRetry). */
const conflictRetries = 5

/** Source: kubectl/pkg/cmd/apply/apply.go (applyOneObject). */
export const applyDocument = (
  store: SingleObjectWrites,
  parsedDocument: ManifestDocument,
  options: WriteOptions = {}
): Effect.Effect<AppliedDocument, ManifestProblem> => {
  const nameProblem = findMissingName(parsedDocument)
  if (nameProblem !== undefined) return Effect.fail(nameProblem)
  const resolved = withCurrentKind(store, parsedDocument)
  if (isFailure(resolved)) return Effect.fail(resolved.failure)
  const document = resolved.success
  const write = Effect.gen(function* () {
    const live = yield* findLiveObject(store, refOf(document), { apiVersion: document.draft.apiVersion })
    if (document.serverSide === true) return yield* applyOnServer(store, document, { ...options, live })
    return yield* applyOnClient(store, document, { ...options, live })
  })
  return write.pipe(
    Effect.retry({ times: conflictRetries, while: (error) => error._tag === "Conflict" }),
    Effect.mapError((error) =>
      error._tag === "Unmergeable"
        ? documentProblem(document, `error: ${error.why}`)
        : toManifestProblem(document, error)
    )
  )
}

/** A custom resource may have been read before its definition was applied. */
const withCurrentKind = (
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

export const findLiveObject = (
  store: SingleObjectWrites,
  ref: Ref,
  options: GetOptions = {}
): Effect.Effect<KubeObject | undefined> =>
  store.get(ref, options).pipe(Effect.catchTag("NotFound", () => Effect.succeed(undefined)))

export const refOf = ({ kind, draft }: ManifestDocument): Ref => {
  const { namespace, name = "" } = draft.metadata
  return {
    resource: groupResourceOf(kind),
    key: kind.namespaced && namespace !== undefined ? `${namespace}/${name}` : name
  }
}

class Unmergeable extends TaggedError("Unmergeable")<{ readonly why: string }> {}

const applyOnClient = Effect.fnUntraced(function* (
  store: SingleObjectWrites,
  document: ManifestDocument,
  { live, ...options }: WriteOptions & { readonly live: KubeObject | undefined }
): Effect.fn.Return<AppliedDocument, StoreError | Unmergeable> {
  const draft = yield* draftToSend(document, live)
  const writeOptions = { ...options, hasManagedFields: true }
  const object = yield* live === undefined
    ? store.create(draft, writeOptions)
    : store.update(draft, writeOptions)
  return { outcome: outcomeOf(object, live), object, document }
})

const outcomeOf = (object: KubeObject, live: KubeObject | undefined): AppliedDocument["outcome"] =>
  live === undefined ? "created" : object === live ? "unchanged" : "configured"

interface SentDraft {
  readonly document: ManifestDocument
  readonly nowMillis: number
  readonly draft: Draft
}

/**
 * Drafts are reused: each document is tried before it is written, and a plan applies the same documents with every
 * seed.
 */
const lastDrafts = new WeakMap<KubeObject | ManifestDocument, SentDraft>()

const draftToSend = Effect.fnUntraced(function* (
  document: ManifestDocument,
  live: KubeObject | undefined
): Effect.fn.Return<Draft, StoreError | Unmergeable> {
  const nowMillis = yield* Clock.currentTimeMillis
  const lastSent = lastDrafts.get(live ?? document)
  if (lastSent?.document === document && lastSent.nowMillis === nowMillis) return lastSent.draft
  const draft = yield* live === undefined
    ? newDraft(document, nowMillis)
    : mergedDraft(document, live, nowMillis)
  lastDrafts.set(live ?? document, { document, nowMillis, draft })
  return draft
})

const newDraft = Effect.fnUntraced(function* (
  document: ManifestDocument,
  nowMillis: number
): Effect.fn.Return<Draft, Unmergeable> {
  const draft = yield* decodeFields(document, withLastAppliedAnnotation(document.rawFields))
  // A create must not have the resource version of an exported manifest.
  const { resourceVersion: _resourceVersion, ...metadata } = draft.metadata
  return withManagedFields(document, { ...draft, metadata }, { before: undefined, nowMillis })
})

const mergedDraft = Effect.fnUntraced(function* (
  document: ManifestDocument,
  live: KubeObject,
  nowMillis: number
): Effect.fn.Return<Draft, StoreError | Unmergeable> {
  // The store keeps the managed fields of recent writes in a shorter form.
  const liveWithManagedFields = withCompleteManagedFields(live)
  const current = convertToServed(document.kind, { ...liveWithManagedFields })
  const lastApplied = readLastApplied(current)
  if (!lastApplied.ok) return yield* new Unmergeable({ why: "invalid JSON document" })
  const modified = withLastAppliedAnnotation(document.rawFields)
  const mergedFields = threeWayMerge({
    kind: document.kind,
    original: lastApplied.original,
    modified,
    current
  })
  const draft = yield* decodeFields(document, mergedFields)
  const storeError = refuseStalePatch(storedKindOf(document.kind), live, draft)
  if (storeError !== undefined) return yield* Effect.fail(storeError)
  return withManagedFields(document, draft, { before: liveWithManagedFields, nowMillis })
})

/**
 * Writes no last-applied annotation, whose size limit would limit the object, too. Source:
 * apiserver/pkg/endpoints/handlers/patch.go (applyPatcher).
 */
const applyOnServer = Effect.fnUntraced(function* (
  store: SingleObjectWrites,
  document: ManifestDocument,
  { live, ...options }: WriteOptions & { readonly live: KubeObject | undefined }
): Effect.fn.Return<AppliedDocument, StoreError | Unmergeable> {
  const kind = storedKindOf(document.kind)
  const liveWithManagedFields = live === undefined ? undefined : withCompleteManagedFields(live)
  const outcome = applyConfiguration({
    kind,
    live: liveWithManagedFields,
    configuration: convertToStored(
      document.kind,
      yield* decodeFields(document, document.rawFields, { keepsEmptyValues: true })
    ),
    manager: serverSideManager,
    force: false,
    nowMillis: yield* Clock.currentTimeMillis,
    resetFields: updateResetFields(kind)
  })
  if (!outcome.ok) return yield* new Unmergeable({ why: applyFailureText(outcome) })
  const draft = appliedDraft(kind, outcome, liveWithManagedFields)
  const writeOptions = { ...options, hasManagedFields: true }
  const object = yield* live === undefined
    ? store.create(draft, writeOptions)
    : store.update(draft, writeOptions)
  return { outcome: outcomeOf(object, live), object, document }
})

/** kubectl's default for `--field-manager`. */
const serverSideManager = "kubectl"

const applyFailureText = (failure: ApplyFailure): string =>
  failure.reason === "Conflict" ? conflictMessage(failure.conflicts) : failure.message

const withManagedFields = (
  document: ManifestDocument,
  draft: Draft,
  { before, nowMillis }: { readonly before: KubeObject | undefined; readonly nowMillis: number }
): Draft =>
  withRecordedManager({
    kind: storedKindOf(document.kind),
    before,
    draft: convertToStored(document.kind, draft),
    manager: libraryManager,
    nowMillis
  })

/** Decoding drops nulls and makes quantities canonical, as the server does. */
const decodeFields = (
  { kind }: ManifestDocument,
  fields: Fields,
  { keepsEmptyValues = false } = {}
): Effect.Effect<Draft, Unmergeable> => {
  const result = decodeObject(fields, { strict: false, kinds: { findServed: () => kind }, keepsEmptyValues })
  return result.ok ? Effect.succeed(result.object) : Effect.fail(new Unmergeable({ why: result.message }))
}
