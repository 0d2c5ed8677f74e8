import { makeBoundedWindow } from "./boundedWindow.ts"
import type { BoundedWindow } from "./boundedWindow.ts"
import type { Change } from "../objectStore.ts"

/** The latest changes, for watches that resume. */
export interface ChangeHistory {
  readonly add: (change: Change) => void
  /** Changes after a version, oldest first; undefined if some of them have been dropped. */
  readonly since: (resourceVersion: number) => ReadonlyArray<Change> | undefined
  readonly oldestVersion: () => number
  /** For an empty history: changes up to this version count as dropped. */
  readonly beginAt: (resourceVersion: number) => void
  readonly save: () => ChangeHistoryState
  readonly restore: (state: ChangeHistoryState) => void
}

export interface ChangeHistoryState {
  readonly changes: ReadonlyArray<Change>
  /** The version of the last dropped change. */
  readonly oldest: number
}

export const makeChangeHistory = (lengthMax: number): ChangeHistory => {
  const windowOf = (initial: ReadonlyArray<Change>): BoundedWindow<Change> =>
    makeBoundedWindow({
      lengthMax,
      numberOf: ({ resourceVersion }) => resourceVersion,
      initialItems: initial
    })
  let changes = windowOf([])
  let oldest = 0
  return {
    add: (change) => {
      oldest = changes.add(change)?.resourceVersion ?? oldest
    },
    since: (resourceVersion) => (resourceVersion < oldest ? undefined : changes.after(resourceVersion)),
    oldestVersion: () => oldest,
    beginAt: (resourceVersion) => {
      oldest = resourceVersion
    },
    save: () => ({ changes: changes.all(), oldest }),
    restore: (state) => {
      changes = windowOf(state.changes)
      oldest = state.oldest
    }
  }
}
