import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { forkCluster, makeCluster } from "../../src/cluster/cluster.ts"
import { readSnapshot, snapshotText } from "../../src/cluster/snapshots/snapshotText.ts"
import { aStormyCluster, everything, fromText, future, run } from "./storms.ts"

const seedFirst = Number(process.env["SEED"] ?? "1")
const seedsCount = process.env["SEED"] === undefined ? 14 : 1
const seeds = Array.from({ length: seedsCount }, (_, index) => seedFirst + index)
/** Every third world takes what is ready in an order that is drawn. */
const stormy = (seed: number) =>
  aStormyCluster(seed, 3 + (seed % 17), seed % 3 === 0 ? { shuffleSeed: seed } : {})

describe("a cluster that goes on from a snapshot, in bad weather", () => {
  it.each(seeds)("has the future of the one that was left alone, of seed %i", (seed) =>
    run(
      Effect.gen(function* () {
        const original = yield* stormy(seed)
        const before = everything(original)
        const snapshot = yield* original.snapshot
        const text = snapshotText(snapshot)
        const fork = yield* makeCluster({ from: snapshot })
        const stormed = yield* makeCluster({ from: snapshot })
        const read = yield* makeCluster({ from: readSnapshot(text) })
        expect(snapshotText(yield* read.snapshot)).toBe(text)

        const befallen = yield* future(stormed, seed + 100)
        expect(everything(original)).toEqual(before)
        const future1 = yield* future(original)
        expect(yield* future(fork)).toEqual(future1)
        expect(yield* future(read)).toEqual(future1)
        const after = snapshotText(yield* original.snapshot)
        expect(snapshotText(yield* fork.snapshot)).toBe(after)
        expect(snapshotText(yield* read.snapshot)).toBe(after)

        // A snapshot may be used as often as one likes, whatever has become of the others.
        const again = yield* makeCluster({ from: snapshot })
        expect(everything(again)).toEqual(before)
        expect(yield* future(again, seed + 100)).toEqual(befallen)
        expect(yield* future(yield* fromText(snapshot), seed + 100)).toEqual(befallen)
      })
    )
  )

  it.each(seeds.filter((seed) => seed % 4 === 2))(
    "is what it was, however often it was looked at, of seed %i",
    (seed) =>
      run(
        Effect.gen(function* () {
          const [watched, twin] = [yield* stormy(seed), yield* stormy(seed)]
          for (let second = 0; second < 40; second += 1) {
            yield* watched.snapshot
            yield* watched.advance(1000 + seed)
          }
          yield* twin.advance(40 * (1000 + seed))
          expect(snapshotText(yield* watched.snapshot)).toBe(snapshotText(yield* twin.snapshot))
          const fork = yield* forkCluster(watched)
          expect(yield* future(fork, seed)).toEqual(yield* future(twin, seed))
        })
      )
  )

  it.each(seeds.filter((seed) => seed % 4 === 1))("is the same through fork after fork, of seed %i", (seed) =>
    run(
      Effect.gen(function* () {
        const original = yield* stormy(seed)
        let last = yield* forkCluster(original)
        for (const millis of [1, 777, 12_345, 90_000]) {
          yield* last.advance(millis)
          yield* original.advance(millis)
          last = yield* forkCluster(last)
        }
        expect(yield* future(last, seed)).toEqual(yield* future(original, seed))
      })
    )
  )
})
