import { makeLatest } from "./latest.ts"
import type { Latest } from "./latest.ts"
import type { Change } from "./objectStore.ts"

/** The latest changes, for watches that resume. A watch from before that expires and lists again. */
export interface History {
  readonly add: (change: Change) => void
  /** Changes after a version, oldest first; undefined if some of them have been dropped. */
  readonly since: (resourceVersion: number) => ReadonlyArray<Change> | undefined
  /** The history holds all changes after this version. */
  readonly oldest: () => number
  /** Starts an empty history at a version. */
  readonly beginAt: (resourceVersion: number) => void
  readonly save: () => HistoryState
  /** For an empty history. */
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
