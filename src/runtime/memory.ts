import type { Timer, TimerPlace } from "./timerHeap.ts"

/**
 * What is known between two instants and is not written in the store: failures that are counted, timers that run, who
 * waits for whom. Each owner says how a part of it is taken down, and takes up what a snapshot brought.
 */
export interface Memory {
  /** Nothing was brought for this owner: it begins by looking at everything. */
  readonly isNew: boolean
  /** Names a part. `restore` is called at once, with what `save` once gave, where there is such a thing. */
  readonly carry: <State>(name: string, part: Part<State>) => void
  /** Where a timer stands, so that another kernel can put it in the same place. */
  readonly placeOf: (timer: Timer) => TimerPlace
}

/** What `save` gives nobody changes afterwards, and `restore` leaves it as it is: many worlds may come from it. */
interface Part<State> {
  readonly save: () => State
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
  const placeOf = ({ atMillis, rank, sequence }: Timer): TimerPlace => {
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
        isNew: known === undefined,
        placeOf,
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
      const memories = new Map(
        [...owners].map(([owner, savers]) => [
          owner,
          new Map([...savers].map(([name, save]) => [name, save()] as const))
        ])
      )
      return { memories, timers }
    }
  }
}

/** For what no snapshot is ever taken of. */
export const noMemory: Memory = {
  isNew: true,
  carry: () => {},
  placeOf: ({ atMillis, rank, sequence }) => ({ atMillis, rank, sequence })
}
