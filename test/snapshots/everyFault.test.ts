import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { faultNames } from "../../src/faults/activeFaults.ts"
import { makeCluster } from "../../src/cluster/cluster.ts"
import { snapshotText } from "../../src/cluster/snapshots/snapshotText.ts"
import { roll } from "../faults/rollouts.ts"
import { logOf } from "../cluster/worlds.ts"
import { makeChance } from "../simulation/weather.ts"
import { aStormyCluster, fromText, nextSnapshot, run } from "./storms.ts"
import { faults } from "./wrongs.ts"
import type { Snapshot } from "../../src/cluster/snapshots/snapshot.ts"
import type { Living } from "../cluster/worlds.ts"

const seedFirst = Number(process.env["SEED"] ?? "1")
const seedsCount = process.env["SEED"] === undefined ? 2 : Number(process.env["SEEDS"] ?? "1")
const seeds = Array.from({ length: seedsCount }, (_, index) => seedFirst + index)
const momentsCount = 5

/** A rollout in a world with something of everything, which two faults meet: one of a kind, and any other. */
const aStory = (kind: string, seed: number) =>
  Effect.gen(function* () {
    const chance = makeChance(seed * 101 + faultNames.indexOf(kind))
    const cluster = yield* aStormyCluster(seed, chance.below(3), seed % 3 === 0 ? { shuffleSeed: seed } : {})
    const begin = (among: typeof faults) => {
      const fault = chance.of(among)
      return fault === undefined ? Effect.void : Effect.ignore(cluster.faults.begin(fault))
    }
    yield* begin(faults.filter(({ fault }) => fault === kind))
    yield* cluster.advance(chance.below(3000))
    // The storm may have taken the Deployment away.
    const version = `v${1 + chance.below(6)}`
    yield* Effect.catchCause(roll(cluster, 3 + chance.below(5), version), () => Effect.void)
    yield* begin(faults)
    return { cluster, chance }
  })

interface Moment {
  readonly atMillis: number
  /** How much had happened by then. */
  readonly lines: number
  readonly from: Snapshot
}

/** Lets time pass, and takes a snapshot every now and then. */
const momentsOf = (cluster: Living, lines: ReadonlyArray<string>, below: (count: number) => number) =>
  Effect.gen(function* () {
    const moments: Array<Moment> = []
    for (let moment = 0; moment < momentsCount; moment += 1) {
      yield* cluster.advance(below([150, 900, 5000][below(3)] ?? 0))
      const from = yield* nextSnapshot(cluster)
      if (from !== undefined) moments.push({ atMillis: cluster.nowMillis(), lines: lines.length, from })
    }
    expect(moments).not.toEqual([])
    return moments
  })

describe.each(faultNames)("a snapshot taken at any moment of %s", (kind) => {
  it.each(seeds)("goes on as the world that was left alone, to the byte, of seed %i", (seed) =>
    run(
      Effect.gen(function* () {
        const { cluster, chance } = yield* aStory(kind, seed)
        const lines = logOf(cluster)
        const moments = yield* momentsOf(cluster, lines, chance.below)
        yield* cluster.advance(120_000)
        const end = yield* Effect.option(cluster.snapshot)
        for (const [number, { atMillis, from, lines: before }] of moments.entries()) {
          const next = yield* number % 2 === 0 ? makeCluster({ from }) : fromText(from)
          const seen = logOf(next)
          yield* next.advance(cluster.nowMillis() - atMillis)
          expect([atMillis, ...seen]).toEqual([atMillis, ...lines.slice(before)])
          if (end._tag === "Some") expect(snapshotText(yield* next.snapshot)).toBe(snapshotText(end.value))
        }
      })
    )
  )
})

it("every kind of fault is among those", () => {
  expect(new Set(faults.map(({ fault }) => fault))).toEqual(new Set(faultNames))
})
