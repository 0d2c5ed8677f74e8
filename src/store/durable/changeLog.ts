import { bytesOf, groupChanges, joinChanges, keysOf } from "./changeRows.ts"
import type { ChangeDatabase, NumberedChange, CommittedPosition, StoredChange } from "./changeDatabase.ts"
import type { ChangeRow } from "./changeRows.ts"

/**
 * Keeps changes until they are committed. No client sees a change before `commit` has returned: servers call it before
 * each answer, and it commits all changes since the last call at once, by one transaction of `changeDatabase.ts`.
 */
export interface ChangeLog {
  readonly add: (change: NewChange) => void
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

/** A change before it is stored. Its text is made while it is stored, and so needs no memory before. */
export interface NewChange extends Omit<StoredChange, "object"> {
  /** Without empty lines, which separate the objects of a row. */
  readonly encodeObject: () => string
}

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
  /** Of a stored row with several changes. */
  group: ChangeGroup | undefined
}

interface ChangeGroup {
  /** How many of the row's changes are still needed. */
  needed: number
}

/** The row of a change that a later change of the same object has replaced, with that change's version and time. */
interface ReplacedRow {
  readonly row: LogRow
  readonly byVersion: number
  readonly byMillis: number
}

interface PendingChange {
  readonly change: NewChange
  readonly row: LogRow
}

export const makeChangeLog = (options: {
  readonly database: ChangeDatabase
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
}): ChangeLog => {
  const { database, stored, oldest, nowMillis, speed, historyMillis } = options
  const { historyBytesMin = historyBytesMinDefault } = options
  /** The last change of each object, by resource and key. */
  const latest = new Map<string, Map<string, LogRow>>()
  const replaced = makeQueue<ReplacedRow>()
  let [objectBytes, replacedBytes] = [0, 0]
  let pending: Array<PendingChange> = []
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
    replaced.add({ row, byVersion, byMillis })
  }
  const track = (
    { type, resource, key, version: byVersion, millis: byMillis }: Omit<StoredChange, "object">,
    number: number
  ): LogRow => {
    const row: LogRow = { sequence: number, bytes: 0, isReplaced: false, group: undefined }
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
      const logRow = track({ ...row, key }, row.sequence)
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
    for (const { row, byVersion, byMillis } of replaced.items()) {
      const isKept = byVersion > droppedVersion && byMillis >= oldestMillis && bytes <= bytesMax
      if (isKept) return
      droppedVersion = Math.max(droppedVersion, byVersion)
      bytes -= row.bytes
    }
  }
  /** Rows that neither an object nor a watch needs. */
  const removableRows = (countMax: number): ReadonlyArray<LogRow> => {
    const rows: Array<LogRow> = []
    for (const { row, byVersion } of replaced.items()) {
      if (rows.length >= countMax || byVersion > droppedVersion) break
      rows.push(row)
    }
    return rows
  }
  const isClockStale = (): boolean =>
    savedPosition === undefined ||
    savedPosition.speed !== speed() ||
    Math.abs(nowMillis() - savedPosition.nowMillis) >=
      (savedPosition.speed === 0 ? 1 : clockGranularityMillis)

  const numbered = ({ change, row }: PendingChange): NumberedChange => {
    const { type, resource, key, version: changeVersion, millis } = change
    const object = change.encodeObject()
    setBytes(row, bytesOf(change, object))
    return { sequence: row.sequence, version: changeVersion, millis, type, resource, key, object }
  }
  function* encodedRows(
    groups: ReadonlyArray<ReadonlyArray<PendingChange>>
  ): IterableIterator<NumberedChange> {
    for (const group of groups) yield joinChanges(group.map(numbered))
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
  const noteStored = (group: ReadonlyArray<PendingChange>): void => {
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
      pending.push({ change, row: track(change, sequence) })
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
