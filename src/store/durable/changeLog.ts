import { estimateRowBytes, groupChanges, joinKeys, keysInRow, makeRowWriter } from "./changeRows.ts"
import type { ChangeDatabase, CommittedPosition, RowToStore, StoredChange } from "./changeDatabase.ts"
import type { ChangeRow } from "./changeRows.ts"

/** Keeps changes until `commit` writes all of them in one transaction; servers call `commit` before each answer. */
export interface ChangeLog<Stored> {
  readonly add: (change: NewChange<Stored>) => void
  /** Stores a named value with the next commit. */
  readonly setValue: (name: string, value: unknown) => void
  /** Throws the database's error; the next call tries again. */
  readonly commit: () => void
  /** Removes some replaced changes. Returns whether more are left. Throws the database's error. */
  readonly compactStep: () => boolean
  readonly isFailing: () => boolean
}

export interface NewChange<Stored> extends StoredChange {
  readonly object: Stored
}

/** Writes the text of an object, without empty lines: they separate the objects of a row. */
export type WriteObject<Stored> = (object: Stored, write: (text: string) => void) => void

/** A step of compaction removes few changes, so that no write waits long. */
const removedPerStep = 256
/** A commit removes replaced changes only above this multiple of `historyBytesMax`: compaction costs less. */
const surplusFactor = 2
/** Replaced changes may take this room, or `historyPerObjectByte` times the size of all objects if that is more. */
const historyBytesMinDefault = 16 * 1024 * 1024
const historyPerObjectByte = 0.4
const secondMillis = 1000
export const clockSaveIntervalMillis = 1000

interface LogRow {
  sequence: number
  /** 0 until the change is stored. */
  bytes: number
  isReplaced: boolean
  replacedByVersion: number
  replacedAtMillis: number
  /** Only for a stored row with several changes. */
  group: ChangeGroup | undefined
  readonly isDeletion: boolean
  /** The stored row with several changes in which an earlier change of the object stands. */
  earlierGroup: ChangeGroup | undefined
}

interface PendingChange<Stored> {
  readonly change: NewChange<Stored>
  readonly row: LogRow
}

interface ChangeGroup {
  /** How many of the row's changes are still needed; 0 once the row is removed. */
  needed: number
  /** Rows of deletions that stay as long as this row: without them the deleted objects would come back. */
  readonly deletions: Array<number>
}

