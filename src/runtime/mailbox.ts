import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type { Scope } from "effect/Scope"
import type { Key } from "../domain/objects.ts"
import { noMemory } from "./memory.ts"
import { makeDawdling, Pace } from "./pace.ts"
import type { Kernel } from "./kernel.ts"
import type { Memory } from "./memory.ts"
import type { Timer, TimerPlace } from "./timerHeap.ts"

/**
 * The mailbox of all actors of one kind: keys of what to look at, and nothing else.
 *
 * M1  A key waits here at most once, however often it is offered: ten changes are one look.
 * M2  A key is never handed out while it is being worked on; offered meanwhile, it is handed out once more after.
 * M3  Keys are handed out when their rank's turn comes, so it holds no more than there are objects.
 */
export interface Mailbox {
  /** Asks for a look at a key; `soon` puts it ahead, into the turn of a lower rank. */
  readonly offer: (key: Key, soon?: { readonly rank: number }) => void
  /** Asks for a look at a key when a time has passed. */
  readonly offerAfter: (key: Key, millis: number) => void
  /** Waits for a key to work on; a slow controller takes its time first. Whoever took it must say when it is done. */
  readonly take: Effect.Effect<Key>
  readonly done: (key: Key) => void
}

/** The scope's end takes back what was offered for later. */
export const makeMailbox = (options: {
  readonly kernel: Kernel
  readonly rank: number
  readonly memory?: Memory | undefined
}): Effect.Effect<Mailbox, never, Scope> =>
  Effect.gen(function* () {
    const { kernel, memory = noMemory } = options
    const dawdle = makeDawdling({ kernel, pace: yield* Pace, memory })
    const granted = yield* Queue.unbounded<Key>()
    const waiting = new Map<Key, number>()
    const taken = new Set<Key>()
    /** Offers for later. */
    const delayed = new Set<Delayed>()

    const grant = (key: Key): void => {
      if (taken.has(key) || !waiting.delete(key)) return
      taken.add(key)
      kernel.note(memory.owner, key)
      Queue.offerUnsafe(granted, key)
    }
    let isClosed = false
    const post = (key: Key, rank: number): void => {
      // Nobody takes anything out any more.
      if (isClosed) return
      const present = waiting.get(key)
      if (present !== undefined && present <= rank) return
      waiting.set(key, rank)
      if (!taken.has(key)) kernel.post(rank, () => grant(key))
    }
    memory.carry<HandedOut>("handedOut", {
      save: () => (taken.size === 0 ? undefined : { taken: [...taken], again: [...waiting] }),
      restore: (state) => {
        for (const key of state.taken) {
          taken.add(key)
          Queue.offerUnsafe(granted, key)
        }
        for (const [key, rank] of state.again) waiting.set(key, rank)
      }
    })
    const delay = (key: Key, set: (run: () => void) => Timer): void => {
      const entry: Delayed = {
        key,
        timer: set(() => {
          delayed.delete(entry)
          post(key, options.rank)
        })
      }
      delayed.add(entry)
    }
    memory.carry<ReadonlyArray<{ readonly key: Key; readonly place: TimerPlace }>>("delayed", {
      save: () => Array.from(delayed, ({ key, timer }) => ({ key, place: memory.placeOf(timer) })),
      restore: (state) => {
        for (const { key, place } of state) delay(key, (run) => kernel.resume(place, run))
      }
    })
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        isClosed = true
        for (const { timer } of delayed) kernel.cancel(timer)
        delayed.clear()
      })
    )
    return {
      offer: (key, soon) => post(key, soon?.rank ?? options.rank),
      offerAfter: (key, millis) => delay(key, (run) => kernel.after(millis, options.rank, run)),
      take: Effect.flatMap(Queue.take(granted), dawdle),
      done: (key) => {
        taken.delete(key)
        const rank = waiting.get(key)
        if (rank !== undefined) kernel.post(rank, () => grant(key))
      }
    }
  })

/** An offer for later. */
interface Delayed {
  readonly key: Key
  readonly timer: Timer
}

/** What a slow controller leaves over from one instant to another. */
interface HandedOut {
  /** In that order; of those at the end, nobody may have taken any yet. */
  readonly taken: ReadonlyArray<Key>
  /** Offered again meanwhile, and into the turn of which rank. */
  readonly again: ReadonlyArray<readonly [Key, number]>
}
