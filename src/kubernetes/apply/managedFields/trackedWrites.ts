import { dequal } from "dequal/lite"
import { fieldsOrEmpty, isFields, type Fields } from "../../meta/fields.ts"
import { floorToSecond } from "../../meta/amounts/timestamps.ts"
import { hasChangedFields } from "./compareFields.ts"
import { ownershipTopologyOf } from "./ownershipTopology.ts"
import { unownedMetadata } from "./recordUpdate.ts"
import type { Kind } from "../../meta/kinds.ts"
import type { KubeObject } from "../../meta/objects.ts"

/**
 * Writes that `managedFields` do not contain yet; `withCompleteManagedFields` computes the entries on
 * read, because controllers write often and clients rarely read the entries. Each stored version
 * has a chain of writes, newest first; a client's write or a long chain becomes entries.
 * Consecutive writes of one manager to the same parts merge, unless a write restores a previous
 * value. The chain is a private field, because a WeakMap needs several times the
 * memory and a property that is not enumerable is slow to define.
 */
export interface TrackedWrite {
  readonly writer: FieldWriter
  readonly nowMillis: number
  /** Previous values of the replaced parts; undefined for a create. */
  readonly before: ObjectParts | undefined
  /** What this write set in parts that a write without a manager, or the server, changed later. */
  readonly after: ObjectParts | undefined
  readonly earlier: TrackedWrite | undefined
}

export interface FieldWriter {
  readonly manager: string
  readonly kind: Kind
  readonly subresource: "status" | ""
}

/** Values by part name: `spec`, `metadata.labels`. */
export type ObjectParts = Readonly<Record<string, unknown>>

/** Lets a derived class add private fields to an existing object. */
// oxlint-disable-next-line typescript/no-extraneous-class -- only a constructor can return the object
class ExistingObject {
  constructor(object: object) {
    return object
  }
}

class StoredVersion extends ExistingObject {
  readonly #chain: TrackedWrite

  private constructor(version: object, chain: TrackedWrite) {
    super(version)
    this.#chain = chain
  }

  static attach(version: object, chain: TrackedWrite): void {
    void new StoredVersion(version, chain)
  }

  static chainOf(version: object): TrackedWrite | undefined {
    return #chain in version ? version.#chain : undefined
  }
}

export const trackedWritesOf = (version: object): TrackedWrite | undefined => StoredVersion.chainOf(version)

export const attachTrackedWrites = <A extends object>(version: A, writes: TrackedWrite | undefined): A => {
  if (writes !== undefined) StoredVersion.attach(version, writes)
  return version
}

const chainedWritesMax = 8

export const chainLength = (write: TrackedWrite | undefined): number =>
  write === undefined ? 0 : 1 + chainLength(write.earlier)

export const isChainTooLong = (write: TrackedWrite | undefined): boolean =>
  chainLength(write) > chainedWritesMax

/** Writers are interned, because writes are compared by their writer. */
const writers = new WeakMap<Kind, Record<FieldWriter["subresource"], Map<string, FieldWriter>>>()

export const fieldWriterOf = (
  kind: Kind,
  manager: string,
  subresource: FieldWriter["subresource"] = ""
): FieldWriter => {
  let writersOfKind = writers.get(kind)
  if (writersOfKind === undefined) {
    writersOfKind = { status: new Map(), "": new Map() }
    writers.set(kind, writersOfKind)
  }
  const present = writersOfKind[subresource].get(manager)
  if (present !== undefined) return present
  const writer = { manager, kind, subresource }
  writersOfKind[subresource].set(manager, writer)
  return writer
}

/** The last write of each writer, so that Pods of a ReplicaSet share one chain. */
const latestWrites = new WeakMap<FieldWriter, TrackedWrite>()

