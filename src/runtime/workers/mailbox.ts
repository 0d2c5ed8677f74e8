import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type { Scope } from "effect/Scope"
import type { Key } from "../../kubernetes/meta/objects.ts"
import { noSnapshotMemory } from "../snapshotMemory.ts"
import { delayPerKey, Pace } from "./pace.ts"
import type { Kernel } from "../time/kernel.ts"
import type { SnapshotMemory } from "../snapshotMemory.ts"
import type { Timer, TimerPlace } from "../time/timerHeap.ts"

/**
 * The work queue of one controller: keys to look at, and nothing else (in client-go, a workqueue).
 *
 * M1  A key waits at most once, however often it is offered: ten changes are one look.
 * M2  A key is not handed out while it is being handled; offered meanwhile, it is handed out once more afterwards.
 * M3  Keys are handed out in the turn of their rank.
 */
export interface Mailbox {
  /** Adds a key; `soon` puts it into the turn of a lower rank. */
  readonly offer: (key: Key, soon?: { readonly rank: number }) => void
  readonly offerAfter: (key: Key, millis: number) => void
  /** Waits for a key, and for the delay of a slow controller. The caller must call `done` afterwards. */
  readonly take: Effect.Effect<Key>
  readonly done: (key: Key) => void
}

export const makeMailbox = (options: {
  readonly kernel: Kernel
  readonly rank: number
  readonly memory?: SnapshotMemory | undefined
}): Effect.Effect<Mailbox, never, Scope> =>
  Effect.gen(function* () {
    const { kernel, memory = noSnapshotMemory } = options
    const delayByPace = delayPerKey({ kernel, pace: yield* Pace, memory })
    const ready = yield* Queue.unbounded<Key>()
    const offeredRanks = new Map<Key, number>()
    const handedOut = new Set<Key>()
    const delayed = new Set<Delayed>()

    const handOut = (key: Key): void => {
      if (handedOut.has(key) || !offeredRanks.delete(key)) return
      handedOut.add(key)
      kernel.noteTurn(memory.owner, key)
      Queue.offerUnsafe(ready, key)
    }
    let isClosed = false
    const post = (key: Key, rank: number): void => {
      if (isClosed) return
      const present = offeredRanks.get(key)
      if (present !== undefined && present <= rank) return
      offeredRanks.set(key, rank)
      if (!handedOut.has(key)) kernel.post(rank, () => handOut(key))
    }
    memory.registerPart<HandedOutState>("handedOut", {
      save: () => (handedOut.size === 0 ? undefined : { taken: [...handedOut], again: [...offeredRanks] }),
      restore: (state) => {
        for (const key of state.taken) {
          handedOut.add(key)
          Queue.offerUnsafe(ready, key)
        }
        for (const [key, rank] of state.again) offeredRanks.set(key, rank)
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
    memory.registerPart<ReadonlyArray<{ readonly key: Key; readonly place: TimerPlace }>>("delayed", {
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
      take: Effect.flatMap(Queue.take(ready), delayByPace),
      done: (key) => {
        handedOut.delete(key)
        const rank = offeredRanks.get(key)
        if (rank !== undefined) kernel.post(rank, () => handOut(key))
      }
    }
  })

interface Delayed {
  readonly key: Key
  readonly timer: Timer
}

/** Keys that a slow controller has taken and not handled at the instant of a snapshot. */
interface HandedOutState {
  readonly taken: ReadonlyArray<Key>
  /** Keys offered meanwhile, with the rank of their turn. */
  readonly again: ReadonlyArray<readonly [Key, number]>
}
