import * as Effect from "effect/Effect"
import { makeKeyTimers } from "../time/keyTimers.ts"
import { ControllerPace } from "../workers/controllerPace.ts"
import type { Scope } from "effect/Scope"
import type { Key } from "../../kubernetes/meta/objects.ts"
import type { Kernel } from "../time/kernel.ts"
import type { SnapshotParts } from "../snapshotParts.ts"

/**
 * A key whose actor has looked in the meantime keeps its timer. The timer then wakes the actor only if a later change
 * has come. Source: client-go/util/workqueue/delaying_queue.go (AddAfter).
 */
export const makeDelayedWakes = Effect.fnUntraced(function* (options: {
  readonly kernel: Kernel
  readonly turnOrder: number
  readonly snapshotParts: SnapshotParts
  readonly delayMillis: number
  readonly offer: (key: Key) => void
  readonly isStale: (key: Key) => boolean
}): Effect.fn.Return<{ readonly add: (key: Key) => void }, never, Scope> {
  const { kernel, turnOrder, snapshotParts, delayMillis, offer, isStale } = options
  const { delayedWakeCounters } = yield* ControllerPace
  const offerIfStale = (key: Key): void => {
    if (isStale(key)) offer(key)
  }
  const timers = yield* makeKeyTimers({
    kernel,
    turnOrder,
    mailbox: { offer: offerIfStale },
    snapshotParts,
    part: "delayedWakes"
  })
  const countStale = (): number => {
    let count = 0
    for (const key of timers.keys()) if (isStale(key)) count += 1
    return count
  }
  delayedWakeCounters.add(countStale)
  yield* Effect.addFinalizer(() => Effect.sync(() => delayedWakeCounters.delete(countStale)))
  return { add: (key) => timers.atLatestAfter(key, delayMillis) }
})
