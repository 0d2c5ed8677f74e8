import { dequal } from "dequal/lite"
import { fieldsOf, isFields, type Fields } from "../fields.ts"
import { secondsFloor } from "../timestamps.ts"
import { changesBetween } from "./compare.ts"
import { isEmpty } from "./fieldSet.ts"
import { shapeOf } from "./topology.ts"
import { metadataWithoutOwner } from "./updates.ts"
import type { Kind } from "../kinds.ts"
import type { KubeObject } from "../objects.ts"

/**
 * The writes to an object that its `managedFields` do not name yet. Controllers write often and hardly any client reads
 * who wrote what, so a write only notes its manager and the parts of the object as they were, and `complete.ts` works
 * the field sets out when a client asks for them.
 *
 * Each stored version of an object has a chain of such writes, newest first, beside the entries in its metadata:
 *
 * - The write that created the object claims every field that the object has, whatever the fields are by then.
 * - A later write notes the value before it of each part that it replaced: `status`, `spec`, `metadata.labels`. Objects
 *   share what they do not change, so a part that kept its identity was not written.
 * - Several writes of one manager to the same parts are one write: only the value before the first one counts. An
 *   exception is a field that gets back the value it had before the first one: then the chain grows by a write.
 * - The time of merged writes is that of the last one that set a field. Of a field that comes and goes before a client
 *   reads, nothing is left, also not in the time.
 * - A write that no manager is named for (a binding, a deletion, what admission fills in) changes no ownership. Its
 *   effect is kept out: the parts that it replaces are noted as the value after the last write that is tracked.
 *
 * A chain has as many writes as managers take turns on one part, two for nearly all objects, and never more than
 * `lengthMax`: one more works the entries out. It keeps the first values of the written parts alive and nothing of the
 * versions between. A write by a client works all entries out, and the chain begins anew. Snapshots carry the chains.
 *
 * A chain hangs on its version of the object by a property that is not enumerable: a copy, a comparison and JSON leave
 * it out. A weak map would take several times the memory. Objects that live alike share their chains.
 */
export interface TrackedWrite {
  readonly writer: Writer
  /** The second of the write, which is all that an entry tells. */
  readonly nowMillis: number
  /** The replaced parts as they were; undefined for the write that created the object. */
  readonly before: Parts | undefined
  /** The parts that have changed since without a manager, as they were until then. */
  readonly after: Parts | undefined
  readonly earlier: TrackedWrite | undefined
}

/** In whose name, of which kind and by way of what an object is written. */
export interface Writer {
  readonly manager: string
  readonly kind: Kind
  readonly subresource: "status" | ""
}

/** Values by the names of parts: `spec`, `metadata.labels`. */
export type Parts = Readonly<Record<string, unknown>>

const tracked = Symbol("charthouse/writes")

/** The tracked writes to a stored version of an object, newest first. */
export const writesTo = (object: object & { readonly [tracked]?: TrackedWrite }): TrackedWrite | undefined =>
  object[tracked]

/** Says which writes have led to a version, before it is frozen. */
export const setWrites = <A extends object>(version: A, writes: TrackedWrite | undefined): A =>
  writes === undefined ? version : Object.defineProperty(version, tracked, { value: writes })

/** The writes that a chain may have. */
const lengthMax = 8

export const lengthOf = (write: TrackedWrite | undefined): number =>
  write === undefined ? 0 : 1 + lengthOf(write.earlier)

export const isTooLong = (write: TrackedWrite | undefined): boolean => lengthOf(write) > lengthMax

/** There are few writers, and writes are told apart by them. */
const writers = new WeakMap<Kind, Map<string, Writer>>()

export const writerOf = (kind: Kind, manager: string, subresource: Writer["subresource"]): Writer => {
  const ofKind = writers.get(kind) ?? new Map<string, Writer>()
  writers.set(kind, ofKind)
  const name = `${subresource}/${manager}`
  const writer = ofKind.get(name) ?? { manager, kind, subresource }
  ofKind.set(name, writer)
  return writer
}

/** The last write of each writer: objects that live alike, such as the Pods of a ReplicaSet, have one chain. */
const latest = new WeakMap<Writer, TrackedWrite>()

