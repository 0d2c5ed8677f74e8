import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Scope } from "effect/Scope"
import type { Key } from "../domain/objects.ts"
import { logDefect } from "./logDefect.ts"
import { noMemory } from "./memory.ts"
import type { Mailbox } from "./mailbox.ts"
import type { Memory } from "./memory.ts"

/** The wait before a key is tried again: 5 ms, doubling with every failure in a row, at most 1000 s. */
export const retryDelayMillis = (failures: number): number =>
  Math.min(1_000_000, 5 * 2 ** Math.min(failures, 30))

/** Told of what a worker failed at by a defect, and not by a refusal; it is tried again like any other. */
export const OnDefect = Context.Reference<(key: Key, cause: Cause.Cause<unknown>) => Effect.Effect<void>>(
  "charthouse/runtime/OnDefect",
  {
    defaultValue: () => (key, cause) => logDefect(`${key} failed and is tried again`, cause)
  }
)

interface Work<E> {
  readonly mailbox: Mailbox
  /** What is due for a key that was handed out. */
  readonly attempt: (key: Key) => Effect.Effect<unknown, E>
  /** How long a key waits whose attempt failed; told how often in a row it had failed before. */
  readonly delayMillis?: (failures: number) => number
  /** How a key that failed is asked for once more; by the mailbox where it is left out. */
  readonly again?: (key: Key, millis: number) => void
  readonly memory?: Memory | undefined
}

/**
 * Works off a mailbox as long as the scope lasts, one key at a time. A key whose attempt failed, by a refusal or a
 * defect, is tried again after a wait; only success lets its failures be forgotten. The other keys do not notice.
 *
 * Source: staging/src/k8s.io/client-go/util/workqueue/default_rate_limiters.go (DefaultTypedControllerRateLimiter).
 */
export const workOff = <E>(work: Work<E>): Effect.Effect<void, never, Scope> => {
  const { mailbox, attempt, delayMillis = retryDelayMillis, again = mailbox.offerAfter } = work
  const { memory = noMemory } = work
  const failures = new Map<Key, number>()
  memory.carry<ReadonlyArray<readonly [Key, number]>>("failures", {
    save: () => [...failures],
    restore: (state) => {
      for (const [key, count] of state) failures.set(key, count)
    }
  })
  const onFailure = (key: Key): void => {
    const count = failures.get(key) ?? 0
    failures.set(key, count + 1)
    again(key, delayMillis(count))
  }
  const next = (onDefect: typeof OnDefect.Service): Effect.Effect<void> =>
    Effect.flatMap(mailbox.take, (key) =>
      Effect.suspend(() => attempt(key)).pipe(
        Effect.matchCauseEffect({
          onSuccess: () => Effect.sync(() => failures.delete(key)),
          onFailure: (cause) => {
            onFailure(key)
            return Cause.hasDies(cause) ? onDefect(key, cause) : Effect.void
          }
        }),
        Effect.ensuring(Effect.sync(() => mailbox.done(key)))
      )
    )
  return Effect.gen(function* () {
    yield* Effect.forkScoped(Effect.forever(next(yield* OnDefect)))
  })
}
