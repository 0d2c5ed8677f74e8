import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Scope } from "effect/Scope"
import type { Key } from "../../kubernetes/meta/objects.ts"
import { logDefect } from "../logDefect.ts"
import { snapshotPartOfMap, noSnapshotParts } from "../snapshotParts.ts"
import type { Mailbox } from "./mailbox.ts"
import type { SnapshotParts } from "../snapshotParts.ts"

/** 5 ms, doubling with every failure in a row, at most 1000 s. */
export const retryDelayMillis = (failures: number): number => Math.min(1_000_000, 5 * 2 ** failures)

/** Called only for defects; the key is retried after every failure. */
export const OnDefect = Context.Reference<(key: Key, cause: Cause.Cause<unknown>) => Effect.Effect<void>>(
  "charthouse/runtime/OnDefect",
  {
    defaultValue: () => (key, cause) => logDefect(`${key} failed and is tried again`, cause)
  }
)

interface WorkerOptions<E> {
  readonly mailbox: Mailbox
  readonly attempt: (key: Key) => Effect.Effect<unknown, E>
  readonly delayMillis?: (failures: number) => number
  readonly retryAfter?: (key: Key, millis: number) => void
  readonly snapshotParts?: SnapshotParts | undefined
}

/** Source: default_rate_limiters.go (DefaultTypedControllerRateLimiter). */
export const processMailbox = <E>(options: WorkerOptions<E>): Effect.Effect<void, never, Scope> => {
  const { mailbox, attempt, delayMillis = retryDelayMillis, retryAfter = mailbox.offerAfter } = options
  const { snapshotParts = noSnapshotParts } = options
  const failures = new Map<Key, number>()
  snapshotParts.registerPart("failures", snapshotPartOfMap(failures))
  const onFailure = (key: Key): void => {
    const count = failures.get(key) ?? 0
    mailbox.noteFailure()
    failures.set(key, count + 1)
    retryAfter(key, delayMillis(count))
  }
  const handle = (onDefect: typeof OnDefect.Service, key: Key): Effect.Effect<void> =>
    Effect.matchCauseEffect(
      Effect.suspend(() => attempt(key)),
      {
        onSuccess: () => Effect.sync(() => void failures.delete(key)),
        onFailure: (cause) => {
          onFailure(key)
          return Cause.hasDies(cause) ? onDefect(key, cause) : Effect.void
        }
      }
    )
  return Effect.gen(function* () {
    const onDefect = yield* OnDefect
    yield* Effect.forkScoped(mailbox.work((key) => handle(onDefect, key), { yieldsAfterEachKey: true }))
  })
}
