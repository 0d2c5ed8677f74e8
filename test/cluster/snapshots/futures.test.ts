import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { makeCluster } from "../../../src/cluster/cluster.ts"
import { readSnapshot, snapshotText } from "../../../src/cluster/snapshots/snapshotText.ts"
import { aStormyCluster, allObjects, fromText, changesOfTenMinutes, runScoped } from "./stormyCluster.ts"

const seedFirst = Number(process.env["SEED"] ?? "1")
const seedsCount = process.env["SEED"] === undefined ? 14 : 1
const seeds = Array.from({ length: seedsCount }, (_, index) => seedFirst + index)
/** Every third cluster shuffles the actors of an instant. */
const stormy = (seed: number) =>
  aStormyCluster(seed, 3 + (seed % 17), seed % 3 === 0 ? { shuffleSeed: seed } : {})

describe("a cluster restored from a snapshot amid random actions", () => {
  it.each(seeds)("has the same future as the original, seed %i", (seed) =>
    runScoped(
      Effect.gen(function* () {
        const original = yield* stormy(seed)
        const before = allObjects(original)
        const snapshot = yield* original.snapshot
        const text = snapshotText(snapshot)
        const fork = yield* makeCluster({ from: snapshot })
        const other = yield* makeCluster({ from: snapshot })
        const read = yield* makeCluster({ from: readSnapshot(text) })
        expect(snapshotText(yield* read.snapshot)).toBe(text)

        const changedFuture = yield* changesOfTenMinutes(other, seed + 100)
        expect(allObjects(original)).toEqual(before)
        const future1 = yield* changesOfTenMinutes(original)
        expect(yield* changesOfTenMinutes(fork)).toEqual(future1)
        expect(yield* changesOfTenMinutes(read)).toEqual(future1)
        const after = snapshotText(yield* original.snapshot)
        expect(snapshotText(yield* fork.snapshot)).toBe(after)
        expect(snapshotText(yield* read.snapshot)).toBe(after)

        // A snapshot can be restored several times.
        const again = yield* makeCluster({ from: snapshot })
        expect(allObjects(again)).toEqual(before)
        expect(yield* changesOfTenMinutes(again, seed + 100)).toEqual(changedFuture)
        expect(yield* changesOfTenMinutes(yield* fromText(snapshot), seed + 100)).toEqual(changedFuture)
      })
    )
  )

  it.each(seeds.filter((seed) => seed % 4 === 2))("is not changed by taking snapshots, seed %i", (seed) =>
    runScoped(
      Effect.gen(function* () {
        const [watched, twin] = [yield* stormy(seed), yield* stormy(seed)]
        for (let second = 0; second < 40; second += 1) {
          yield* watched.snapshot
          yield* watched.advance(1000 + seed)
        }
        yield* twin.advance(40 * (1000 + seed))
        expect(snapshotText(yield* watched.snapshot)).toBe(snapshotText(yield* twin.snapshot))
        const fork = yield* watched.fork()
        expect(yield* changesOfTenMinutes(fork, seed)).toEqual(yield* changesOfTenMinutes(twin, seed))
      })
    )
  )

  it.each(seeds.filter((seed) => seed % 4 === 1))(
    "has the same future after several forks, seed %i",
    (seed) =>
      runScoped(
        Effect.gen(function* () {
          const original = yield* stormy(seed)
          let last = yield* original.fork()
          for (const millis of [1, 777, 12_345, 90_000]) {
            yield* last.advance(millis)
            yield* original.advance(millis)
            last = yield* last.fork()
          }
          expect(yield* changesOfTenMinutes(last, seed)).toEqual(yield* changesOfTenMinutes(original, seed))
        })
      )
  )
})
