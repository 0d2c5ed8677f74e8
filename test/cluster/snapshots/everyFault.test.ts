import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { faultNames } from "../../../src/faults/kinds/faultKinds.ts"
import { makeCluster } from "../../../src/cluster/cluster.ts"
import { snapshotText } from "../../../src/cluster/snapshots/snapshotText.ts"
import { setVersion } from "../../faults/rollouts.ts"
import { recordChanges } from "../testCluster.ts"
import { makeChance } from "../../simulation/randomActions.ts"
import { aStormyCluster, fromText, nextSnapshot, runScoped } from "./stormyCluster.ts"
import { faults } from "./everyFaultKind.ts"
import type { Snapshot } from "../../../src/cluster/snapshots/snapshot.ts"
import type { ClusterService } from "../testCluster.ts"

const seedFirst = Number(process.env["SEED"] ?? "1")
const seedsCount = Number(process.env["SEEDS"] ?? "1")
const seeds = Array.from({ length: seedsCount }, (_, index) => seedFirst + index)
const momentsCount = 5

/** A rollout in a stormy cluster under two faults: one of the given kind and a random one. */
const rolloutUnderFaults = (kind: string, seed: number) =>
  Effect.gen(function* () {
    const chance = makeChance(seed * 101 + faultNames.indexOf(kind))
    const cluster = yield* aStormyCluster(seed, chance.below(3), seed % 3 === 0 ? { shuffleSeed: seed } : {})
    const begin = (among: typeof faults) => {
      const fault = chance.of(among)
      return fault === undefined ? Effect.void : Effect.ignore(cluster.faultInjector.begin(fault))
    }
    yield* begin(faults.filter(({ fault }) => fault === kind))
    yield* cluster.advance(chance.below(3000))
    // The random actions may have deleted the Deployment.
    const version = `v${1 + chance.below(6)}`
    yield* Effect.catchCause(setVersion(cluster, 3 + chance.below(5), version), () => Effect.void)
    yield* begin(faults)
    return { cluster, chance }
  })

interface Moment {
  readonly atMillis: number
  /** Length of the log by then. */
  readonly lines: number
  readonly from: Snapshot
}

/** Lets time pass and takes snapshots in between. */
const momentsOf = (cluster: ClusterService, lines: ReadonlyArray<string>, below: (count: number) => number) =>
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
  it.each(seeds)("is restored with the original's future to the byte, seed %i", (seed) =>
    runScoped(
      Effect.gen(function* () {
        const { cluster, chance } = yield* rolloutUnderFaults(kind, seed)
        const lines = recordChanges(cluster)
        const moments = yield* momentsOf(cluster, lines, chance.below)
        yield* cluster.advance(120_000)
        const end = yield* Effect.option(cluster.snapshot)
        for (const [number, { atMillis, from, lines: before }] of moments.entries()) {
          const next = yield* number % 2 === 0 ? makeCluster({ from }) : fromText(from)
          const seen = recordChanges(next)
          yield* next.advance(cluster.nowMillis() - atMillis)
          expect([atMillis, ...seen]).toEqual([atMillis, ...lines.slice(before)])
          if (end._tag === "Some") expect(snapshotText(yield* next.snapshot)).toBe(snapshotText(end.value))
        }
      })
    )
  )
})

it("every kind of fault is played", () => {
  expect(new Set(faults.map(({ fault }) => fault))).toEqual(new Set(faultNames))
})
