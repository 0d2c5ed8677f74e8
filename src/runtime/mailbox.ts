import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type { Key } from "../domain/objects.ts"
import type { Kernel } from "./kernel.ts"

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
  /** Waits for a key to work on. Whoever took it must say when it is done. */
  readonly take: Effect.Effect<Key>
  readonly done: (key: Key) => void
}

export const makeMailbox = (options: {
  readonly kernel: Kernel
  readonly rank: number
}): Effect.Effect<Mailbox> =>
  Effect.map(Queue.unbounded<Key>(), (granted) => {
    const { kernel } = options
    const waiting = new Map<Key, number>()
    const taken = new Set<Key>()

    const grant = (key: Key): void => {
      if (taken.has(key) || !waiting.delete(key)) return
      taken.add(key)
      Queue.offerUnsafe(granted, key)
    }
    const post = (key: Key, rank: number): void => {
      const present = waiting.get(key)
      if (present !== undefined && present <= rank) return
      waiting.set(key, rank)
      if (!taken.has(key)) kernel.post(rank, () => grant(key))
    }
    return {
      offer: (key, soon) => post(key, soon?.rank ?? options.rank),
      offerAfter: (key, millis) => kernel.after(millis, options.rank, () => post(key, options.rank)),
      take: Queue.take(granted),
      done: (key) => {
        taken.delete(key)
        const rank = waiting.get(key)
        if (rank !== undefined) kernel.post(rank, () => grant(key))
      }
    }
  })
