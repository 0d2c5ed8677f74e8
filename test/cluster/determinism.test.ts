import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { createObject, replaceSpec, withCluster, recordChanges, deploymentManifest } from "./testCluster.ts"
import { steady } from "../../src/behaviours/builtInBehaviours.ts"
import type { Behaviour } from "../../src/behaviours/behaviour.ts"

const behaviours: ReadonlyArray<Behaviour> = [
  {
    ...steady,
    name: "crashing",
    match: { image: "*:v2" },
    exit: { after: { uniform: ["100ms", "3s"] }, times: 2 }
  },
  { ...steady, name: "broken", match: { image: "*:v3" }, pull: { delay: "1s", failures: "forever" } }
]

/** Rollouts with crashes, a lost node, a missed deadline, an undo and a deletion. */
const playLongRollout = (seed: number, shuffleSeed?: number): Promise<ReadonlyArray<string>> =>
  withCluster({ seed, behaviours, ...(shuffleSeed === undefined ? {} : { shuffleSeed }) }, (cluster) =>
    Effect.gen(function* () {
      const log = recordChanges(cluster)
      yield* createObject(cluster, deploymentManifest({ replicas: 7 }))
      yield* cluster.rollout("web")
      yield* replaceSpec(cluster, deploymentManifest({ replicas: 7, version: "v2" }))
      yield* Effect.orDie(cluster.advance(2000))
      yield* Effect.orDie(cluster.setKubelet("node-2", "stopped"))
      yield* cluster.rollout("web")
      yield* replaceSpec(cluster, deploymentManifest({ replicas: 9, version: "v3" }))
      yield* cluster.rollout("web")
      yield* replaceSpec(cluster, deploymentManifest({ replicas: 9, version: "v2" }))
      yield* cluster.rollout("web")
      yield* Effect.orDie(
        cluster.delete({ resource: "deployments.apps", name: "web" }, { propagationPolicy: "Foreground" })
      )
      yield* cluster.settle()
      return log
    })
  )

describe("a run on a virtual clock", () => {
  it("is the same byte for byte with the same seed", async () => {
    const [first, second] = [await playLongRollout(7), await playLongRollout(7)]
    expect(first.length).toBeGreaterThan(500)
    expect(second).toEqual(first)
  })

  it("differs with another seed", async () => {
    const [first, second] = [await playLongRollout(7), await playLongRollout(8)]
    expect(second).not.toEqual(first)
  })

  it("is the same with the same seed for shuffled schedules", async () => {
    const [first, second] = [await playLongRollout(7, 3), await playLongRollout(7, 3)]
    expect(second).toEqual(first)
  })
})

describe("two clusters in one process", () => {
  it("do not influence each other", async () => {
    const alone = await playLongRollout(7)
    const [beside] = await Promise.all([playLongRollout(7), playLongRollout(8), playLongRollout(9)])
    expect(beside).toEqual(alone)
  })
})
