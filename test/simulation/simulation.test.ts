import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { deploymentManifest, createObject, withCluster } from "../cluster/testCluster.ts"
import { unfinishedRollouts, watchSafety } from "./invariants.ts"
import { randomActions, behaviours, recoverCluster, makeChance } from "./randomActions.ts"
import type { Marks } from "./randomActions.ts"

const seedFirst = Number(process.env["SEED"] ?? "1")
const seedsCount = process.env["SEED"] === undefined ? 60 : 1
const ticksCount = 25
/**
 * Within this time after the last action every rollout must be complete; ten-minute deadlines and evictions included.
 */
const recoveryMillis = 3_600_000

/** One run: random actions under the safety invariants; then every rollout must complete. */
const simulate = (seed: number, marks: Marks): Promise<ReadonlyArray<string>> => {
  const chance = makeChance(seed)
  const shuffled = seed % 3 === 0 ? { shuffleSeed: seed } : {}
  return withCluster({ seed, behaviours, ...shuffled }, (cluster) =>
    Effect.gen(function* () {
      let tick = 0
      const violations = watchSafety(cluster, () => `seed=${seed} tick=${tick}`)
      yield* createObject(cluster, deploymentManifest({ replicas: 1 + chance.below(9) }))
      for (; tick < ticksCount; tick += 1) {
        const name = chance.of(Object.keys(randomActions))
        const act = randomActions[name ?? ""]
        if (act !== undefined) yield* Effect.ignore(act({ cluster, chance, marks }))
        yield* Effect.orDie(cluster.advance(chance.below(8000)))
      }
      yield* Effect.ignore(recoverCluster(cluster))
      yield* cluster.until(() => unfinishedRollouts(cluster).length === 0, recoveryMillis)
      return [...violations(), ...unfinishedRollouts(cluster).map((it) => `seed=${seed} tick=${tick} ${it}`)]
    })
  )
}

describe("a Deployment under random actions", () => {
  it(`keeps its bounds and completes its rollout afterwards, for seeds ${seedFirst} to ${seedFirst + seedsCount - 1}`, async () => {
    const marks: Marks = new Map()
    const found: Array<string> = []
    for (let seed = seedFirst; seed < seedFirst + seedsCount; seed += 1) {
      const failures = await simulate(seed, marks)
      if (failures.length > 0)
        found.push(...failures.slice(0, 3), `replay: SEED=${seed} npx vitest run test/simulation`)
    }
    expect(found).toEqual([])
    if (seedsCount === 1) return
    const wanted = [
      "a rollout over a rollout",
      "scaled in mid-rollout",
      "paused in mid-rollout",
      "another strategy",
      "a Pod killed",
      "a Pod released",
      "a ReplicaSet deleted",
      "a node lost",
      "a deadline missed"
    ]
    expect(wanted.filter((name) => (marks.get(name) ?? 0) < 3)).toEqual([])
  })
})