const reuseLatestWrite = (newWrite: TrackedWrite): TrackedWrite => {
  const write = { ...newWrite, nowMillis: floorToSecond(newWrite.nowMillis) }
  const last = latestWrites.get(write.writer)
  const hasSameContext = last !== undefined && last.earlier === write.earlier && last.after === write.after
  const before = hasSameContext && dequal(last.before, write.before) ? last.before : write.before
  if (hasSameContext && before === last.before && last.nowMillis === write.nowMillis) return last
  const result = before === write.before ? write : { ...write, before }
  latestWrites.set(write.writer, result)
  return result
}

/** `sent`: the parts as the client sent them, before the server completed the object. */
export const trackCreate = (writer: FieldWriter, nowMillis: number, sent?: ObjectParts): TrackedWrite => {
  const last = latestWrites.get(writer)
  const hasSameSpec =
    last?.before === undefined && sent !== undefined && last?.after?.["spec"] === sent["spec"]
  const after = hasSameSpec ? (last?.after ?? sent) : sent
  return reuseLatestWrite({ writer, nowMillis, before: undefined, after, earlier: undefined })
}

/** Returns the same chain if no part has changed. */
export const trackWrite = (
  writer: FieldWriter,
  nowMillis: number,
  { old, next }: { readonly old: KubeObject; readonly next: KubeObject }
): TrackedWrite | undefined => {
  const chain = trackedWritesOf(old)
  const partNames = changedParts(old, next)
  if (partNames.length === 0) return chain
  const write = { writer, nowMillis, partNames, old, next }
  const separateWrite = (): TrackedWrite =>
    reuseLatestWrite({ writer, nowMillis, before: partsOf(old, partNames), after: undefined, earlier: chain })
  return mergeIntoChain(chain, write) ?? separateWrite()
}

interface NewWrite {
  readonly writer: FieldWriter
  readonly nowMillis: number
  readonly partNames: ReadonlyArray<string>
  readonly old: KubeObject
  readonly next: KubeObject
}

/** Undefined if the write must stay apart. */
const mergeIntoChain = (chain: TrackedWrite | undefined, write: NewWrite): TrackedWrite | undefined => {
  if (chain === undefined) return undefined
  const { partNames, old, next } = write
  if (isSameWriter(chain.writer, write.writer) && chain.after === undefined) {
    const { before } = chain
    if (before === undefined) return trackCreate(chain.writer, timeAfterMerge(chain, write))
    const recordedNames = partNames.filter((name) => Object.hasOwn(before, name))
    const mergedBefore =
      recordedNames.length === partNames.length ? before : { ...partsOf(old, partNames), ...before }
    const restoredNames = recordedNames.filter((name) =>
      isRestored(before[name], partOf(old, name), partOf(next, name))
    )
    const merged = { ...chain, nowMillis: timeAfterMerge(chain, write), before: mergedBefore }
    if (!restoredNames.every((name) => isOwnedByEarlierWrite(merged, write, name))) return undefined
    // A write that restores everything would lose the time of the merged writes.
    const hasOlderTime = merged.nowMillis < floorToSecond(write.nowMillis)
    const mustSetFields = hasOlderTime || restoredNames.length > 0
    return mustSetFields && !setsAnyField(merged, next) ? undefined : reuseLatestWrite(merged)
  }
  if (partNames.some((name) => hasWrittenPart(chain, name))) return undefined
  const earlier = mergeIntoChain(chain.earlier, write)
  return earlier === undefined ? undefined : reuseLatestWrite({ ...chain, earlier })
}

/** Whether the writer owns the restored fields because of an earlier write. */
const isOwnedByEarlierWrite = (
  chain: TrackedWrite & { readonly before: ObjectParts },
  { old, next }: NewWrite,
  name: string
): boolean =>
  !isRestored(chain.before[name], partOf(old, name), partOf(next, name), earlierChanges(chain, name))

const setsAnyField = (
  { writer, before }: TrackedWrite & { readonly before: ObjectParts },
  next: KubeObject
): boolean =>
  hasChangedFields(
    ownershipTopologyOf(writer.kind),
    replaceParts({}, before),
    onlyParts(next, Object.keys(before))
  )

