import type { Change } from "./objectStore.ts"

/**
 * The latest changes, for watchers that come back. A bounded window: whoever asks for more is told that it expired
 * and lists again.
 */
export interface History {
  readonly add: (change: Change) => void
  /** All changes after a version, in order; undefined when the window no longer reaches back that far. */
  readonly since: (resourceVersion: number) => ReadonlyArray<Change> | undefined
  /** Changes after this version are still there. */
  readonly oldest: () => number
  /** Knows of nothing before a version; for a history that is empty still. */
  readonly beginAt: (resourceVersion: number) => void
  readonly save: () => HistoryState
  /** For a history that is empty still. */
  readonly restore: (state: HistoryState) => void
}

export interface HistoryState {
  readonly changes: ReadonlyArray<Change>
  readonly oldest: number
}

export const makeHistory = (lengthMax: number): History => {
  let changes: Array<Change> = []
  let start = 0
  let oldest = 0
  return {
    add: (change) => {
      changes.push(change)
      if (changes.length - start <= lengthMax) return
      oldest = changes[start]?.resourceVersion ?? oldest
      start += 1
      // Cutting the array once per window keeps adding cheap; until then up to twice the window is held.
      if (start > lengthMax) {
        changes = changes.slice(start)
        start = 0
      }
    },
    since: (resourceVersion) => {
      if (resourceVersion < oldest) return undefined
      // Versions ascend, so the first wanted one is found by halving.
      let [low, high] = [start, changes.length]
      while (low < high) {
        const middle = (low + high) >>> 1
        if ((changes[middle]?.resourceVersion ?? 0) <= resourceVersion) low = middle + 1
        else high = middle
      }
      return changes.slice(low)
    },
    oldest: () => oldest,
    beginAt: (resourceVersion) => {
      oldest = resourceVersion
    },
    save: () => ({ changes: changes.slice(start), oldest }),
    restore: (state) => {
      changes = [...state.changes]
      oldest = state.oldest
    }
  }
}
