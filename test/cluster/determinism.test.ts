import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { createObject, replaceSpec, withCluster, recordChanges, deploymentManifest } from "./testCluster.ts"
import { openCluster, readSnapshot, snapshotText } from "../../src/index.ts"
import type { ClusterOptions } from "../../src/index.ts"
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
const playLongRollout = (seed: number, options: ClusterOptions = {}): Promise<ReadonlyArray<string>> =>
  withCluster({ seed, behaviours, ...options }, (cluster) =>
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
    const [first, second] = [
      await playLongRollout(7, { shuffleSeed: 3 }),
      await playLongRollout(7, { shuffleSeed: 3 })
    ]
    expect(second).toEqual(first)
  })
})

describe("a run without routine Events", () => {
  const isRoutine = (line: string): boolean =>
    / events .*"reason":"(?:Created|Pulled|Pulling|ScalingReplicaSet|Scheduled|Started|SuccessfulCreate)"/.test(
      line
    )

  it("is the same in all else, uids and versions included", async () => {
    const all = await playLongRollout(7)
    const others = all.filter((line) => !isRoutine(line))
    expect(all.length - others.length).toBeGreaterThan(100)
    expect(await playLongRollout(7, { routineEvents: false })).toEqual(others)
  })

  it("goes on without them from a snapshot, unless they are asked for", async () => {
    const reasonsAfter = async (routineEvents?: boolean): Promise<ReadonlySet<string>> => {
      await using before = await openCluster({ routineEvents: false })
      const from = readSnapshot(snapshotText(await before.snapshot()))
      await using cluster = await openCluster({
        from,
        ...(routineEvents === undefined ? {} : { routineEvents })
      })
      await cluster.create(deploymentManifest({ replicas: 1 }))
      await cluster.rollout("web")
      const { items } = await cluster.list("events")
      return new Set(items.map(({ reason = "" }) => reason))
    }
    expect([...(await reasonsAfter())]).toEqual([])
    expect(await reasonsAfter(true)).toContain("Scheduled")
  })

  it("is refused unless the option is true or false", async () => {
    await expect(openCluster({ routineEvents: "no" as never })).rejects.toThrow(
      'routineEvents must be true or false, not "no"'
    )
  })
})

describe("two clusters in one process", () => {
  it("do not influence each other", async () => {
    const alone = await playLongRollout(7)
    const [beside] = await Promise.all([playLongRollout(7), playLongRollout(8), playLongRollout(9)])
    expect(beside).toEqual(alone)
  })
})
