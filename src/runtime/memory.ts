import type { TimerPlace } from "./timerHeap.ts"

/**
 * What is known between two instants and is not written in the store: failures that are counted, timers that run, who
 * waits for whom. Each owner says how a part of it is taken down, and takes up what a snapshot brought.
 */
export interface Memory {
  /** Whose it is. */
  readonly owner: string
  /** Nothing was brought for this owner: it begins by looking at everything. */
  readonly isNew: boolean
  /**
   * Names a part. `restore` is called at once, with what `save` once gave, where there is such a thing: a part that
   * gives undefined is left out.
   */
  readonly carry: <State>(name: string, part: Part<State>) => void
  /** Where a timer stands, so that another kernel can put it in the same place. */
  readonly placeOf: (timer: TimerPlace) => TimerPlace
  /** The owner is no more, and knows nothing; the next of its name may be there already. */
  readonly end: () => void
}

/** What `save` gives nobody changes afterwards, and `restore` leaves it as it is: many worlds may come from it. */
interface Part<State> {
  readonly save: () => State | undefined
  readonly restore: (state: State) => void
}

/** What was taken down, by owner and part. */
export type Memories = ReadonlyMap<string, ReadonlyMap<string, unknown>>

/** The memory of a whole world. */
export interface WorldMemory {
  /** The memory of one owner, as it begins: what was brought is handed out once, and then begins anew. */
  readonly of: (owner: string) => Memory
  /** Takes everything down, and counts the timers that somebody has named. */
  readonly save: () => { readonly memories: Memories; readonly timers: number }
}

export const makeMemory = (brought: Memories = new Map()): WorldMemory => {
  const left = new Map(brought)
  const owners = new Map<string, Map<string, () => unknown>>()
  let timers = 0
  const placeOf = ({ atMillis, rank, sequence }: TimerPlace): TimerPlace => {
    timers += 1
    return { atMillis, rank, sequence }
  }
  return {
    of: (owner) => {
      const known = left.get(owner)
      left.delete(owner)
      const savers = new Map<string, () => unknown>()
      owners.set(owner, savers)
      return {
        owner,
        isNew: known === undefined,
        placeOf,
        end: () => {
          if (owners.get(owner) === savers) owners.delete(owner)
        },
        carry: (name, part) => {
          savers.set(name, part.save)
          // What a part of this name gave is what a part of this name takes.
          const restore = part.restore as (state: unknown) => void
          if (known?.has(name) === true) restore(known.get(name))
        }
      }
    },
    save: () => {
      timers = 0
      const inOrder = [...owners].sort(([a], [b]) => (a < b ? -1 : 1))
      const memories = new Map(inOrder.map(([owner, savers]) => [owner, saved(savers)] as const))
      return { memories, timers }
    }
  }
}

const saved = (savers: ReadonlyMap<string, () => unknown>): ReadonlyMap<string, unknown> => {
  const parts = new Map<string, unknown>()
  for (const [name, save] of savers) {
    const part = save()
    if (part !== undefined) parts.set(name, part)
  }
  return parts
}

/** For what no snapshot is ever taken of. */
export const noMemory: Memory = {
  owner: "",
  isNew: true,
  carry: () => {},
  placeOf: ({ atMillis, rank, sequence }) => ({ atMillis, rank, sequence }),
  end: () => {}
}