/** The value of a part or field before an earlier write. */
interface EarlierChange {
  readonly before: unknown
  readonly isBySameWriter: boolean
}

/** The last change first, up to one whose new value is unknown. */
const earlierChanges = ({ writer, earlier }: TrackedWrite, name: string): ReadonlyArray<EarlierChange> => {
  const changes: Array<EarlierChange> = []
  for (let write = earlier; write !== undefined; write = write.earlier) {
    if (!hasWrittenPart(write, name)) continue
    if (write.before === undefined || write.after !== undefined) break
    changes.push({ before: write.before[name], isBySameWriter: isSameWriter(write.writer, writer) })
  }
  return changes
}

const changesOfField = (changes: ReadonlyArray<EarlierChange>, field: string): ReadonlyArray<EarlierChange> =>
  changes.map(({ before, isBySameWriter }) => ({ before: fieldsOrEmpty(before)[field], isBySameWriter }))

const wasLastSetBySameWriter = (changes: ReadonlyArray<EarlierChange>, value: unknown): boolean =>
  changes.find(({ before }) => before !== value)?.isBySameWriter === true

/**
 * A write that only removes fields keeps the entry's time. Source:
 * apimachinery/pkg/util/managedfields/internal/managedfieldsupdater.go.
 */
const timeAfterMerge = (chain: TrackedWrite, { nowMillis, partNames, old, next }: NewWrite): number => {
  if (floorToSecond(nowMillis) === chain.nowMillis) return nowMillis
  const topology = ownershipTopologyOf(chain.writer.kind)
  return hasChangedFields(topology, onlyParts(old, partNames), onlyParts(next, partNames))
    ? nowMillis
    : chain.nowMillis
}

/** Ignores the kind: a changed CustomResourceDefinition recreates the Kind. */
const isSameWriter = (a: FieldWriter, b: FieldWriter): boolean =>
  a.manager === b.manager && a.subresource === b.subresource

const hasWrittenPart = ({ before, writer }: TrackedWrite, name: string): boolean =>
  before === undefined ? name !== "status" || !hasStatusSubresource(writer.kind) : Object.hasOwn(before, name)

export const hasStatusSubresource = ({ subresources }: Kind): boolean =>
  subresources.some(({ name }) => name === "status")

export const trackWriteWithoutManager = (old: KubeObject, next: KubeObject): TrackedWrite | undefined => {
  const chain = trackedWritesOf(old)
  return chain === undefined ? undefined : storeReplacedParts(chain, changedParts(old, next), old)
}

/** Stores the parts as `after` of the last write that replaced each part. */
const storeReplacedParts = (
  chain: TrackedWrite | undefined,
  partNames: ReadonlyArray<string>,
  old: KubeObject
): TrackedWrite | undefined => {
  if (chain === undefined || partNames.length === 0) return chain
  const writtenNames = partNames.filter((name) => hasWrittenPart(chain, name))
  const { after = {} } = chain
  const unstoredNames = writtenNames.filter((name) => !Object.hasOwn(after, name))
  const earlier = storeReplacedParts(
    chain.earlier,
    partNames.filter((name) => !writtenNames.includes(name)),
    old
  )
  if (unstoredNames.length === 0) return earlier === chain.earlier ? chain : { ...chain, earlier }
  return { ...chain, after: { ...after, ...partsOf(old, unstoredNames) }, earlier }
}

const untrackedMetadata: ReadonlySet<string> = new Set([
  ...unownedMetadata,
  "deletionGracePeriodSeconds",
  "deletionTimestamp"
])

const changedParts = (old: KubeObject, next: KubeObject): ReadonlyArray<string> => {
  const partNames: Array<string> = []
  forEachDifference(old, next, (name) => {
    if (name !== "metadata" && name !== "apiVersion" && name !== "kind") partNames.push(name)
  })
  if (old.metadata !== next.metadata) {
    forEachDifference(old.metadata, next.metadata, (name) => {
      if (!untrackedMetadata.has(name)) partNames.push(`${metadataPrefix}${name}`)
    })
  }
  return partNames
}

