import { makeLatest } from "./latest.ts"
import type { Latest } from "./latest.ts"
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
  const begin = (begun: ReadonlyArray<Change>): Latest<Change> =>
    makeLatest({ lengthMax, numberOf: ({ resourceVersion }) => resourceVersion, begun })
  let changes = begin([])
  let oldest = 0
  return {
    add: (change) => {
      oldest = changes.add(change)?.resourceVersion ?? oldest
    },
    since: (resourceVersion) => (resourceVersion < oldest ? undefined : changes.after(resourceVersion)),
    oldest: () => oldest,
    beginAt: (resourceVersion) => {
      oldest = resourceVersion
    },
    save: () => ({ changes: changes.all(), oldest }),
    restore: (state) => {
      changes = begin(state.changes)
      oldest = state.oldest
    }
  }
}
