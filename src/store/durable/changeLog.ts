import { estimateRowBytes, groupChanges, joinKeys, keysInRow, makeRowWriter } from "./changeRows.ts"
import {
  dropOldHistory,
  firstUnneededChanges,
  forgetUnneededChanges,
  hasSurplusChanges,
  makeChangeRetention,
  mustBeStored,
  retainChange,
  setStoredBytes
} from "./changeRetention.ts"
import { noteRemoval, noteSharedRow, planRowRemoval } from "./rowRemoval.ts"
import type { ChangeDatabase, CommittedPosition, RowToStore, StoredChange } from "./changeDatabase.ts"
import type { ChangeRetention, HistoryLimits, LoggedChange } from "./changeRetention.ts"
import type { ChangeRow, RowWriter } from "./changeRows.ts"

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
export const clockSaveIntervalMillis = 1000

interface PendingChange<Stored> {
  readonly change: NewChange<Stored>
  readonly logged: LoggedChange
}

export const makeChangeLog = <Stored>(
  options: HistoryLimits & {
    readonly database: ChangeDatabase
    readonly writeObject: WriteObject<Stored>
    /** The changes that the database has, in their order. */
    readonly stored: ReadonlyArray<ChangeRow>
    readonly speed: () => number
    readonly version: number
  }
): ChangeLog<Stored> => {
  const { database, writeObject, stored, nowMillis, speed } = options
  let pending: Array<PendingChange<Stored>> = []
  let values: Record<string, unknown> = {}
  let hasValues = false
  let sequence = stored.at(-1)?.sequence ?? 0
  let storedSequence = sequence
  let version = options.version
  let failing = false
  let savedPosition: CommittedPosition | undefined = database.position()
  const retention = makeChangeRetention(options, savedPosition?.oldest ?? 0)
  for (const row of stored) retainStoredRow(retention, row)
  const encoder: RowEncoder<Stored> = { retention, writeObject, rowWriter: makeRowWriter() }

  const isClockStale = (): boolean =>
    savedPosition === undefined ||
    savedPosition.speed !== speed() ||
    Math.abs(nowMillis() - savedPosition.nowMillis) >=
      (savedPosition.speed === 0 ? 1 : clockSaveIntervalMillis)

  const commitPending = (removedMax: number): void => {
    const position = { version, oldest: retention.droppedVersion, nowMillis: nowMillis(), speed: speed() }
    const unneeded = firstUnneededChanges(retention, removedMax)
    const groups = groupChanges(pending.filter(({ logged }) => mustBeStored(retention, logged)))
    const removal = planRowRemoval(unneeded, storedSequence)
    try {
      database.commit({
        added: encodedRows(encoder, groups),
        removedSequences: removal.sequences,
        position,
        values
      })
      failing = false
    } catch (error) {
      failing = true
      throw error
    }
    for (const group of groups) noteSharedRow(group)
    noteRemoval(removal)
    forgetUnneededChanges(retention, unneeded)
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
      retention.burstMeter.add(change.millis)
      pending.push({ change, logged: retainChange(retention, change, change.key, sequence) })
    },
    setValue: (name, value) => {
      values = { ...values, [name]: value }
      hasValues = true
    },
    commit: () => {
      if (pending.length === 0 && !hasValues && !isClockStale()) return
      dropOldHistory(retention, pending)
      commitPending(hasSurplusChanges(retention) ? Math.max(removedPerStep, 2 * pending.length) : 0)
    },
    compactStep: () => {
      dropOldHistory(retention, pending)
      if (retention.droppedCount > 0) commitPending(removedPerStep)
      return database.shrinkStep() || retention.droppedCount > 0
    },
    isFailing: () => failing
  }
}

const retainStoredRow = (retention: ChangeRetention, row: ChangeRow): void => {
  const keys = keysInRow(row)
  const sharedRow = keys.length === 1 ? undefined : { neededCount: keys.length, deletions: [] }
  for (const key of keys) {
    const logged = retainChange(retention, row, key, row.sequence)
    logged.sharedRow = sharedRow
    setStoredBytes(retention, logged, row.bytes / keys.length)
  }
}

interface RowEncoder<Stored> {
  readonly retention: ChangeRetention
  readonly rowWriter: RowWriter
  readonly writeObject: WriteObject<Stored>
}

function* encodedRows<Stored>(
  encoder: RowEncoder<Stored>,
  groups: ReadonlyArray<ReadonlyArray<PendingChange<Stored>>>
): IterableIterator<RowToStore> {
  for (const group of groups) yield encodeRow(encoder, group)
}

const encodeRow = <Stored>(
  { retention, rowWriter, writeObject }: RowEncoder<Stored>,
  group: ReadonlyArray<PendingChange<Stored>>
): RowToStore => {
  const [first] = group
  if (first === undefined) throw new TypeError("a row has at least one change")
  rowWriter.begin()
  let highestVersion = 0
  for (const { change, logged } of group) {
    if (logged !== first.logged) rowWriter.separate()
    const beginByte = rowWriter.byteCount()
    writeObject(change.object, rowWriter.write)
    setStoredBytes(retention, logged, estimateRowBytes(change, rowWriter.byteCount() - beginByte))
    highestVersion = Math.max(highestVersion, change.version)
  }
  const { millis, type, resource, key: firstKey } = first.change
  const key = group.length === 1 ? firstKey : joinKeys(group.map(({ change }) => change.key))
  return {
    sequence: first.logged.sequence,
    version: highestVersion,
    millis,
    type,
    resource,
    key,
    object: rowWriter.bytes()
  }
}
