import * as Effect from "effect/Effect"
import { sleepTurnOrder } from "../time/kernel.ts"
import { makeKeyTimers } from "../time/keyTimers.ts"
import { snapshotPartOf } from "../snapshotMemory.ts"
import { retryDelayMillis } from "../workers/worker.ts"
import type { Scope } from "effect/Scope"
import type { Key } from "../../kubernetes/meta/objects.ts"
import type { Kernel } from "../time/kernel.ts"
import type { SnapshotMemory } from "../snapshotMemory.ts"

/** Retries refused keys with a delay that grows with every refusal in a row. */
export interface BackOffs {
  /** The key was refused once more: schedules a retry, or gives up until the next change. */
  readonly retryLater: (key: Key) => void
  readonly reset: (key: Key) => void
  /** Whether the last turn of the key has failed. */
  readonly isFailing: (key: Key) => boolean
  readonly save: () => BackOffsState
  readonly restore: (state: BackOffsState) => void
}

/** The number of refusals in a row, by key. */
export type BackOffsState = ReadonlyArray<readonly [Key, number]>

export const makeBackOffs = Effect.fnUntraced(function* (options: {
  readonly kernel: Kernel
  readonly snapshotMemory: SnapshotMemory
  readonly retriesMax: number | undefined
  /** Makes the controller look at the key again. */
  readonly wake: (key: Key) => void
}): Effect.fn.Return<BackOffs, never, Scope> {
  const { kernel, snapshotMemory, retriesMax = Infinity, wake } = options
  /** Retries run after everything else that is due at that instant. */
  const timers = yield* makeKeyTimers({
    kernel,
    turnOrder: sleepTurnOrder,
    mailbox: { offer: wake },
    snapshotMemory
  })
  const failures = new Map<Key, number>()
  return {
    retryLater: (key) => {
      const count = failures.get(key) ?? 0
      if (count >= retriesMax) {
        failures.delete(key)
        return
      }
      failures.set(key, count + 1)
      timers.after(key, retryDelayMillis(count))
    },
    reset: (key) => void failures.delete(key),
    isFailing: (key) => failures.has(key),
    ...snapshotPartOf(failures)
  }
})
