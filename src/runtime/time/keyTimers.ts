import * as Effect from "effect/Effect"
import { noSnapshotParts } from "../snapshotParts.ts"
import type { Scope } from "effect/Scope"
import type { Key } from "../../kubernetes/meta/objects.ts"
import type { Kernel } from "./kernel.ts"
import type { Mailbox } from "../workers/mailbox.ts"
import type { SnapshotParts } from "../snapshotParts.ts"
import type { Timer, TimerPlace } from "./timerHeap.ts"

export interface KeyTimers {
  /** A new timer replaces the old one of its key. */
  readonly after: (key: Key, millis: number) => void
  /** A timer of the key that ends earlier stays. */
  readonly atLatestAfter: (key: Key, millis: number) => void
  /** Undefined cancels the key's timer. */
  readonly at: (key: Key, atMillis: number | undefined) => void
  readonly cancel: (key: Key) => void
  readonly has: (key: Key) => boolean
  readonly keys: () => Iterable<Key>
}

export const makeKeyTimers = Effect.fnUntraced(function* (options: {
  readonly kernel: Kernel
  readonly turnOrder: number
  readonly mailbox: Pick<Mailbox, "offer">
  readonly snapshotParts?: SnapshotParts | undefined
  /** The name of the snapshot part, where an owner has several. */
  readonly part?: string
}): Effect.fn.Return<KeyTimers, never, Scope> {
  const { kernel, turnOrder, mailbox, snapshotParts = noSnapshotParts, part = "timers" } = options
  const timers = new Map<Key, Timer>()
  const cancel = (key: Key): void => {
    const timer = timers.get(key)
    if (timer === undefined) return
    kernel.cancel(timer)
    timers.delete(key)
  }
  const offerKey = (key: Key) => (): void => {
    timers.delete(key)
    mailbox.offer(key)
  }
  const after = (key: Key, millis: number): void => {
    cancel(key)
    timers.set(key, kernel.after(millis, turnOrder, offerKey(key)))
  }
  snapshotParts.registerPart<ReadonlyArray<{ readonly key: Key; readonly place: TimerPlace }>>(part, {
    save: () => Array.from(timers, ([key, timer]) => ({ key, place: snapshotParts.saveTimerPlace(timer) })),
    restore: (state) => {
      for (const { key, place } of state) timers.set(key, kernel.resume(place, offerKey(key)))
    }
  })
  yield* Effect.addFinalizer(() => Effect.sync(() => [...timers.keys()].forEach(cancel)))
  return {
    after,
    atLatestAfter: (key, millis) => {
      const present = timers.get(key)
      if (present === undefined || present.atMillis > kernel.nowMillis() + millis) after(key, millis)
    },
    at: (key, atMillis) => {
      if (atMillis === undefined) cancel(key)
      else after(key, atMillis - kernel.nowMillis())
    },
    cancel,
    has: (key) => timers.has(key),
    keys: () => timers.keys()
  }
})
