import type { TimerPlace } from "./time/timerHeap.ts"

/** What an owner, such as a controller, adds to snapshots: parts by name. */
export interface SnapshotParts {
  readonly owner: string
  /** Whether the owner continues from a snapshot. */
  readonly isRestored: boolean
  /** Restores the part at once. `save` may return undefined to omit it. */
  readonly registerPart: <State>(name: string, part: Part<State>) => void
  /** Counts the timer, since a snapshot must contain all timers. */
  readonly saveTimerPlace: (timer: TimerPlace) => TimerPlace
  readonly discard: () => void
}

/** Several clusters may be restored from the saved value, so it is never changed. */
interface Part<State> {
  readonly save: () => State | undefined
  readonly restore: (state: State) => void
}

export const snapshotPartOfMap = <K, V>(map: Map<K, V>) => ({
  save: (): ReadonlyArray<readonly [K, V]> => [...map],
  restore: (entries: ReadonlyArray<readonly [K, V]>): void => {
    for (const [key, value] of entries) map.set(key, value)
  }
})

export const snapshotPartOfSet = <A>(set: Set<A>) => ({
  save: (): ReadonlyArray<A> => [...set],
  restore: (values: ReadonlyArray<A>): void => values.forEach((value) => set.add(value))
})

export type SavedParts = ReadonlyMap<string, ReadonlyMap<string, unknown>>

export interface ClusterSnapshotParts {
  /** Saved parts are restored once: an owner that is started again begins anew. */
  readonly forOwner: (owner: string) => SnapshotParts
  readonly save: () => { readonly savedParts: SavedParts; readonly timerCount: number }
}

export const makeClusterSnapshotParts = (restored: SavedParts = new Map()): ClusterSnapshotParts => {
  const unrestoredOwners = new Map(restored)
  const owners = new Map<string, Map<string, () => unknown>>()
  let timerCount = 0
  const saveTimerPlace = ({ atMillis, turnOrder, sequence }: TimerPlace): TimerPlace => {
    timerCount += 1
    return { atMillis, turnOrder, sequence }
  }
  return {
    forOwner: (owner) => {
      const savedParts = unrestoredOwners.get(owner)
      unrestoredOwners.delete(owner)
      const saveByName = new Map<string, () => unknown>()
      owners.set(owner, saveByName)
      return {
        owner,
        isRestored: savedParts !== undefined,
        saveTimerPlace,
        discard: () => {
          if (owners.get(owner) === saveByName) owners.delete(owner)
        },
        registerPart: (name, part) => {
          saveByName.set(name, part.save)
          const restore = part.restore as (state: unknown) => void
          if (savedParts?.has(name) === true) restore(savedParts.get(name))
        }
      }
    },
    save: () => {
      timerCount = 0
      const sortedOwners = [...owners].sort(([a], [b]) => (a < b ? -1 : 1))
      const savedParts = new Map(
        sortedOwners.map(([owner, saveByName]) => [owner, saveAll(saveByName)] as const)
      )
      return { savedParts, timerCount }
    }
  }
}

const saveAll = (saveByName: ReadonlyMap<string, () => unknown>): ReadonlyMap<string, unknown> => {
  const parts = new Map<string, unknown>()
  for (const [name, save] of saveByName) {
    const part = save()
    if (part !== undefined) parts.set(name, part)
  }
  return parts
}

/** For controllers outside a cluster, of which no snapshot is taken. */
export const noSnapshotParts: SnapshotParts = {
  owner: "",
  isRestored: false,
  registerPart: () => {},
  saveTimerPlace: ({ atMillis, turnOrder, sequence }) => ({ atMillis, turnOrder, sequence }),
  discard: () => {}
}
