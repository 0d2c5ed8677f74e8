import { resources } from "../../kubernetes/meta/kinds.ts"
import type { NumberedChange, StoredChange, StoredRow } from "./changeDatabase.ts"

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
export interface ChangeRow extends Omit<NumberedChange, "object"> {
  readonly bytes: number
}

export const rowOf = (row: StoredRow): ChangeRow => {
  const { sequence, version, millis, type, resource, key } = row
  return { sequence, version, millis, type, resource, key, bytes: bytesOf(row, row.object) }
}

export const bytesOf = (
  { resource, key }: Pick<StoredChange, "resource" | "key">,
  object: { readonly length: number }
): number => object.length + resource.length + key.length + rowBytes

/** The keys of the objects that a row is about. */
export const keysOf = ({ key }: Pick<StoredChange, "key">): ReadonlyArray<string> =>
  key.includes(keySeparator) ? key.split(keySeparator) : [key]

/** The texts of a row's objects, in the order of their keys. */
export const objectTextsOf = ({ object }: StoredRow): ReadonlyArray<string> =>
  typeof object === "string" ? [object] : object.toString().split(objectSeparator)

/** A change that is not stored yet, and whether a later one has replaced it. */
interface GroupableChange {
  readonly change: Pick<StoredChange, "type" | "resource" | "millis">
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

/** The row of a group: its first number and its highest version. */
export const joinChanges = (changes: ReadonlyArray<NumberedChange>): NumberedChange => {
  const [first] = changes
  if (first === undefined) throw new TypeError("a row has at least one change")
  if (changes.length === 1) return first
  return {
    ...first,
    version: changes.reduce((highest, { version }) => Math.max(highest, version), 0),
    key: changes.map(({ key }) => key).join(keySeparator),
    object: changes.map(({ object }) => object).join(objectSeparator)
  }
}
