import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import { expect, it } from "vitest"
import { feedOf, iterateFeed, type FillQueue } from "../../../src/store/watch/watchFeed.ts"

type Items = Queue.Queue<number, string | Cause.Done>
type Use = (iterator: AsyncIterator<number>, queue: () => Items) => ReadonlyArray<() => unknown>

/** What a program sees and in which order, with the end of the subscription. */
const seenBy = async (
  iterableOf: (fill: FillQueue<number, string>) => AsyncIterable<number>,
  use: Use
): Promise<ReadonlyArray<unknown>> => {
  const seen: Array<unknown> = []
  const queues: Array<Items> = []
  const iterable = iterableOf((queue) => {
    queues.push(queue)
    seen.push("subscribed")
    Queue.offerAllUnsafe(queue, [1, 2])
    return Effect.addFinalizer(() => Effect.sync(() => seen.push("unsubscribed")))
  })
  const queue = (): Items => {
    const [first] = queues
    if (first === undefined) throw new Error("not subscribed")
    return first
  }
  const steps = use(iterable[Symbol.asyncIterator](), queue)
  const pending = steps.map((step, index) =>
    Promise.resolve(step()).then(
      (result) => seen.push([index, result]),
      (error: unknown) => seen.push([index, "threw", error])
    )
  )
  seen.push("all called")
  await Promise.all(pending)
  return seen
}

const uses: Readonly<Record<string, Use>> = {
  "reads items": (it) => [async () => [await it.next(), await it.next()]],
  "waits for an item": (it, queue) => [
    async () => [await it.next(), await it.next(), await it.next()],
    () => Promise.resolve().then(() => Queue.offerUnsafe(queue(), 3))
  ],
  "ends with the feed": (it, queue) => [
    async () => [await it.next(), await it.next(), await it.next(), await it.next()],
    () => Queue.endUnsafe(queue())
  ],
  "fails with the feed": (it, queue) => [
    async () => [await it.next(), await it.next(), await it.next()],
    () => Queue.failCauseUnsafe(queue(), Cause.fail("expired"))
  ],
  "fails by a defect": (it, queue) => [
    async () => [await it.next(), await it.next(), await it.next()],
    () => Queue.failCauseUnsafe(queue(), Cause.die(new Error("broken")))
  ],
  "returns at once": (it) => [() => it.return?.(), () => it.next()],
  "returns while it waits": (it) => [
    async () => [await it.next(), await it.next(), await it.next()],
    () => it.return?.(),
    () => it.return?.()
  ],
  "throws into it": (it) => [() => it.next(), () => it.throw?.(new Error("mine")), () => it.next()]
}

it.each(Object.entries(uses))("a program that %s sees what it sees of Effect's stream", async (_, use) => {
  const ofStream = await seenBy(
    (fill) =>
      Stream.toAsyncIterable(
        Stream.mapError(
          Stream.callback<number, string>((queue) => fill(queue)),
          (error) => `mapped ${error}`
        )
      ),
    use
  )
  const ofFeed = await seenBy((fill) => iterateFeed(feedOf(fill), (error) => `mapped ${error}`), use)
  expect(ofFeed).toEqual(ofStream)
})

it("calls of `next` while one waits get the items in order, of one subscription", async () => {
  const queues: Array<Items> = []
  const iterable = iterateFeed(
    feedOf<number, string>((queue) => Effect.sync(() => queues.push(queue))),
    (error) => error
  )
  const iterator = iterable[Symbol.asyncIterator]()
  const taken = Array.from({ length: 4 }, () => iterator.next())
  const [queue] = queues
  expect(queues).toHaveLength(1)
  if (queue === undefined) return
  Queue.offerAllUnsafe(queue, [1, 2])
  await taken[0]
  taken.push(iterator.next())
  Queue.offerAllUnsafe(queue, [3, 4, 5])
  expect((await Promise.all(taken)).map(({ value }) => value)).toEqual([1, 2, 3, 4, 5])
  const end = iterator.return?.bind(iterator) ?? iterator.next.bind(iterator)
  const ends = [iterator.next(), iterator.next(), end(), iterator.next()]
  expect((await Promise.all(ends)).map(({ done }) => done)).toEqual([true, true, true, true])
})
