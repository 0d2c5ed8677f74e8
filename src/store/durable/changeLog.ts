import { bytesOf, groupChanges, joinKeys, keysOf, makeRowWriter } from "./changeRows.ts"
import type { ChangeDatabase, CommittedPosition, RowToStore, StoredChange } from "./changeDatabase.ts"
import type { ChangeRow } from "./changeRows.ts"

/**
 * Keeps changes until they are committed. No client sees a change before `commit` has returned: servers call it before
 * each answer, and it commits all changes since the last call at once, by one transaction of `changeDatabase.ts`.
 */
export interface ChangeLog<Stored> {
  readonly add: (change: NewChange<Stored>) => void
  /** A named value, with the next commit. */
  readonly setValue: (name: string, value: unknown) => void
  /** Throws the database's error. What could not be committed is tried again with the next call. */
  readonly commit: () => void
  /**
   * Removes some of what is no longer needed, and gives its room back. Returns whether more is left. Throws the
   * database's error.
   */
  readonly compactStep: () => boolean
  readonly isFailing: () => boolean
}

/** A change before it is stored. */
export interface NewChange<Stored> extends StoredChange {
  readonly object: Stored
}

/** Writes the text of an object, without empty lines: they separate the objects of a row. */
export type WriteObject<Stored> = (object: Stored, write: (text: string) => void) => void

/** A commit removes at most this many changes, or twice as many as it adds, so that no write waits long. */
const removedMin = 256
/** Replaced changes may take up this much room, or this part of the size of all objects if that is more. */
const historyBytesMinDefault = 16 * 1024 * 1024
const historyPerObjects = 0.4
/** A running clock is stored when it has advanced by this much, a paused one after every move. */
export const clockGranularityMillis = 1000

/** What the log keeps in memory of a change. */
interface LogRow {
  /** Of the row that it is stored in. */
  sequence: number
  /** 0 until the change is stored. */
  bytes: number
  isReplaced: boolean
  /** The version and the time of the change that replaced this one. */
  replacedVersion: number
  replacedMillis: number
  /** Of a stored row with several changes. */
  group: ChangeGroup | undefined
}

interface PendingChange<Stored> {
  readonly change: NewChange<Stored>
  readonly row: LogRow
}

interface ChangeGroup {
  /** How many of the row's changes are still needed. */
  needed: number
}

