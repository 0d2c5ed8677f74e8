import * as Effect from "effect/Effect"
import { afterControllersTurnOrder } from "../time/kernel.ts"
import { makeKeyTimers } from "../time/keyTimers.ts"
import { snapshotPartOfMap } from "../snapshotParts.ts"
import { retryDelayMillis } from "../workers/worker.ts"
import type { Scope } from "effect/Scope"
import type { Key } from "../../kubernetes/meta/objects.ts"
import type { Kernel } from "../time/kernel.ts"
import type { SnapshotParts } from "../snapshotParts.ts"

export interface BackOffs {
  readonly retryLater: (key: Key) => void
  readonly reset: (key: Key) => void
  readonly isFailing: (key: Key) => boolean
  readonly save: () => BackOffsState
  readonly restore: (state: BackOffsState) => void
}

export type BackOffsState = ReadonlyArray<readonly [key: Key, failureCount: number]>

export const makeBackOffs = Effect.fnUntraced(function* (options: {
  readonly kernel: Kernel
  readonly snapshotParts: SnapshotParts
  readonly retriesMax: number | undefined
  readonly delayMillis: ((failures: number) => number) | undefined
  readonly wake: (key: Key) => void
}): Effect.fn.Return<BackOffs, never, Scope> {
  const { kernel, snapshotParts, retriesMax = Infinity, delayMillis = retryDelayMillis, wake } = options
  /** Retries run after all controllers of their instant. */
  const timers = yield* makeKeyTimers({
    kernel,
    turnOrder: afterControllersTurnOrder,
    mailbox: { offer: wake },
    snapshotParts
  })
  const failureCounts = new Map<Key, number>()
  return {
    retryLater: (key) => {
      const count = failureCounts.get(key) ?? 0
      if (count >= retriesMax) {
        failureCounts.delete(key)
        return
      }
      failureCounts.set(key, count + 1)
      timers.atLatestAfter(key, delayMillis(count))
    },
    reset: (key) => void failureCounts.delete(key),
    isFailing: (key) => failureCounts.has(key),
    ...snapshotPartOfMap(failureCounts)
  }
})
