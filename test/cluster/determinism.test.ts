import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { begin, change, inCluster, logOf, aManifest } from "./worlds.ts"
import { steady } from "../../src/behaviours/builtInBehaviours.ts"
import type { Behaviour } from "../../src/behaviours/behaviour.ts"

/** Pods of v2 crash twice each before they last, those of v3 cannot be pulled. */
const behaviours: ReadonlyArray<Behaviour> = [
  {
    ...steady,
    name: "crashing",
    match: { image: "*:v2" },
    exit: { after: { uniform: ["100ms", "3s"] }, times: 2 }
  },
  { ...steady, name: "broken", match: { image: "*:v3" }, pull: { delay: "1s", failures: "forever" } }
]

/** A long rollout with everything in it: crashes, a lost node, a deadline missed, an undo, a deletion. */
const longStory = (seed: number, shuffleSeed?: number): Promise<ReadonlyArray<string>> =>
  inCluster({ seed, behaviours, ...(shuffleSeed === undefined ? {} : { shuffleSeed }) }, (cluster) =>
    Effect.gen(function* () {
      const log = logOf(cluster)
      yield* begin(cluster, aManifest({ replicas: 7 }))
      yield* cluster.rollout("web")
      yield* change(cluster, aManifest({ replicas: 7, version: "v2" }))
      yield* Effect.orDie(cluster.advance(2000))
      yield* Effect.orDie(cluster.setKubelet("node-2", "stopped"))
      yield* cluster.rollout("web")
      yield* change(cluster, aManifest({ replicas: 9, version: "v3" }))
      yield* cluster.rollout("web")
      yield* change(cluster, aManifest({ replicas: 9, version: "v2" }))
      yield* cluster.rollout("web")
      yield* Effect.orDie(
        cluster.delete(
          { resource: "deployments.apps", key: "default/web" },
          { propagationPolicy: "Foreground" }
        )
      )
      yield* cluster.settle()
      return log
    })
  )

describe("one seed on a virtual clock", () => {
  it("gives the same run byte for byte, names, uids and times included", async () => {
    const [first, second] = [await longStory(7), await longStory(7)]
    expect(first.length).toBeGreaterThan(500)
    expect(second).toEqual(first)
  })

  it("and another seed another run", async () => {
    const [first, second] = [await longStory(7), await longStory(8)]
    expect(second).not.toEqual(first)
  })

  it("repeats shuffled schedules too", async () => {
    const [first, second] = [await longStory(7, 3), await longStory(7, 3)]
    expect(second).toEqual(first)
  })
})

describe("two clusters in one process", () => {
  it("never touch: a run beside another is the run alone", async () => {
    const alone = await longStory(7)
    const [beside] = await Promise.all([longStory(7), longStory(8), longStory(9)])
    expect(beside).toEqual(alone)
  })
})
