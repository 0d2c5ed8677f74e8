import { describe, expect, it } from "vitest"
import { sleepRealTime } from "../../src/testing/realTime.ts"
import { configMap, openTraffic, paths, web } from "../server/traffic/recordedTraffic.ts"
import type { ServedTraffic } from "../server/traffic/recordedTraffic.ts"

const deployment = { resource: "deployments.apps", name: "web" } as const
const path = `${paths.deployments}/web`
const mergePatch = "application/merge-patch+json"
const begin = "2026-01-01T00:00:00.000Z"

/** A program that polls every 20 ms, and labels the Deployment as soon as all its Pods are ready. */
const pollDeployment = (started: ServedTraffic, replicas: number) => {
  let isOver = false
  const body = { metadata: { labels: { seen: "yes" } } }
  const polling = (async () => {
    while (!isOver) {
      const { json } = await started.ask("GET", path)
      if (json.status?.readyReplicas === replicas && json.metadata?.labels?.seen === undefined) {
        await started.ask("PATCH", path, { body, type: mergePatch })
      }
      await sleepRealTime(20)
    }
  })()
  return async (): Promise<void> => {
    isOver = true
    await polling
  }
}

describe("eventually with attached programs", () => {
  it("waits for their first request as long as `quiet` allows", async () => {
    await using world = await openTraffic()
    await world.cluster.apply(web(3))
    const program = sleepRealTime(120).then(() =>
      world.ask("POST", paths.configMaps, { body: configMap("late") })
    )
    await world.eventually(() => world.cluster.get({ resource: "configmaps", name: "late" }), {
      quiet: "600ms"
    })
    await program
    expect(world.requests.all().map(({ at, code }) => [at, code])).toEqual([[begin, 201]])
  })

  it("does not wait without `quiet` and requests, or without a server", async () => {
    await using world = await openTraffic()
    const startedAt = performance.now()
    await world.eventually(() => world.cluster.now().toISOString() > "2026-01-01T06", { within: "7h" })
    const { startCluster } = await import("../../src/testing/testing.ts")
    await using unserved = await startCluster()
    await unserved.consistently(() => true, { for: "1h", quiet: "10m" })
    expect(performance.now() - startedAt).toBeLessThan(20_000)
  })

  it("lets polling programs act at each instant, until they see nothing new", async () => {
    await using started = await openTraffic({ seed: 3 })
    await started.cluster.apply(web(3))
    let readyAt: string | undefined
    started.cluster.onChange(({ object }) => {
      const { status } = object as { status?: { readyReplicas?: number } }
      if (object.kind === "Deployment" && status?.readyReplicas === 3) {
        readyAt ??= started.cluster.now().toISOString()
      }
    })
    const stop = pollDeployment(started, 3)
    const startedAt = performance.now()
    await started.eventually(
      async () => {
        const { metadata } = await started.object(deployment)()
        expect(metadata.labels).toMatchObject({ seen: "yes" })
      },
      { quiet: "100ms", within: "2m" }
    )
    await stop()
    const [patch] = started.requests.all({ verb: "patch" })
    expect(patch?.at).toBe(readyAt)
    expect(readyAt).toMatch(/^2026-01-01T00:00:0/)
    // Waiting for each of some 50 changes would take 20 s.
    expect(performance.now() - startedAt).toBeLessThan(25_000)
  })

  it("does not wait for past requests at each instant", async () => {
    await using world = await openTraffic({ seed: 5 })
    await world.cluster.apply(web(20))
    expect((await world.ask("GET", path)).code).toBe(200)
    const startedAt = performance.now()
    await world.eventually(
      async () => expect((await world.object(deployment)()).status.readyReplicas).toBe(20),
      { quiet: "1s" }
    )
    // `quiet` is waited for once, not at each of some 200 changes.
    expect(performance.now() - startedAt).toBeLessThan(25_000)
  })

  it("waits for watching programs whenever they receive a change", async () => {
    await using world = await openTraffic({ seed: 7 })
    const { openRemoteCluster } = await import("../../src/client/remoteCluster.ts")
    const client = await openRemoteCluster({ kubeconfig: world.kubeconfigFile() })
    const program = (async () => {
      for await (const { type, object } of client.watch("pods")) {
        if (type !== "ADDED") continue
        await sleepRealTime(50)
        await client.create({ ...configMap(object.metadata.name), metadata: { name: object.metadata.name } })
      }
    })().catch(() => {})
    await client.apply(web(2))
    await world.eventually(
      async () => {
        const { items } = await world.cluster.list("configmaps", { namespace: "default" })
        expect(items.filter(({ metadata }) => metadata.name?.startsWith("web-"))).toHaveLength(2)
      },
      { quiet: "300ms" }
    )
    expect(world.requests.watching()).toBe(1)
    const created = world.requests.all({ verb: "create", resource: "configmaps" })
    expect(created.map(({ at }) => at)).toEqual([begin, begin])
    await world.stop()
    // Otherwise it would request its watch again.
    client.close()
    await program
    expect(world.requests.watching()).toBe(0)
  })
})
