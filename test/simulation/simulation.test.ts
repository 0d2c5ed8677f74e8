import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { aManifest, begin, inCluster } from "../cluster/worlds.ts"
import { unfinishedBusiness, watchSafety } from "./oracles.ts"
import { acts, behaviours, clearSky, makeChance } from "./weather.ts"
import type { Marks } from "./weather.ts"

const seedFirst = Number(process.env["SEED"] ?? "1")
const seedsCount = process.env["SEED"] === undefined ? 60 : 1
const ticksCount = 25
/** After the sky has cleared everything must be well within this; ten-minute deadlines and evictions included. */
const recoveryMillis = 3_600_000

/** One run: safety while it storms, then the storm ends and everything must come to its end. */
const simulate = (seed: number, marks: Marks): Promise<ReadonlyArray<string>> => {
  const chance = makeChance(seed)
  const shuffled = seed % 3 === 0 ? { shuffleSeed: seed } : {}
  return inCluster({ seed, behaviours, ...shuffled }, (cluster) =>
    Effect.gen(function* () {
      let tick = 0
      const violations = watchSafety(cluster, () => `seed=${seed} tick=${tick}`)
      yield* begin(cluster, aManifest({ replicas: 1 + chance.below(9) }))
      for (; tick < ticksCount; tick += 1) {
        const name = chance.of(Object.keys(acts))
        const act = acts[name ?? ""]
        if (act !== undefined) yield* Effect.ignore(act({ cluster, chance, marks }))
        yield* Effect.orDie(cluster.advance(chance.below(8000)))
      }
      yield* Effect.ignore(clearSky(cluster))
      yield* cluster.until(() => unfinishedBusiness(cluster).length === 0, recoveryMillis)
      return [...violations(), ...unfinishedBusiness(cluster).map((it) => `seed=${seed} tick=${tick} ${it}`)]
    })
  )
}

describe("a Deployment in bad weather", () => {
  it(`keeps its bounds and recovers, for seeds ${seedFirst} to ${seedFirst + seedsCount - 1}`, async () => {
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
