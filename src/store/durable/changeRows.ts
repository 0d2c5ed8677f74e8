import { resources } from "../../kubernetes/meta/kinds.ts"
import type { StoredChange, StoredRow } from "./changeDatabase.ts"

/** New Events share rows: they are half of a busy cluster's changes, and long rows take less time. */

const eventsPerRowMax = 64
/** Keys and texts of objects contain neither separator. */
const keySeparator = "\n"
const objectSeparator = "\n\n"
/** Estimated size of a row without its object. */
const rowBytes = 100

export interface ChangeRow extends StoredChange {
  readonly sequence: number
  readonly bytes: number
}

export const toChangeRow = (row: StoredRow): ChangeRow => {
  const { sequence, version, millis, type, resource, key } = row
  return { sequence, version, millis, type, resource, key, bytes: estimateRowBytes(row, row.object.length) }
}

export const estimateRowBytes = (
  { resource, key }: Pick<StoredChange, "resource" | "key">,
  objectBytes: number
): number => objectBytes + resource.length + key.length + rowBytes

export const joinKeys = (keys: ReadonlyArray<string>): string => keys.join(keySeparator)

export const keysInRow = ({ key }: Pick<StoredChange, "key">): ReadonlyArray<string> =>
  key.includes(keySeparator) ? key.split(keySeparator) : [key]

export const objectTextsOf = ({ object }: StoredRow): ReadonlyArray<string> =>
  typeof object === "string" ? [object] : object.toString().split(objectSeparator)

interface GroupableChange {
  readonly change: StoredChange
  readonly logged: { readonly isReplaced: boolean }
}

export const groupChanges = <A extends GroupableChange>(
  changes: ReadonlyArray<A>
): ReadonlyArray<ReadonlyArray<A>> => {
  const groups: Array<Array<A>> = []
  let openRow: { readonly millis: number; readonly members: Array<A> } | undefined
  for (const entry of changes) {
    const { change, logged } = entry
    const { type, resource, millis } = change
    const isGrouped = type === "ADDED" && resource === resources.events && !logged.isReplaced
    // A later Event of the same name must not come before the deletion.
    if (type === "DELETED" && resource === resources.events) openRow = undefined
    if (isGrouped && openRow?.millis === millis && openRow.members.length < eventsPerRowMax) {
      openRow.members.push(entry)
      continue
    }
    const members = [entry]
    groups.push(members)
    if (isGrouped) openRow = { millis, members }
  }
  return groups
}

/** Writes the objects of a row as bytes into one reused buffer. */
export interface RowWriter {
  readonly begin: () => void
  readonly write: (text: string) => void
  readonly separate: () => void
  readonly byteCount: () => number
  /** The bytes of the row are valid until the next row begins. */
  readonly bytes: () => Uint8Array<ArrayBuffer>
}

const writerBytes = 64 * 1024
/** The most UTF-8 bytes for each UTF-16 unit. */
const bytesPerUnit = 3

export const makeRowWriter = (): RowWriter => {
  let buffer = Buffer.allocUnsafeSlow(writerBytes)
  let end = 0
  const makeRoom = (text: string): void => {
    const neededBytes = end + Buffer.byteLength(text)
    if (neededBytes <= buffer.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(neededBytes, 2 * buffer.length))
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