const shared = (given: TrackedWrite): TrackedWrite => {
  const write = { ...given, nowMillis: secondsFloor(given.nowMillis) }
  const last = latest.get(write.writer)
  const isAlike = last !== undefined && last.earlier === write.earlier && last.after === write.after
  const before = isAlike && dequal(last.before, write.before) ? last.before : write.before
  if (isAlike && before === last.before && last.nowMillis === write.nowMillis) return last
  const made = before === write.before ? write : { ...write, before }
  latest.set(write.writer, made)
  return made
}

/** The chain of a new object. `sent` are the parts that admission or the registry has filled in beyond the defaults. */
export const created = (writer: Writer, nowMillis: number, sent?: Parts): TrackedWrite => {
  const last = latest.get(writer)
  const isAlike = last?.before === undefined && sent !== undefined && last?.after?.["spec"] === sent["spec"]
  const after = isAlike ? (last?.after ?? sent) : sent
  return shared({ writer, nowMillis, before: undefined, after, earlier: undefined })
}

/** The chain of an object after a write of a manager. */
export const written = (
  writer: Writer,
  nowMillis: number,
  { old, next }: { readonly old: KubeObject; readonly next: KubeObject }
): TrackedWrite | undefined => {
  const chain = writesTo(old)
  const names = changedParts(old, next)
  if (names.length === 0) return chain
  const write = { writer, nowMillis, names, old, next }
  const begun = (): TrackedWrite =>
    shared({ writer, nowMillis, before: partsOf(old, names), after: undefined, earlier: chain })
  return merged(chain, write) ?? begun()
}

interface NewWrite {
  readonly writer: Writer
  readonly nowMillis: number
  readonly names: ReadonlyArray<string>
  readonly old: KubeObject
  readonly next: KubeObject
}

/** The chain with the write in an earlier one of the same writer; undefined where it has to be a write of its own. */
const merged = (chain: TrackedWrite | undefined, write: NewWrite): TrackedWrite | undefined => {
  if (chain === undefined) return undefined
  const { names, old, next } = write
  if (isSameWriter(chain.writer, write.writer) && chain.after === undefined) {
    const { before } = chain
    if (before === undefined) return created(chain.writer, timeOf(chain, write))
    const noted = names.filter((name) => Object.hasOwn(before, name))
    if (noted.some((name) => isRestored(before[name], partOf(old, name), partOf(next, name))))
      return undefined
    const added = noted.length === names.length ? before : { ...partsOf(old, names), ...before }
    return shared({ ...chain, nowMillis: timeOf(chain, write), before: added })
  }
  if (names.some((name) => covers(chain, name))) return undefined
  const earlier = merged(chain.earlier, write)
  return earlier === undefined ? undefined : shared({ ...chain, earlier })
}

/**
 * The time of an entry after one more write. A write that only removes fields leaves the entry its time.
 *
 * Source: staging/src/k8s.io/apimachinery/pkg/util/managedfields/internal/managedfieldsupdater.go (Update), which sets
 * the time where the write itself comes to own a field.
 */
const timeOf = (chain: TrackedWrite, { nowMillis, names, old, next }: NewWrite): number => {
  if (secondsFloor(nowMillis) === chain.nowMillis) return nowMillis
  const [was, is] = [old, next].map((version) => withParts({}, partsOf(version, names)))
  return isEmpty(changesBetween(shapeOf(chain.writer.kind), was, is).changed) ? chain.nowMillis : nowMillis
}

/** The kind of an object is the same all its life, though a definition may make it anew. */
const isSameWriter = (a: Writer, b: Writer): boolean =>
  a.manager === b.manager && a.subresource === b.subresource

const covers = ({ before, writer }: TrackedWrite, name: string): boolean =>
  before === undefined ? name !== "status" || !hasStatusApart(writer.kind) : Object.hasOwn(before, name)

export const hasStatusApart = ({ subresources }: Kind): boolean =>
  subresources.some(({ name }) => name === "status")

/** The chain of an object after a write that changes no ownership. */
export const unattributed = (old: KubeObject, next: KubeObject): TrackedWrite | undefined => {
  const chain = writesTo(old)
  return chain === undefined ? undefined : closed(chain, changedParts(old, next), old)
}

