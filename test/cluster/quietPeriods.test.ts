import { describe, expect, it } from "vitest"
import { openCluster } from "../../src/cluster/openCluster.ts"
import { storedKinds, groupResourceOf, resources } from "../../src/kubernetes/meta/kinds.ts"
import type { ClusterOptions } from "../../src/cluster/clusterOptions.ts"
import type { OpenCluster } from "../../src/cluster/openCluster.ts"

const nightly = {
  apiVersion: "batch/v1",
  kind: "CronJob",
  metadata: { name: "backup" },
  spec: {
    schedule: "30 2 * * *",
    jobTemplate: {
      spec: {
        template: {
          spec: {
            restartPolicy: "Never",
            containers: [{ name: "backup", image: "registry.example/backup:1" }]
          }
        }
      }
    }
  }
}

/** All objects with their versions and managed fields, and the last version. */
const worldOf = async (cluster: OpenCluster): Promise<ReadonlyArray<unknown>> => {
  const lists = storedKinds.map((kind) => cluster.list(groupResourceOf(kind)))
  return [cluster.now().toISOString(), ...(await Promise.all(lists))]
}

const played = async (
  options: ClusterOptions,
  play: (cluster: OpenCluster) => Promise<unknown>
): Promise<ReadonlyArray<unknown>> => {
  await using cluster = await openCluster({ seed: 7, ...options })
  await cluster.create(nightly)
  await play(cluster)
  return worldOf(cluster)
}

describe("a period in which only nodes' heartbeats are due passes at once", () => {
  const plays: Record<string, (cluster: OpenCluster) => Promise<unknown>> = {
    "in one call": (cluster) => cluster.advance("27h"),
    "with a listener of Pods": (cluster) => {
      cluster.onChange("pods", () => {})
      return cluster.advance("27h")
    },
    "in calls that end between two heartbeats": async (cluster) => {
      for (let call = 0; call < 9; call += 1) await cluster.advance("3h")
    },
    "with a node that joins between two heartbeats of the others": async (cluster) => {
      await cluster.advance("12345ms")
      await cluster.create({ apiVersion: "v1", kind: "Node", metadata: { name: "late" } })
      await cluster.advance(97_200_000 - 12_345)
    }
  }
  it.each(Object.entries(plays))(
    "and leaves the same world as heartbeat by heartbeat: %s",
    async (_, play) => {
      let heartbeats = 0
      const skipping = await played({}, play)
      const listening = await played({}, async (cluster) => {
        cluster.onChange("leases.coordination.k8s.io", () => (heartbeats += 1))
        await play(cluster)
      })
      expect(skipping).toEqual(listening)
      expect(heartbeats).toBeGreaterThan(3 * 9_700)
    }
  )

  it("as many are left out as fit before the next timer", async () => {
    await using cluster = await openCluster({ nodes: 2 })
    const renewals: Array<string> = []
    await cluster.advance("3s")
    cluster.timers.setTimeout(() => renewals.push("timer"), 100_000)
    cluster.onChange(
      ({ object, resource }) => {
        if (resource === resources.leases)
          renewals.push(`${object.metadata.name} ${cluster.now().toISOString().slice(14, 19)}`)
      },
      { skipsHeartbeats: true }
    )
    await cluster.advance("2m")
    expect(renewals).toEqual(["node-1 01:40", "node-2 01:40", "timer", "node-1 02:00", "node-2 02:00"])
  })

  it("a condition that may read the time is asked at each of them", async () => {
    await using cluster = await openCluster({})
    const checks = { always: 0, seldom: 0 }
    await cluster.until(() => ++checks.always < 0, "1h")
    await cluster.until(() => ++checks.seldom < 0, "1h", { skipsHeartbeats: true })
    expect(checks.always).toBeGreaterThan(360)
    expect(checks.seldom).toBeLessThan(5)
  })

  it("refuses an option that does not exist", async () => {
    await using cluster = await openCluster({})
    expect(() => cluster.onChange(() => {}, { skip: true } as object)).toThrow("skip")
    await expect(cluster.until(() => true, "1s", { skip: true } as object)).rejects.toThrow("skip")
  })
})