const forEachDifference = (old: object, next: object, each: (name: string) => void): void => {
  const [oldFields, nextFields] = [old as Fields, next as Fields]
  for (const name of Object.keys(nextFields)) if (oldFields[name] !== nextFields[name]) each(name)
  for (const name of Object.keys(oldFields)) if (!Object.hasOwn(nextFields, name)) each(name)
}

const metadataPrefix = "metadata."

const partOf = (object: KubeObject, name: string): unknown =>
  name.startsWith(metadataPrefix)
    ? (object.metadata as unknown as Fields)[name.slice(metadataPrefix.length)]
    : (object as unknown as Fields)[name]

const partsOf = (object: KubeObject, partNames: ReadonlyArray<string>): ObjectParts =>
  Object.fromEntries(partNames.map((name) => [name, partOf(object, name)]))

const onlyParts = (object: KubeObject, partNames: ReadonlyArray<string>): Fields => {
  const parts: Record<string, unknown> = {}
  let metadata: Record<string, unknown> | undefined
  for (const name of partNames) {
    const value = partOf(object, name)
    if (value === undefined) continue
    if (!name.startsWith(metadataPrefix)) parts[name] = value
    else (metadata ??= {})[name.slice(metadataPrefix.length)] = value
  }
  if (metadata !== undefined) parts["metadata"] = metadata
  return parts
}

/** An undefined part is removed. */
export const replaceParts = (object: Fields, parts: ObjectParts = {}): Fields => {
  const next: Record<string, unknown> = { ...object }
  let metadata: Record<string, unknown> | undefined
  for (const [name, value] of Object.entries(parts)) {
    if (!name.startsWith(metadataPrefix)) {
      setOrDelete(next, name, value)
      continue
    }
    metadata ??= { ...fieldsOrEmpty(object["metadata"]) }
    setOrDelete(metadata, name.slice(metadataPrefix.length), value)
  }
  if (metadata !== undefined) next["metadata"] = metadata
  return next
}

const setOrDelete = (holder: Record<string, unknown>, field: string, value: unknown): void => {
  if (value !== undefined) holder[field] = value
  else if (Object.hasOwn(holder, field)) delete holder[field]
}

/**
 * Whether `next` may restore a field's `original` value: the one before the merged writes. A false positive only costs
 * one more write in the chain; there are no false negatives.
 */
const isRestored = (
  original: unknown,
  old: unknown,
  next: unknown,
  earlier: ReadonlyArray<EarlierChange> = []
): boolean => {
  if (old === next || original === undefined) return false
  if (original === next) return typeof original === "object" || !wasLastSetBySameWriter(earlier, original)
  if (typeof original !== "object" || original === null || typeof next !== "object" || next === null)
    return false
  if (typeof old !== "object" || old === null) return true
  if (Array.isArray(original)) {
    if (!Array.isArray(next) || !Array.isArray(old)) return true
    if (original.length === next.length && original.length !== old.length) return true
    let index = 0
    for (const item of original) {
      if (isRestored(item, matchingItem(old, item, index), matchingItem(next, item, index))) return true
      index += 1
    }
    return false
  }
  const [originalFields, oldFields, nextFields] = [original as Fields, old as Fields, next as Fields]
  for (const field of Object.keys(originalFields)) {
    const [oldField, nextField] = [oldFields[field], nextFields[field]]
    if (oldField === nextField) continue
    if (isRestored(originalFields[field], oldField, nextField, changesOfField(earlier, field))) return true
  }
  return false
}

const identifyingFields = ["type", "uid", "name", "ip"] as const

const matchingItem = (list: ReadonlyArray<unknown>, item: unknown, index: number): unknown => {
  if (!isFields(item)) return list.includes(item) ? item : list[index]
  if (list.includes(item)) return item
  for (const key of identifyingFields) {
    if (!Object.hasOwn(item, key)) continue
    for (const other of list) if (isFields(other) && other[key] === item[key]) return other
    return undefined
  }
  return list[index]
}