/** The chain with the parts kept as they are now, each with the last write that replaced it. */
const closed = (
  chain: TrackedWrite | undefined,
  names: ReadonlyArray<string>,
  old: KubeObject
): TrackedWrite | undefined => {
  if (chain === undefined || names.length === 0) return chain
  const covered = names.filter((name) => covers(chain, name))
  const { after = {} } = chain
  const open = covered.filter((name) => !Object.hasOwn(after, name))
  const earlier = closed(
    chain.earlier,
    names.filter((name) => !covered.includes(name)),
    old
  )
  if (open.length === 0) return earlier === chain.earlier ? chain : { ...chain, earlier }
  return { ...chain, after: { ...after, ...partsOf(old, open) }, earlier }
}

/** Metadata without an owner, and the marks of a deletion, which no manager writes. */
const untrackedMetadata: ReadonlySet<string> = new Set([
  ...metadataWithoutOwner,
  "deletionGracePeriodSeconds",
  "deletionTimestamp"
])

/** The names of the parts that are not one value in two versions of an object. */
const changedParts = (old: KubeObject, next: KubeObject): ReadonlyArray<string> => {
  const names: Array<string> = []
  differing(old, next, (name) => {
    if (name !== "metadata" && name !== "apiVersion" && name !== "kind") names.push(name)
  })
  if (old.metadata !== next.metadata) {
    differing(old.metadata, next.metadata, (name) => {
      if (!untrackedMetadata.has(name)) names.push(`${inMetadata}${name}`)
    })
  }
  return names
}

const differing = (old: object, next: object, each: (name: string) => void): void => {
  const [was, is] = [old as Fields, next as Fields]
  for (const name of Object.keys(is)) if (was[name] !== is[name]) each(name)
  for (const name of Object.keys(was)) if (!Object.hasOwn(is, name)) each(name)
}

const inMetadata = "metadata."

const partOf = (object: KubeObject, name: string): unknown =>
  name.startsWith(inMetadata)
    ? (object.metadata as unknown as Fields)[name.slice(inMetadata.length)]
    : (object as unknown as Fields)[name]

const partsOf = (object: KubeObject, names: ReadonlyArray<string>): Parts =>
  Object.fromEntries(names.map((name) => [name, partOf(object, name)]))

/** An object with other values for some parts; a part that is undefined is left out. */
export const withParts = (object: Fields, parts: Parts = {}): Fields => {
  const next: Record<string, unknown> = { ...object }
  let metadata: Record<string, unknown> | undefined
  for (const [name, value] of Object.entries(parts)) {
    if (!name.startsWith(inMetadata)) {
      setPart(next, name, value)
      continue
    }
    metadata ??= { ...fieldsOf(object["metadata"]) }
    setPart(metadata, name.slice(inMetadata.length), value)
  }
  if (metadata !== undefined) next["metadata"] = metadata
  return next
}

const setPart = (holder: Record<string, unknown>, field: string, value: unknown): void => {
  if (value !== undefined) holder[field] = value
  else if (Object.hasOwn(holder, field)) delete holder[field]
}

/**
 * Whether some place may have got back the value that it had before the first of several writes. It may say so where
 * it is not, which costs a write in the chain, but never the other way round.
 */
const isRestored = (first: unknown, old: unknown, next: unknown): boolean => {
  if (old === next || first === undefined) return false
  if (first === next) return true
  if (typeof first !== "object" || first === null || typeof next !== "object" || next === null) return false
  if (typeof old !== "object" || old === null) return true
  if (Array.isArray(first)) {
    if (!Array.isArray(next) || !Array.isArray(old)) return true
    if (first.length === next.length && first.length !== old.length) return true
    return first.some((item, place) =>
      isRestored(item, counterpart(old, item, place), counterpart(next, item, place))
    )
  }
  const [was, had, has] = [first as Fields, old as Fields, next as Fields]
  return Object.keys(was).some((field) => isRestored(was[field], had[field], has[field]))
}

/** The fields that tell the elements of lists apart. */
const keys = ["type", "uid", "name", "ip"] as const

const counterpart = (list: ReadonlyArray<unknown>, item: unknown, place: number): unknown => {
  if (!isFields(item)) return list.includes(item) ? item : list[place]
  if (list.includes(item)) return item
  const key = keys.find((field) => Object.hasOwn(item, field))
  if (key === undefined) return list[place]
  return list.find((other) => isFields(other) && other[key] === item[key])
}