export const makeChangeLog = <Stored>(options: {
  readonly database: ChangeDatabase
  readonly writeObject: WriteObject<Stored>
  /** The changes that the database has, in their order. */
  readonly stored: ReadonlyArray<ChangeRow>
  readonly oldestVersion: () => number
  /** How long replaced changes are kept, by the cluster's clock. */
  readonly historyMillis: number
  /** The most changes that watches can ask for. If more come within a second, most of them are not stored. */
  readonly historyChangesMax: number
  readonly historyBytesMin?: number
  readonly nowMillis: () => number
  readonly speed: () => number
  readonly version: number
}): ChangeLog<Stored> => {
  const { database, writeObject, stored, oldestVersion, nowMillis, speed, historyMillis } = options
  const { historyBytesMin = historyBytesMinDefault } = options
  const latestRows = new Map<string, Map<string, LogRow>>()
  const replacedRows = makeQueue<LogRow>()
  const burst = makeBurstMeter(options.historyChangesMax)
  const rowWriter = makeRowWriter()
  let [objectBytes, replacedBytes, historyBytes] = [0, 0, 0]
  let pending: Array<PendingChange<Stored>> = []
  let values: Record<string, unknown> = {}
  let hasValues = false
  let sequence = stored.at(-1)?.sequence ?? 0
  let storedSequence = sequence
  let version = options.version
  let failing = false
  let savedPosition: CommittedPosition | undefined = database.position()
  /** No watch may ask for changes up to this version any more. */
  let droppedVersion = savedPosition?.oldest ?? 0
  /** How many of the first `replacedRows` were replaced by versions up to `droppedVersion`. */
  let droppedCount = 0

  const setBytes = (row: LogRow, bytes: number): void => {
    const added = bytes - row.bytes
    if (row.isReplaced) {
      replacedBytes += added
      historyBytes += added
    } else {
      objectBytes += added
    }
    row.bytes = bytes
  }
  const replace = (row: LogRow, byVersion: number, byMillis: number): void => {
    objectBytes -= row.bytes
    replacedBytes += row.bytes
    historyBytes += row.bytes
    row.isReplaced = true
    row.replacedByVersion = byVersion
    row.replacedAtMillis = byMillis
    replacedRows.add(row)
  }
  const track = (
    { type, resource, version: byVersion, millis: byMillis }: StoredChange,
    key: string,
    rowSequence: number
  ): LogRow => {
    const row: LogRow = {
      sequence: rowSequence,
      bytes: 0,
      isReplaced: false,
      replacedByVersion: 0,
      replacedAtMillis: 0,
      group: undefined,
      isDeletion: type === "DELETED",
      earlierGroup: undefined
    }
    let rows = latestRows.get(resource)
    if (rows === undefined) latestRows.set(resource, (rows = new Map()))
    const former = rows.get(key)
    if (former !== undefined) {
      row.earlierGroup = former.group ?? former.earlierGroup
      replace(former, byVersion, byMillis)
    }
    if (type === "DELETED") {
      rows.delete(key)
      replace(row, byVersion, byMillis)
    } else {
      rows.set(key, row)
    }
    return row
  }
  for (const row of stored) {
    const keys = keysInRow(row)
    const group = keys.length === 1 ? undefined : { needed: keys.length, deletions: [] }
    for (const key of keys) {
      const logRow = track(row, key, row.sequence)
      logRow.group = group
      setBytes(logRow, row.bytes / keys.length)
    }
  }

  const historyBytesMax = (): number => Math.max(historyBytesMin, objectBytes * historyPerObjectByte)
  const dropOldHistory = (): void => {
    droppedVersion = Math.max(droppedVersion, oldestVersion())
    // The history of a burst is too short to keep: only an object's last change before each commit is stored.
    if (burst.isBurst()) {
      for (const { row } of pending)
        if (!row.isDeletion) droppedVersion = Math.max(droppedVersion, row.replacedByVersion)
    }
    const bytesMax = historyBytesMax()
    const oldestMillis = nowMillis() - historyMillis
    for (let row = replacedRows.at(droppedCount); row !== undefined; row = replacedRows.at(droppedCount)) {
      const { replacedByVersion, replacedAtMillis } = row
      const isKept =
        replacedByVersion > droppedVersion && replacedAtMillis >= oldestMillis && historyBytes <= bytesMax
      if (isKept) return
      droppedVersion = Math.max(droppedVersion, replacedByVersion)
      droppedCount += 1
      historyBytes -= row.bytes
    }
  }
  const isClockStale = (): boolean =>
    savedPosition === undefined ||
    savedPosition.speed !== speed() ||
    Math.abs(nowMillis() - savedPosition.nowMillis) >=
      (savedPosition.speed === 0 ? 1 : clockSaveIntervalMillis)

  const encodeRow = (group: ReadonlyArray<PendingChange<Stored>>): RowToStore => {
    const [firstChange] = group
    if (firstChange === undefined) throw new TypeError("a row has at least one change")
    rowWriter.begin()
    let highestVersion = 0
    for (const { change, row } of group) {
      if (row !== firstChange.row) rowWriter.separate()
      const beginByte = rowWriter.byteCount()
      writeObject(change.object, rowWriter.write)
      setBytes(row, estimateRowBytes(change, rowWriter.byteCount() - beginByte))
      highestVersion = Math.max(highestVersion, change.version)
    }
    const { millis, type, resource, key: firstKey } = firstChange.change
    const key = group.length === 1 ? firstKey : joinKeys(group.map(({ change }) => change.key))
    return {
      sequence: firstChange.row.sequence,
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
  const planRemoval = (removed: ReadonlyArray<LogRow>) => {
    const sequences: Array<number> = []
    const neededOf = new Map<ChangeGroup, number>()
    const deletions: Array<LogRow> = []
    for (const row of removed) {
      const { sequence: rowSequence, group, isDeletion, earlierGroup } = row
      if (rowSequence > storedSequence) continue
      if (group !== undefined) {
        const needed = (neededOf.get(group) ?? group.needed) - 1
        neededOf.set(group, needed)
        if (needed === 0) sequences.push(rowSequence, ...group.deletions)
      } else if (isDeletion && earlierGroup !== undefined) deletions.push(row)
      else sequences.push(rowSequence)
    }
    const mustStay = ({ earlierGroup: group }: LogRow): boolean =>
      group !== undefined && (neededOf.get(group) ?? group.needed) > 0
    for (const row of deletions) if (!mustStay(row)) sequences.push(row.sequence)
    return { sequences, neededOf, keptDeletions: deletions.filter(mustStay) }
  }
  const noteSharedRow = (group: ReadonlyArray<PendingChange<Stored>>): void => {
    const [firstChange] = group
    if (firstChange === undefined || group.length === 1) return
    const sharedGroup: ChangeGroup = { needed: group.length, deletions: [] }
    for (const { row } of group) {
      row.sequence = firstChange.row.sequence
      row.group = sharedGroup
    }
  }
  /**
   * A change that was replaced before it was stored is not stored, unless a watch may ask for it. A deletion is
   * stored, since the object may be stored.
   */
  const isStillNeeded = ({ row }: PendingChange<Stored>): boolean =>
    row.isDeletion || !row.isReplaced || row.replacedByVersion > droppedVersion
  const commitPending = (removedMax: number): void => {
    const position = { version, oldest: droppedVersion, nowMillis: nowMillis(), speed: speed() }
    // Neither an object nor a watch needs these changes.
    const unneededRows = replacedRows.first(Math.min(removedMax, droppedCount))
    const groups = groupChanges(pending.filter(isStillNeeded))
    const { sequences: removedSequences, neededOf, keptDeletions } = planRemoval(unneededRows)
    try {
      database.commit({ added: encodedRows(groups), removedSequences, position, values })
      failing = false
    } catch (error) {
      failing = true
      throw error
    }
    for (const group of groups) noteSharedRow(group)
    for (const [group, needed] of neededOf) group.needed = needed
    for (const row of keptDeletions) row.earlierGroup?.deletions.push(row.sequence)
    replacedRows.drop(unneededRows.length)
    droppedCount -= unneededRows.length
    for (const { bytes } of unneededRows) replacedBytes -= bytes
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
      burst.add(change.millis)
      pending.push({ change, row: track(change, change.key, sequence) })
    },
    setValue: (name, value) => {
      values = { ...values, [name]: value }
      hasValues = true
    },
    commit: () => {
      if (pending.length === 0 && !hasValues && !isClockStale()) return
      dropOldHistory()
      const hasSurplus = replacedBytes > surplusFactor * historyBytesMax()
      commitPending(hasSurplus ? Math.max(removedPerStep, 2 * pending.length) : 0)
    },
    compactStep: () => {
      dropOldHistory()
      if (droppedCount > 0) commitPending(removedPerStep)
      return database.shrinkStep() || droppedCount > 0
    },
    isFailing: () => failing
  }
}

const makeQueue = <A>() => {
  let allItems: Array<A> = []
  let start = 0
  return {
    add: (item: A): void => void allItems.push(item),
    at: (index: number): A | undefined => allItems[start + index],
    first: (count: number): ReadonlyArray<A> => allItems.slice(start, start + count),
    drop: (count: number): void => {
      start += count
      if (start < allItems.length / 2) return
      allItems = allItems.slice(start)
      start = 0
    }
  }
}

/** Tells whether more than `changesMax` changes came within a second or the second before. */
const makeBurstMeter = (changesMax: number) => {
  let begunMillis = Number.NEGATIVE_INFINITY
  let [count, countBefore] = [0, 0]
  return {
    add: (millis: number): void => {
      const passedMillis = millis - begunMillis
      if (passedMillis >= secondMillis) {
        countBefore = passedMillis < 2 * secondMillis ? count : 0
        count = 0
        begunMillis = millis
      }
      count += 1
    },
    isBurst: (): boolean => Math.max(count, countBefore) > changesMax
  }
}
