import { fieldsOrEmpty, isFields } from "../../kubernetes/meta/fields.ts"
import { strategicMergePatch } from "../../kubernetes/apply/patches/strategicMerge.ts"
import { withoutIdentity } from "../../manifests/manifestDocument.ts"
import type { Draft } from "../../kubernetes/meta/objects.ts"
import type { Fields } from "../../kubernetes/meta/fields.ts"
import type { ManifestDocument } from "../../manifests/manifestDocument.ts"

/** Fields to set in an object, as in a strategic merge patch. A null removes a field. */
export interface ObjectChange {
  readonly kind: string
  readonly namespace: string
  readonly name: string
  readonly fields: Fields
  /** Whether it is about how Pods stop: those that run before have to have it, so that it helps one rollout later. */
  readonly isForOldPods?: boolean
}

interface Documents {
  readonly next: ReadonlyArray<ManifestDocument>
  readonly from?: ReadonlyArray<ManifestDocument>
  /** Set if `from` was read from a cluster, with the ReplicaSets of its Deployments: it stays as it is. */
  readonly running?: unknown
}

/** The manifest that a change is made in: of several for one object, the last one. */
export const changedDocument = (
  { next, from = [] }: Documents,
  change: Omit<ObjectChange, "fields">
): ManifestDocument | undefined => [...from, ...next].findLast((document) => isOf(document, change))

const isOf = (
  { kind, draft: { metadata } }: ManifestDocument,
  change: Omit<ObjectChange, "fields">
): boolean =>
  kind.kind === change.kind && metadata.name === change.name && metadata.namespace === change.namespace

/** The manifests with these changes. What only ran before is applied anew, before all else. */
export const withChanges = <D extends Documents>(documents: D, changes: ReadonlyArray<ObjectChange>): D => ({
  ...documents,
  next: changedNext(documents, changes),
  ...(documents.from === undefined || documents.running !== undefined
    ? {}
    : { from: changedFrom(documents.from, changes) })
})

/** The changes that `withChanges` makes in what runs before. */
export const changesBefore = (changes: ReadonlyArray<ObjectChange>): ReadonlyArray<ObjectChange> =>
  changes.filter(({ isForOldPods = false }) => isForOldPods)

const changedFrom = (
  from: NonNullable<Documents["from"]>,
  changes: ReadonlyArray<ObjectChange>
): ReadonlyArray<ManifestDocument> =>
  from.map((document) =>
    changesBefore(changes)
      .filter((change) => isOf(document, change) && hasElements(document.rawFields, change.fields))
      .reduce(withChange, document)
  )

/** Whether all elements of lists that a patch changes are there: it is to add no container. */
const hasElements = (before: unknown, change: unknown): boolean => {
  if (isFields(change))
    return Object.entries(change).every(([field, value]) => hasElements(fieldsOrEmpty(before)[field], value))
  if (!isNamedList(change)) return true
  const list = isNamedList(before) ? before : []
  return change.every((element) => {
    const found = elementNamed(list, element["name"])
    return found !== undefined && hasElements(found, element)
  })
}

const changedNext = (
  documents: Documents,
  changes: ReadonlyArray<ObjectChange>
): ReadonlyArray<ManifestDocument> => {
  const changed = new Map<ManifestDocument, ManifestDocument>()
  for (const change of changes) {
    const document = changedDocument(documents, change)
    if (document !== undefined) changed.set(document, withChange(changed.get(document) ?? document, change))
  }
  const isNext = new Set(documents.next)
  return [
    ...[...changed].flatMap(([document, it]) => (isNext.has(document) ? [] : [withoutIdentity(it)])),
    ...documents.next.map((document) => changed.get(document) ?? document)
  ]
}

const withChange = (document: ManifestDocument, { fields }: ObjectChange): ManifestDocument => {
  const { kind, draft, rawFields } = document
  const [patchedDraft, patchedFields] = [draft, rawFields].map((it) => strategicMergePatch(kind, it, fields))
  return patchedDraft?.ok === true && patchedFields?.ok === true
    ? // Changed are fields of the spec, whose types advisers keep.
      { ...document, draft: patchedDraft.value as object as Draft, rawFields: patchedFields.value }
    : document
}

/** One change for each object; where two set a field, the later one holds. */
export const mergeChanges = (changes: ReadonlyArray<ObjectChange>): ReadonlyArray<ObjectChange> => {
  const merged = new Map<string, ObjectChange>()
  for (const change of changes) {
    const key = [change.kind, change.namespace, change.name].join("/")
    const earlier = merged.get(key)
    merged.set(
      key,
      earlier === undefined ? change : { ...change, fields: mergeFields(earlier.fields, change.fields) }
    )
  }
  return [...merged.values()]
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
  const added = later.filter((element) => elementNamed(earlier, element["name"]) === undefined)
  return [
    ...earlier.map((element) => {
      const change = elementNamed(later, element["name"])
      return change === undefined ? element : mergeFields(element, change)
    }),
    ...added
  ]
}

/** Whether it is merged by the names of its elements, as a list of containers. */
export const isNamedList = (value: unknown): value is ReadonlyArray<Fields> =>
  Array.isArray(value) && value.every((element) => isFields(element) && typeof element["name"] === "string")

export const elementNamed = (list: ReadonlyArray<Fields>, name: unknown): Fields | undefined =>
  list.find((element) => element["name"] === name)
