import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Pull from "effect/Pull"
import * as Queue from "effect/Queue"
import * as Scope from "effect/Scope"

type ItemPull<A, E> = Pull.Pull<ReadonlyArray<A>, E>

/** A stream without Effect's module for streams. `open` subscribes. */
export class WatchFeed<A, E> {
  readonly open: Effect.Effect<ItemPull<A, E>, E, Scope.Scope>

  constructor(open: Effect.Effect<ItemPull<A, E>, E, Scope.Scope>) {
    this.open = open
  }
}

export type FillQueue<A, E> = (
  queue: Queue.Queue<A, E | Cause.Done>
) => Effect.Effect<unknown, E, Scope.Scope>

/** As `Stream.callback`. */
export const feedOf = <A, E>(fill: FillQueue<A, E>): WatchFeed<A, E> =>
  new WatchFeed(
    Effect.gen(function* () {
      const queue = yield* Queue.make<A, E | Cause.Done>()
      const scope = yield* Effect.scope
      yield* Scope.addFinalizer(scope, Queue.shutdown(queue))
      yield* Effect.forkIn(
        Effect.catchCause(fill(queue), (cause) => Queue.failCause(queue, cause)),
        scope,
        { startImmediately: true }
      )
      return Queue.takeAll(queue)
    })
  )

/** As `Stream.toAsyncIterable`; each iteration opens the feed. */
export const iterateFeed = <A, E>(
  feed: WatchFeed<A, E>,
  mapError: (error: E) => unknown
): AsyncIterable<A> => ({ [Symbol.asyncIterator]: () => iteratorOf(feed, mapError) })

const iteratorOf = <A, E>(
  { open }: WatchFeed<A, E>,
  mapError: (error: E) => unknown
): AsyncIterator<A, undefined> => {
  const scope = Scope.makeUnsafe()
  let pull: ItemPull<A, E> | undefined
  let items: Iterator<A> | undefined
  let current: Fiber.Fiber<ReadonlyArray<A>, E | Cause.Done> | undefined
  let closing: Promise<IteratorReturnResult<undefined>> | undefined
  /** A call waits for the one before, as in a generator: two pulls at once would lose items. */
  let latest: Promise<IteratorResult<A, undefined>> | undefined
  const firstPull: ItemPull<A, E> = Effect.flatMap(Scope.provide(open, scope), (opened) => {
    pull = opened
    return opened
  })
  const close = (exit: Exit.Exit<unknown, unknown>): Promise<IteratorReturnResult<undefined>> => {
    const stop = current === undefined ? Effect.void : Fiber.interrupt(current)
    return (closing ??= Effect.runPromise(
      Effect.as(Effect.andThen(stop, Scope.close(scope, exit)), { done: true, value: undefined })
    ))
  }
  const closeFailed = async (exit: Exit.Exit<unknown, unknown>): Promise<void> => {
    await close(exit)
  }
  const takeNext = async (): Promise<IteratorResult<A, undefined>> => {
    if (closing !== undefined) return closing
    const item = items?.next()
    if (item?.done === false) return item
    items = undefined
    const fiber = Effect.runFork(pull ?? firstPull)
    current = fiber
    const exit = await Effect.runPromise(Fiber.await(fiber))
    if (current === fiber) current = undefined
    if (Exit.isSuccess(exit)) {
      items = exit.value[Symbol.iterator]()
      return items.next() as IteratorResult<A, undefined>
    }
    if (Pull.isDoneCause(exit.cause)) return close(Exit.void)
    if (closing !== undefined && Cause.hasInterruptsOnly(exit.cause)) return closing
    await closeFailed(exit)
    throw thrownFor(exit.cause, mapError)
  }
  return {
    next: () => {
      const previous = closing === undefined ? latest : undefined
      const taken = previous === undefined ? takeNext() : previous.then(takeNext, takeNext)
      latest = taken
      const forget = (): void => {
        if (latest === taken) latest = undefined
      }
      taken.then(forget, forget)
      return taken
    },
    return: () => close(Exit.void),
    throw: async (error) => {
      await closeFailed(Exit.die(error))
      throw error
    }
  }
}

const thrownFor = <E>(cause: Cause.Cause<E | Cause.Done>, mapError: (error: E) => unknown): unknown =>
  Cause.squash(Cause.map(cause, (error) => (Cause.isDone(error) ? error : mapError(error as E))))
