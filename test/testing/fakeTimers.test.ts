import { afterEach, describe, expect, it, vi } from "vitest"
import { openRealCluster } from "../../src/testing/realCluster.ts"
import { startCluster } from "../../src/testing/testing.ts"
import { test } from "../../src/testing/vitest.ts"
import { web } from "../server/traffic/recordedTraffic.ts"

describe("with fake timers", () => {
  afterEach(() => void vi.useRealTimers())
  const deployment = { resource: "deployments.apps", name: "web" } as const

  test("a virtual clock moves, and programs over HTTP are waited for", async ({
    cluster,
    served,
    object
  }) => {
    vi.useFakeTimers()
    await cluster.apply(web(2))
    await fetch(`${served.url}/healthz`)
    await expect(object(deployment)).toEventuallyMatch({ status: { readyReplicas: 2 } }, { quiet: "20ms" })
    await cluster.patch(deployment, { spec: { replicas: 3 } })
    await expect(cluster).toRollOut("web")
    vi.advanceTimersByTime(60_000)
    await expect(object(deployment)).toConsistentlyMatch({ status: { readyReplicas: 3 } }, { for: "5s" })
  })

  it("a clock that runs by itself goes on", async () => {
    vi.useFakeTimers()
    await using world = await startCluster({ clock: { speed: 600 } })
    await world.cluster.apply(web(2))
    await expect(world.object(deployment)).toEventuallyMatch({ status: { readyReplicas: 2 } })
    await expect(world.cluster).toRollOut("web")
  })

  it("a real cluster is polled", async () => {
    await using world = await startCluster({ clock: { speed: 600 }, serve: true })
    vi.useFakeTimers()
    await using real = await openRealCluster(world.kubeconfigFile())
    await real.apply(web(2))
    await expect(real).toRollOut("web")
  })
})
