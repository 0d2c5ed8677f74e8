import { resources } from "../../kubernetes/meta/kinds.ts"
import type { StoredChange, StoredRow } from "./changeDatabase.ts"

/**
 * Rows of one change, or of several new Events: half of a busy cluster's changes are new Events. Few of them are ever
 * changed, and they expire together. A row with many is written and read in less time.
 */

/** The most changes in a row. */
const groupedMax = 64
/** Neither stands in a key or in an object's text. */
const keySeparator = "\n"
const objectSeparator = "\n\n"
/** Estimated size of a row without its object. */
const rowBytes = 100

/** A stored row without its objects. */
export interface ChangeRow extends StoredChange {
  /** The place in the order of rows. */
  readonly sequence: number
  readonly bytes: number
}

export const toChangeRow = (row: StoredRow): ChangeRow => {
  const { sequence, version, millis, type, resource, key } = row
  return { sequence, version, millis, type, resource, key, bytes: bytesOf(row, row.object.length) }
}

/** The estimated size of a row. */
export const bytesOf = (
  { resource, key }: Pick<StoredChange, "resource" | "key">,
  objectBytes: number
): number => objectBytes + resource.length + key.length + rowBytes

/** The key of a row with the changes of these keys. */
export const joinKeys = (keys: ReadonlyArray<string>): string => keys.join(keySeparator)

/** The keys of the objects that a row is about. */
export const keysOf = ({ key }: Pick<StoredChange, "key">): ReadonlyArray<string> =>
  key.includes(keySeparator) ? key.split(keySeparator) : [key]

/** The texts of a row's objects, in the order of their keys. */
export const objectTextsOf = ({ object }: StoredRow): ReadonlyArray<string> =>
  typeof object === "string" ? [object] : object.toString().split(objectSeparator)

/** A change that is not stored yet, and whether a later one has replaced it. */
interface GroupableChange {
  readonly change: StoredChange
  readonly row: { readonly isReplaced: boolean }
}

/** Changes in their order, those that share a row together. */
export const groupChanges = <A extends GroupableChange>(
  changes: ReadonlyArray<A>
): ReadonlyArray<ReadonlyArray<A>> => {
  const groups: Array<Array<A>> = []
  let open: { readonly millis: number; readonly members: Array<A> } | undefined
  for (const entry of changes) {
    const { change, row } = entry
    const { type, resource, millis } = change
    const isGrouped = type === "ADDED" && resource === resources.events && !row.isReplaced
    // An Event of the same name that comes later must not come before the deletion.
    if (type === "DELETED" && resource === resources.events) open = undefined
    if (isGrouped && open?.millis === millis && open.members.length < groupedMax) {
      open.members.push(entry)
      continue
    }
    const members = [entry]
    groups.push(members)
    if (isGrouped) open = { millis, members }
  }
  return groups
}

/** Writes the objects of a row as bytes, one row after another into the same buffer: no text of a row is ever made. */
export interface RowWriter {
  /** Begins the next row. */
  readonly begin: () => void
  readonly write: (text: string) => void
  /** Ends an object after which another one of the same row follows. */
  readonly separate: () => void
  /** The length so far. */
  readonly byteCount: () => number
  /** The bytes of the row; valid until the next one begins. */
  readonly bytes: () => Uint8Array<ArrayBuffer>
}

const writerBytes = 64 * 1024
/** A character has at most this many bytes for each unit of a text's length. */
const bytesPerUnit = 3

export const makeRowWriter = (): RowWriter => {
  let buffer = Buffer.allocUnsafeSlow(writerBytes)
  let end = 0
  const makeRoom = (text: string): void => {
    const needed = end + Buffer.byteLength(text)
    if (needed <= buffer.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * buffer.length))
    buffer.copy(larger, 0, 0, end)
    buffer = larger
  }
  const write = (text: string): void => {
    if (end + bytesPerUnit * text.length > buffer.length) makeRoom(text)
    end += buffer.write(text, end)
  }
  return {
    begin: () => {
      end = 0
    },
    write,
    separate: () => write(objectSeparator),
    byteCount: () => end,
    bytes: () => buffer.subarray(0, end)
  }
}
