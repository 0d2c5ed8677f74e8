import { describe, expect, it } from "vitest"
import { everyWorkload } from "../../controllers/workloads/everyWorkload.ts"
import { openCluster, readSnapshot, snapshotText } from "../../../src/index.ts"
import type { OpenCluster } from "../../../src/index.ts"

const behaviours = [{ name: "broken", match: { image: "broken:*" }, exit: { after: "2s", code: 3 } }]
const kinds = [
  "statefulsets.apps",
  "daemonsets.apps",
  "jobs.batch",
  "cronjobs.batch",
  "pods",
  "controllerrevisions.apps"
]

const stateOf = async (cluster: OpenCluster) =>
  Promise.all(kinds.map(async (resource) => (await cluster.list(resource)).items))

describe("a cluster with every kind of workload", () => {
  it.each(["300ms", "3s", "17s", "1m10s"])("goes on alike from a snapshot after %s", async (time) => {
    await using original = await openCluster({ behaviours })
    for (const workload of everyWorkload) await original.create(workload)
    await original.advance(time)
    const snapshot = readSnapshot(snapshotText(await original.snapshot()))
    await using restored = await openCluster({ behaviours, from: snapshot })
    for (const cluster of [original, restored]) await cluster.advance("3m")
    expect(await stateOf(restored)).toEqual(await stateOf(original))
  })

  it("is the same with the same seed", async () => {
    const play = async () => {
      await using cluster = await openCluster({ behaviours, seed: 7 })
      for (const workload of everyWorkload) await cluster.create(workload)
      await cluster.advance("3m")
      return JSON.stringify(await stateOf(cluster))
    }
    expect(await play()).toBe(await play())
  })

  it("loses nothing when controllers crash between two writes", async () => {
    await using cluster = await openCluster({ behaviours })
    for (const controller of ["statefulSet", "daemonSet", "job", "cronJob"] as const)
      for (const afterWrites of [1, 3, 5])
        await cluster.fault({ fault: "controllerRestarted", controller, afterWrites })
    for (const workload of everyWorkload) await cluster.create(workload)
    await cluster.advance("5m")
    const [sets, daemons, jobs] = await stateOf(cluster)
    expect(sets).toMatchObject([{ status: { readyReplicas: 3, availableReplicas: 3 } }])
    expect(daemons).toMatchObject([{ status: { numberAvailable: 3 } }])
    const byName = new Map(jobs?.map((job) => [job.metadata.name, job]))
    expect(byName.get("sums")).toMatchObject({ status: { succeeded: 6, completedIndexes: "0-5" } })
    expect(byName.get("broken")).toMatchObject({ status: { failed: 4, uncountedTerminatedPods: {} } })
  })
})
