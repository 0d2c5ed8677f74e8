import { builtInKinds, groupResourceOf } from "../../kubernetes/meta/kinds.ts"
import {
  attachTrackedWrites,
  fieldWriterOf,
  trackedWritesOf,
  type ObjectParts,
  type TrackedWrite,
  type FieldWriter
} from "../../kubernetes/apply/managedFields/trackedWrites.ts"
import type { GroupResource, Kind } from "../../kubernetes/meta/kinds.ts"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"

/** `of`: per list, the index of each object's latest write, or -1. */
export interface SavedWrites {
  readonly writes: ReadonlyArray<SavedWrite>
  readonly of: Readonly<Record<string, ReadonlyArray<number>>>
}

interface SavedWrite extends Pick<FieldWriter, "manager" | "subresource"> {
  readonly resource: GroupResource
  readonly nowMillis: number
  /** The previous values of the replaced parts; omitted for a create. */
  readonly before?: unknown
  /** The parts as this write left them, if they have changed since. */
  readonly after?: unknown
  /** Index of the object's write before this one. */
  readonly earlier?: number
}

const noWriteIndex = -1

/** Writes of equal text are saved once, so that equal clusters give equal text. */
export const encodeWrites = (
  lists: ReadonlyArray<readonly [name: string, ReadonlyArray<KubeObject>]>,
  encode: (parts: ObjectParts) => unknown
): SavedWrites => {
  const writes: Array<SavedWrite> = []
  const indexByWrite = new Map<TrackedWrite, number>()
  const indexByText = new Map<string, number>()
  const indexOf = (write: TrackedWrite | undefined): number => {
    if (write === undefined) return noWriteIndex
    const index = indexByWrite.get(write) ?? addWrite(write)
    indexByWrite.set(write, index)
    return index
  }
  const addWrite = (write: TrackedWrite): number => {
    const { earlier } = write
    const saved = savedWriteOf(write, encode, earlier === undefined ? undefined : indexOf(earlier))
    const text = JSON.stringify(saved)
    const index = indexByText.get(text) ?? writes.push(saved) - 1
    indexByText.set(text, index)
    return index
  }
  const of = lists.map(
    ([name, objects]) => [name, objects.map((it) => indexOf(trackedWritesOf(it)))] as const
  )
  return { writes, of: Object.fromEntries(of) }
}

/** Faster than `encodeWrites`: no two writes of one object are equal. */
export const encodeObjectWrites = (
  name: string,
  object: KubeObject,
  encode: (parts: ObjectParts) => unknown
): SavedWrites => {
  const writes: Array<SavedWrite> = []
  const add = (write: TrackedWrite | undefined): number =>
    write === undefined
      ? noWriteIndex
      : writes.push(
          savedWriteOf(write, encode, write.earlier === undefined ? undefined : add(write.earlier))
        ) - 1
  const index = add(trackedWritesOf(object))
  return { writes, of: { [name]: [index] } }
}

const savedWriteOf = (
  { writer, nowMillis, before, after }: TrackedWrite,
  encode: (parts: ObjectParts) => unknown,
  earlier: number | undefined
): SavedWrite => {
  const { kind, manager, subresource } = writer
  return {
    resource: groupResourceOf(kind),
    manager,
    subresource,
    nowMillis,
    ...(before === undefined ? {} : { before: encode(before) }),
    ...(after === undefined ? {} : { after: encode(after) }),
    ...(earlier === undefined ? {} : { earlier })
  }
}

export const makeWriteAttacher = (
  { writes, of }: SavedWrites,
  read: {
    readonly decode: (parts: unknown) => ObjectParts
    readonly kinds: (resource: GroupResource) => Kind | undefined
  }
): (<A extends object>(name: string, index: number, object: A) => A) => {
  const decodedWrites: Array<TrackedWrite> = []
  for (const { resource, manager, subresource, nowMillis, before, after, earlier } of writes) {
    const kind = builtInKinds.findByResource(resource) ?? read.kinds(resource)
    if (kind === undefined) throw new TypeError(`the snapshot has no kind for ${resource}`)
    decodedWrites.push({
      writer: fieldWriterOf(kind, manager, subresource),
      nowMillis,
      before: before === undefined ? undefined : read.decode(before),
      after: after === undefined ? undefined : read.decode(after),
      earlier: earlier === undefined ? undefined : decodedWrites[earlier]
    })
  }
  return (name, index, object) =>
    attachTrackedWrites(object, decodedWrites[of[name]?.[index] ?? noWriteIndex])
}