export const makeChangeLog = <Stored>(options: {
  readonly database: ChangeDatabase
  readonly writeObject: WriteObject<Stored>
  /** The changes that the database has, in their order. */
  readonly stored: ReadonlyArray<ChangeRow>
  /** Changes after this version stay for watches, as far as the bounds below let them. */
  readonly oldest: () => number
  /** For how long, by the cluster's clock, replaced changes are kept. */
  readonly historyMillis: number
  /** The room that replaced changes may take up at least, however small the objects are. */
  readonly historyBytesMin?: number
  readonly nowMillis: () => number
  readonly speed: () => number
  readonly version: number
}): ChangeLog<Stored> => {
  const { database, writeObject, stored, oldest, nowMillis, speed, historyMillis } = options
  const { historyBytesMin = historyBytesMinDefault } = options
  /** The last change of each object, by resource and key. */
  const latest = new Map<string, Map<string, LogRow>>()
  const replaced = makeQueue<LogRow>()
  const rowWriter = makeRowWriter()
  let [objectBytes, replacedBytes] = [0, 0]
  let pending: Array<PendingChange<Stored>> = []
  let values: Record<string, unknown> = {}
  let hasValues = false
  let sequence = stored.at(-1)?.sequence ?? 0
  let storedSequence = sequence
  let version = options.version
  let failing = false
  let savedPosition: CommittedPosition | undefined = database.position()
  /** The last version whose replaced changes are no longer kept. */
  let droppedVersion = savedPosition?.oldest ?? 0

  const setBytes = (row: LogRow, bytes: number): void => {
    if (row.isReplaced) replacedBytes += bytes - row.bytes
    else objectBytes += bytes - row.bytes
    row.bytes = bytes
  }
  const replace = (row: LogRow, byVersion: number, byMillis: number): void => {
    objectBytes -= row.bytes
    replacedBytes += row.bytes
    row.isReplaced = true
    row.replacedVersion = byVersion
    row.replacedMillis = byMillis
    replaced.add(row)
  }
  const track = (
    { type, resource, version: byVersion, millis: byMillis }: StoredChange,
    key: string,
    number: number
  ): LogRow => {
    const row: LogRow = {
      sequence: number,
      bytes: 0,
      isReplaced: false,
      replacedVersion: 0,
      replacedMillis: 0,
      group: undefined
    }
    let rows = latest.get(resource)
    if (rows === undefined) latest.set(resource, (rows = new Map()))
    const former = rows.get(key)
    if (former !== undefined) replace(former, byVersion, byMillis)
    if (type === "DELETED") {
      rows.delete(key)
      replace(row, byVersion, byMillis)
    } else {
      rows.set(key, row)
    }
    return row
  }
  for (const row of stored) {
    const keys = keysOf(row)
    const group = keys.length === 1 ? undefined : { needed: keys.length }
    for (const key of keys) {
      const logRow = track(row, key, row.sequence)
      logRow.group = group
      setBytes(logRow, row.bytes / keys.length)
    }
  }

  /** Raises `droppedVersion` by age, by the history that is in memory, and by size. */
  const dropOldHistory = (): void => {
    droppedVersion = Math.max(droppedVersion, oldest())
    const bytesMax = Math.max(historyBytesMin, objectBytes * historyPerObjects)
    const oldestMillis = nowMillis() - historyMillis
    let bytes = replacedBytes
    for (const row of replaced.items()) {
      const { replacedVersion, replacedMillis } = row
      const isKept = replacedVersion > droppedVersion && replacedMillis >= oldestMillis && bytes <= bytesMax
      if (isKept) return
      droppedVersion = Math.max(droppedVersion, replacedVersion)
      bytes -= row.bytes
    }
  }
  /** Rows that neither an object nor a watch needs. */
  const removableRows = (countMax: number): ReadonlyArray<LogRow> => {
    const rows: Array<LogRow> = []
    for (const row of replaced.items()) {
      if (rows.length >= countMax || row.replacedVersion > droppedVersion) break
      rows.push(row)
    }
    return rows
  }
  const isClockStale = (): boolean =>
    savedPosition === undefined ||
    savedPosition.speed !== speed() ||
    Math.abs(nowMillis() - savedPosition.nowMillis) >=
      (savedPosition.speed === 0 ? 1 : clockGranularityMillis)

  /** The row of a group: its first number and its highest version. */
  const encodeRow = (group: ReadonlyArray<PendingChange<Stored>>): RowToStore => {
    const [first] = group
    if (first === undefined) throw new TypeError("a row has at least one change")
    rowWriter.begin()
    let highestVersion = 0
    for (const { change, row } of group) {
      if (row !== first.row) rowWriter.separate()
      const beginByte = rowWriter.byteCount()
      writeObject(change.object, rowWriter.write)
      setBytes(row, bytesOf(change, rowWriter.byteCount() - beginByte))
      highestVersion = Math.max(highestVersion, change.version)
    }
    const { millis, type, resource, key: firstKey } = first.change
    const key = group.length === 1 ? firstKey : joinKeys(group.map(({ change }) => change.key))
    const { sequence: number } = first.row
    return {
      sequence: number,
      version: highestVersion,
      millis,
      type,
      resource,
      key,
      object: rowWriter.bytes()
    }
  }
  function* encodedRows(
    groups: ReadonlyArray<ReadonlyArray<PendingChange<Stored>>>
  ): IterableIterator<RowToStore> {
    for (const group of groups) yield encodeRow(group)
  }
  /** The rows of the database that nothing needs without these changes, and what else is needed of groups. */
  const withoutChanges = (removed: ReadonlyArray<LogRow>) => {
    const sequences: Array<number> = []
    const neededOf = new Map<ChangeGroup, number>()
    for (const { sequence: number, group } of removed) {
      if (number > storedSequence) continue
      const needed = group === undefined ? 0 : (neededOf.get(group) ?? group.needed) - 1
      if (group !== undefined) neededOf.set(group, needed)
      if (needed === 0) sequences.push(number)
    }
    return { sequences, neededOf }
  }
  const noteStored = (group: ReadonlyArray<PendingChange<Stored>>): void => {
    const [first] = group
    if (first === undefined || group.length === 1) return
    const stored = { needed: group.length }
    for (const { row } of group) {
      row.sequence = first.row.sequence
      row.group = stored
    }
  }
  const commitPending = (): void => {
    dropOldHistory()
    const position = { version, oldest: droppedVersion, nowMillis: nowMillis(), speed: speed() }
    const rows = removableRows(Math.max(removedMin, 2 * pending.length))
    // A change that was replaced before it was stored is not stored at all.
    const unneeded = new Set(rows)
    const groups = groupChanges(pending.filter(({ row }) => !unneeded.has(row)))
    const { sequences: removed, neededOf } = withoutChanges(rows)
    try {
      database.commit({ added: encodedRows(groups), removed, position, values })
      failing = false
    } catch (error) {
      failing = true
      throw error
    }
    for (const group of groups) noteStored(group)
    for (const [group, needed] of neededOf) group.needed = needed
    replaced.drop(rows.length)
    for (const { bytes } of rows) replacedBytes -= bytes
    storedSequence = sequence
    pending = []
    values = {}
    hasValues = false
    savedPosition = position
  }

  return {
    add: (change) => {
      sequence += 1
      version = Math.max(version, change.version)
      pending.push({ change, row: track(change, change.key, sequence) })
    },
    setValue: (name, value) => {
      values = { ...values, [name]: value }
      hasValues = true
    },
    commit: () => {
      if (pending.length > 0 || hasValues || isClockStale()) commitPending()
    },
    compactStep: () => {
      dropOldHistory()
      if (removableRows(1).length > 0) commitPending()
      return database.shrinkStep() || removableRows(1).length > 0
    },
    isFailing: () => failing
  }
}

/** First in, first out. */
const makeQueue = <A>() => {
  let allItems: Array<A> = []
  let start = 0
  return {
    add: (item: A): void => void allItems.push(item),
    *items(): IterableIterator<A> {
      for (let index = start; index < allItems.length; index += 1) yield allItems[index] as A
    },
    drop: (count: number): void => {
      start += count
      if (start < allItems.length / 2) return
      allItems = allItems.slice(start)
      start = 0
    }
  }
}
