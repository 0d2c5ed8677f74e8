import type { StoredChange } from "./changeDatabase.ts"

/** A change that is stored, or waits for the next commit. */
export interface LoggedChange {
  /** The number of its row. */
  sequence: number
  /** 0 until the change is stored. */
  bytes: number
  /** Whether a later change of the object is in the log. Deletions count as replaced by themselves. */
  isReplaced: boolean
  replacedByVersion: number
  replacedAtMillis: number
  /** The stored row of this change, if the row has several changes. */
  sharedRow: SharedRow | undefined
  readonly isDeletion: boolean
  /** The shared row in which an earlier change of the object stands. */
  earlierSharedRow: SharedRow | undefined
}

/** A stored row with several changes. */
export interface SharedRow {
  /** How many of the row's changes are still needed; 0 once the row is removed. */
  neededCount: number
  /** Rows of deletions that stay as long as this row: without them the deleted objects would come back. */
  readonly deletions: Array<number>
}

export interface HistoryLimits {
  readonly oldestVersion: () => number
  /** How long replaced changes are kept, by the cluster's clock. */
  readonly historyMillis: number
  /** The most changes that watches can ask for. If more come within a second, most of them are not stored. */
  readonly historyChangesMax: number
  readonly historyBytesMin?: number
  readonly nowMillis: () => number
}

/** Tells the changes that an object or a watch still needs from those that may be removed. */
export interface ChangeRetention {
  readonly limits: HistoryLimits
  /** The last change of each object, by resource and key. */
  readonly lastChanges: Map<string, Map<string, LoggedChange>>
  /** In the order in which later changes replaced them. */
  readonly replacedChanges: Queue<LoggedChange>
  readonly burstMeter: BurstMeter
  objectBytes: number
  replacedBytes: number
  /** The size of the replaced changes that watches can ask for. */
  historyBytes: number
  /** No watch may ask for changes up to this version any more. */
  droppedVersion: number
  /** How many of the first `replacedChanges` were replaced by versions up to `droppedVersion`. */
  droppedCount: number
}

/** A commit removes replaced changes only above this multiple of `historyBytesMax`: compaction costs less. */
const surplusFactor = 2
/** Replaced changes may take this room, or `historyPerObjectByte` times the size of all objects if that is more. */
const historyBytesMinDefault = 16 * 1024 * 1024
const historyPerObjectByte = 0.4
const secondMillis = 1000

export const makeChangeRetention = (limits: HistoryLimits, droppedVersion: number): ChangeRetention => ({
  limits,
  lastChanges: new Map(),
  replacedChanges: makeQueue(),
  burstMeter: makeBurstMeter(limits.historyChangesMax),
  objectBytes: 0,
  replacedBytes: 0,
  historyBytes: 0,
  droppedVersion,
  droppedCount: 0
})

export const retainChange = (
  retention: ChangeRetention,
  change: StoredChange,
  key: string,
  sequence: number
): LoggedChange => {
  const { type, resource } = change
  const loggedChange: LoggedChange = {
    sequence,
    bytes: 0,
    isReplaced: false,
    replacedByVersion: 0,
    replacedAtMillis: 0,
    sharedRow: undefined,
    isDeletion: type === "DELETED",
    earlierSharedRow: undefined
  }
  let changesByKey = retention.lastChanges.get(resource)
  if (changesByKey === undefined) retention.lastChanges.set(resource, (changesByKey = new Map()))
  const former = changesByKey.get(key)
  if (former !== undefined) {
    loggedChange.earlierSharedRow = former.sharedRow ?? former.earlierSharedRow
    replaceChange(retention, former, change)
  }
  if (type === "DELETED") {
    changesByKey.delete(key)
    replaceChange(retention, loggedChange, change)
  } else {
    changesByKey.set(key, loggedChange)
  }
  return loggedChange
}

const replaceChange = (
  retention: ChangeRetention,
  former: LoggedChange,
  { version, millis }: StoredChange
): void => {
  retention.objectBytes -= former.bytes
  retention.replacedBytes += former.bytes
  retention.historyBytes += former.bytes
  former.isReplaced = true
  former.replacedByVersion = version
  former.replacedAtMillis = millis
  retention.replacedChanges.add(former)
}

export const setStoredBytes = (retention: ChangeRetention, change: LoggedChange, bytes: number): void => {
  const added = bytes - change.bytes
  if (change.isReplaced) {
    retention.replacedBytes += added
    retention.historyBytes += added
  } else {
    retention.objectBytes += added
  }
  change.bytes = bytes
}

const historyBytesMax = ({ limits, objectBytes }: ChangeRetention): number =>
  Math.max(limits.historyBytesMin ?? historyBytesMinDefault, objectBytes * historyPerObjectByte)

export const hasSurplusChanges = (retention: ChangeRetention): boolean =>
  retention.replacedBytes > surplusFactor * historyBytesMax(retention)

/** Drops the changes that are too old or too many for watches. */
export const dropOldHistory = (
  retention: ChangeRetention,
  pendingChanges: ReadonlyArray<{ readonly logged: LoggedChange }>
): void => {
  const { limits, replacedChanges } = retention
  let droppedVersion = Math.max(retention.droppedVersion, limits.oldestVersion())
  // The history of a burst is too short to keep: only an object's last change before each commit is stored.
  if (retention.burstMeter.isBurst()) {
    for (const { logged } of pendingChanges)
      if (!logged.isDeletion) droppedVersion = Math.max(droppedVersion, logged.replacedByVersion)
  }
  const bytesMax = historyBytesMax(retention)
  const oldestMillis = limits.nowMillis() - limits.historyMillis
  let change = replacedChanges.at(retention.droppedCount)
  while (change !== undefined) {
    const { replacedByVersion, replacedAtMillis } = change
    const isKept =
      replacedByVersion > droppedVersion &&
      replacedAtMillis >= oldestMillis &&
      retention.historyBytes <= bytesMax
    if (isKept) break
    droppedVersion = Math.max(droppedVersion, replacedByVersion)
    retention.droppedCount += 1
    retention.historyBytes -= change.bytes
    change = replacedChanges.at(retention.droppedCount)
  }
  retention.droppedVersion = droppedVersion
}

/**
 * A change that was replaced before it was stored is not stored, unless a watch may ask for it. A deletion is
 * stored, since the object may be stored.
 */
export const mustBeStored = (retention: ChangeRetention, logged: LoggedChange): boolean =>
  logged.isDeletion || !logged.isReplaced || logged.replacedByVersion > retention.droppedVersion

/** The first changes that neither an object nor a watch needs. */
export const firstUnneededChanges = (
  retention: ChangeRetention,
  countMax: number
): ReadonlyArray<LoggedChange> => retention.replacedChanges.first(Math.min(countMax, retention.droppedCount))

/** Takes what `firstUnneededChanges` returned out of the counts. */
export const forgetUnneededChanges = (
  retention: ChangeRetention,
  unneeded: ReadonlyArray<LoggedChange>
): void => {
  retention.replacedChanges.drop(unneeded.length)
  retention.droppedCount -= unneeded.length
  for (const { bytes } of unneeded) retention.replacedBytes -= bytes
}

type Queue<A> = ReturnType<typeof makeQueue<A>>

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

type BurstMeter = ReturnType<typeof makeBurstMeter>

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
