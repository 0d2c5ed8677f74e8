import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { budgetManifest } from "../../builders.ts"
import { drawRandomFaults } from "../../../src/faults/randomFaults.ts"
import { makeCluster } from "../../../src/cluster/cluster.ts"
import { snapshotText } from "../../../src/cluster/snapshots/snapshotText.ts"
import { setVersion } from "../../faults/rollouts.ts"
import { deploymentManifest } from "../testCluster.ts"
import { makeChance } from "../../simulation/randomActions.ts"
import { faults } from "./everyFaultKind.ts"
import {
  aCluster,
  allObjects,
  fromText,
  changesOfTenMinutes,
  nextSnapshot,
  runScoped
} from "./stormyCluster.ts"

const seedFirst = Number(process.env["SEED"] ?? "1")
const seedsCount = process.env["SEED"] === undefined ? 24 : 1
const seeds = Array.from({ length: seedsCount }, (_, index) => seedFirst + index)

/** A cluster with several active faults. */
const aFaultyCluster = (seed: number) =>
  Effect.gen(function* () {
    const chance = makeChance(seed)
    const cluster = yield* aCluster({ seed, ...(seed % 3 === 0 ? { shuffleSeed: seed } : {}) })
    yield* cluster.create(deploymentManifest({ replicas: 5 }))
    yield* cluster.create(budgetManifest({ minAvailable: 3 }))
    yield* cluster.rollout("web")
    let sinceMillis = 0
    for (const { atMillis, fault } of drawRandomFaults({ every: "5s", until: "75s", faults }, seed)) {
      yield* cluster.advance(atMillis - sinceMillis)
      sinceMillis = atMillis
      yield* Effect.ignore(cluster.faultInjector.begin(fault))
      if (chance.below(3) === 0)
        yield* Effect.ignore(setVersion(cluster, 3 + chance.below(5), `v${1 + chance.below(4)}`))
    }
    return cluster
  })

describe("a cluster restored from a snapshot during faults", () => {
  it.each(seeds)("has the same future as the original, seed %i", (seed) =>
    runScoped(
      Effect.gen(function* () {
        const original = yield* aFaultyCluster(seed)
        const snapshot = yield* nextSnapshot(original)
        if (snapshot === undefined) throw new Error("there was no moment for a snapshot")
        const before = allObjects(original)
        const on = original.faultInjector.active().map(({ fault, endsMillis }) => ({ fault, endsMillis }))
        const text = snapshotText(snapshot)
        const fork = yield* makeCluster({ from: snapshot })
        const other = yield* makeCluster({ from: snapshot })
        const read = yield* fromText(snapshot)
        expect(snapshotText(yield* fork.snapshot)).toBe(text)
        expect(snapshotText(yield* read.snapshot)).toBe(text)
        expect(fork.faultInjector.active()).toMatchObject(on)

        for (const { end } of other.faultInjector.active()) yield* end
        expect(other.faultInjector.active()).toEqual([])
        expect(allObjects(original)).toEqual(before)
        expect(original.faultInjector.active()).toMatchObject(on)

        const lines = yield* changesOfTenMinutes(original)
        expect(yield* changesOfTenMinutes(fork)).toEqual(lines)
        expect(yield* changesOfTenMinutes(read)).toEqual(lines)
        const after = snapshotText(yield* original.snapshot)
        expect(snapshotText(yield* fork.snapshot)).toBe(after)
        expect(snapshotText(yield* read.snapshot)).toBe(after)
      })
    )
  )

  it.each(seeds.filter((seed) => seed % 5 === 1))(
    "has the same future after several forks, seed %i",
    (seed) =>
      runScoped(
        Effect.gen(function* () {
          const original = yield* aFaultyCluster(seed)
          if ((yield* nextSnapshot(original)) === undefined)
            throw new Error("there was no moment for a snapshot")
          let last = yield* original.fork()
          for (const millis of [1, 777, 12_345, 31_000]) {
            yield* last.advance(millis)
            yield* original.advance(millis)
            const snapshotThen = yield* nextSnapshot(last)
            yield* original.advance(last.nowMillis() - original.nowMillis())
            if (snapshotThen !== undefined) last = yield* makeCluster({ from: snapshotThen })
          }
          expect(yield* changesOfTenMinutes(last, seed)).toEqual(yield* changesOfTenMinutes(original, seed))
        })
      )
  )
})
