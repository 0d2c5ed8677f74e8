import type { ChangeDatabase, NumberedChange, Position, StoredChange } from "./changeDatabase.ts"

/**
 * Keeps changes until they are committed. No client sees a change before `commit` has returned: servers call it before
 * each answer, and it commits all changes since the last call at once.
 */
export interface ChangeLog {
  readonly add: (change: StoredChange) => void
  /** A named value, with the next commit. */
  readonly setValue: (name: string, value: unknown) => void
  /** Throws the database's error. What could not be committed is tried again with the next call. */
  readonly commit: () => void
  /** Whether the last commit failed. */
  readonly isFailing: () => boolean
  /** Whether something waits for a commit. */
  readonly hasPending: () => boolean
}

/** Rows that a commit removes at most, so that no write waits long for them. */
const removedMax = 256
/** A clock that runs is stored when it has moved so far, a paused one after every move; both with every change. */
export const clockGranularityMillis = 1000

export const makeChangeLog = (options: {
  readonly database: ChangeDatabase
  /** Changes after this version stay, for watches. */
  readonly oldest: () => number
  readonly nowMillis: () => number
  readonly speed: () => number
  readonly version: number
}): ChangeLog => {
  const { database, oldest, nowMillis, speed } = options
  const latest = new Map<string, NumberedChange["sequence"]>()
  /** Rows that a later version has replaced, with that version. */
  let replaced: Array<{ readonly sequence: number; readonly byVersion: number }> = []
  let replacedStart = 0
  let pending: Array<NumberedChange> = []
  let values: Record<string, unknown> = {}
  let hasValues = false
  let sequence = 0
  let version = options.version
  let failing = false
  let saved: Position | undefined = database.position()

  const track = ({ type, resource, key, sequence: number, version: byVersion }: NumberedChange): void => {
    const id = `${resource} ${key}`
    const former = latest.get(id)
    if (former !== undefined) replaced.push({ sequence: former, byVersion })
    if (type === "DELETED") {
      latest.delete(id)
      replaced.push({ sequence: number, byVersion })
    } else latest.set(id, number)
  }
  for (const change of database.changes()) {
    sequence = change.sequence
    track({ ...change, object: "" })
  }

  /** Rows that neither an object nor a watch needs. */
  const removable = (oldestVersion: number): ReadonlyArray<number> => {
    const removed: Array<number> = []
    for (let index = replacedStart; index < replaced.length && removed.length < removedMax; index += 1) {
      const it = replaced[index]
      if (it === undefined || it.byVersion > oldestVersion) break
      removed.push(it.sequence)
    }
    return removed
  }
  const forget = (count: number): void => {
    replacedStart += count
    if (replacedStart < replaced.length / 2) return
    replaced = replaced.slice(replacedStart)
    replacedStart = 0
  }
  const isClockStale = (): boolean =>
    saved === undefined ||
    saved.speed !== speed() ||
    Math.abs(nowMillis() - saved.nowMillis) >= (saved.speed === 0 ? 1 : clockGranularityMillis)

  return {
    add: (change) => {
      sequence += 1
      version = Math.max(version, change.version)
      const numbered = { ...change, sequence }
      pending.push(numbered)
      track(numbered)
    },
    setValue: (name, value) => {
      values = { ...values, [name]: value }
      hasValues = true
    },
    commit: () => {
      if (pending.length === 0 && !hasValues && !isClockStale()) return
      const position = { version, oldest: oldest(), nowMillis: nowMillis(), speed: speed() }
      // A row that is still pending is not removed before it is stored.
      const removed = pending.length > removedMax ? [] : removable(position.oldest)
      try {
        database.commit({ added: pending, removed, position, values })
        failing = false
      } catch (error) {
        failing = true
        throw error
      }
      forget(removed.length)
      pending = []
      values = {}
      hasValues = false
      saved = position
    },
    isFailing: () => failing,
    hasPending: () => pending.length > 0 || hasValues
  }
}
