import { fieldsOrEmpty, isFields } from "../../kubernetes/meta/fields.ts"
import { strategicMergePatch } from "../../kubernetes/apply/patches/strategicMerge.ts"
import { withoutIdentity } from "../../manifests/manifestDocument.ts"
import type { Draft } from "../../kubernetes/meta/objects.ts"
import type { Fields } from "../../kubernetes/meta/fields.ts"
import type { ManifestDocument } from "../../manifests/manifestDocument.ts"

/** Fields of a strategic merge patch. */
export interface ObjectChange {
  readonly kind: string
  readonly namespace: string
  readonly name: string
  readonly fields: Fields
  /** Whether the change is about how Pods stop: it helps only once the running Pods have it. */
  readonly changesTermination?: boolean
}

export interface PlanDocuments {
  readonly next: ReadonlyArray<ManifestDocument>
  readonly from?: ReadonlyArray<ManifestDocument>
  /** Set if `from` was read from a running cluster: changes are then made only in `next`. */
  readonly livePods?: unknown
}

export const changedDocument = (
  { next, from = [] }: PlanDocuments,
  change: Omit<ObjectChange, "fields">
): ManifestDocument | undefined => [...from, ...next].findLast((document) => isChangedBy(document, change))

const isChangedBy = (
  { kind, draft: { metadata } }: ManifestDocument,
  change: Omit<ObjectChange, "fields">
): boolean =>
  kind.kind === change.kind && metadata.name === change.name && metadata.namespace === change.namespace

/** A changed document that only `from` has is put in front of `next`. */
export const withChanges = <D extends PlanDocuments>(
  documents: D,
  changes: ReadonlyArray<ObjectChange>
): D => ({
  ...documents,
  next: changedNext(documents, changes),
  ...(documents.from === undefined || documents.livePods !== undefined
    ? {}
    : { from: changedFrom(documents.from, changes) })
})

export const terminationChanges = (changes: ReadonlyArray<ObjectChange>): ReadonlyArray<ObjectChange> =>
  changes.filter(({ changesTermination = false }) => changesTermination)

const changedFrom = (
  from: NonNullable<PlanDocuments["from"]>,
  changes: ReadonlyArray<ObjectChange>
): ReadonlyArray<ManifestDocument> =>
  from.map((document) =>
    terminationChanges(changes)
      .filter(
        (change) => isChangedBy(document, change) && hasChangedElements(document.rawFields, change.fields)
      )
      .reduce(withChange, document)
  )

/** If false, the patch would add containers that the document lacks. */
const hasChangedElements = (before: unknown, change: unknown): boolean => {
  if (isFields(change))
    return Object.entries(change).every(([field, value]) =>
      hasChangedElements(fieldsOrEmpty(before)[field], value)
    )
  if (!isNamedList(change)) return true
  const list = isNamedList(before) ? before : []
  return change.every((element) => {
    const elementBefore = elementNamed(list, element["name"])
    return elementBefore !== undefined && hasChangedElements(elementBefore, element)
  })
}

const changedNext = (
  documents: PlanDocuments,
  changes: ReadonlyArray<ObjectChange>
): ReadonlyArray<ManifestDocument> => {
  const changedDocuments = new Map<ManifestDocument, ManifestDocument>()
  for (const change of changes) {
    const document = changedDocument(documents, change)
    if (document !== undefined)
      changedDocuments.set(document, withChange(changedDocuments.get(document) ?? document, change))
  }
  const nextDocuments = new Set(documents.next)
  return [
    // A document of a cluster has a uid that would match no new object.
    ...[...changedDocuments].flatMap(([document, after]) =>
      nextDocuments.has(document) ? [] : [withoutIdentity(after)]
    ),
    ...documents.next.map((document) => changedDocuments.get(document) ?? document)
  ]
}

const withChange = (document: ManifestDocument, { fields }: ObjectChange): ManifestDocument => {
  // The object is applied as `draft`; kubectl keeps `rawFields`, those of the file, as last applied.
  const { kind, draft, rawFields } = document
  const [patchedDraft, patchedFields] = [draft, rawFields].map((original) =>
    strategicMergePatch(kind, original, fields)
  )
  return patchedDraft?.ok === true && patchedFields?.ok === true
    ? // Advisers change fields of the spec, and keep their types.
      { ...document, draft: patchedDraft.value as object as Draft, rawFields: patchedFields.value }
    : document
}

/** Of two changes of one field, the later one holds. */
export const mergeChanges = (changes: ReadonlyArray<ObjectChange>): ReadonlyArray<ObjectChange> => {
  const mergedChanges = new Map<string, ObjectChange>()
  for (const change of changes) {
    const key = [change.kind, change.namespace, change.name].join("/")
    const earlier = mergedChanges.get(key)
    mergedChanges.set(
      key,
      earlier === undefined ? change : { ...change, fields: mergeFields(earlier.fields, change.fields) }
    )
  }
  return [...mergedChanges.values()]
}

const mergeFields = (earlier: Fields, later: Fields): Fields => ({
  ...earlier,
  ...Object.fromEntries(
    Object.entries(later).map(([field, value]) => [field, mergeValues(earlier[field], value)])
  )
})

const mergeValues = (earlier: unknown, later: unknown): unknown => {
  if (isFields(earlier) && isFields(later)) return mergeFields(earlier, later)
  if (!isNamedList(earlier) || !isNamedList(later)) return later
  const addedElements = later.filter((element) => elementNamed(earlier, element["name"]) === undefined)
  return [
    ...earlier.map((element) => {
      const change = elementNamed(later, element["name"])
      return change === undefined ? element : mergeFields(element, change)
    }),
    ...addedElements
  ]
}

export const isNamedList = (value: unknown): value is ReadonlyArray<Fields> =>
  Array.isArray(value) && value.every((element) => isFields(element) && typeof element["name"] === "string")

export const elementNamed = (list: ReadonlyArray<Fields>, name: unknown): Fields | undefined =>
  list.find((element) => element["name"] === name)
