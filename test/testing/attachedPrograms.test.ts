import { describe, expect, it } from "vitest"
import { sleepRealTime } from "../../src/testing/realTime.ts"
import { configMap, openTraffic, paths, web } from "../api/traffic.ts"
import type { TrafficWorld } from "../api/traffic.ts"

const deployment = { resource: "deployments.apps", name: "web" } as const
const path = `${paths.deployments}/web`
const mergePatch = "application/merge-patch+json"
const begin = "2026-01-01T00:00:00.000Z"

/** Looks every 20 ms, and says so on the Deployment as soon as all its Pods are ready. */
const lookingOn = (world: TrafficWorld, replicas: number) => {
  let isOver = false
  const body = { metadata: { labels: { seen: "yes" } } }
  const looking = (async () => {
    while (!isOver) {
      const { json } = await world.ask("GET", path)
      if (json.status?.readyReplicas === replicas && json.metadata?.labels?.seen === undefined) {
        await world.ask("PATCH", path, { body, type: mergePatch })
      }
      await sleepRealTime(20)
    }
  })()
  return async (): Promise<void> => {
    isOver = true
    await looking
  }
}

describe("programs beside a cluster whose time is moved", () => {
  it("have their first request waited for as long as the quiet that is said", async () => {
    await using world = await openTraffic()
    await world.cluster.apply(web(3))
    // As a process that takes a while to start.
    const program = sleepRealTime(120).then(() =>
      world.ask("POST", paths.configMaps, { body: configMap("late") })
    )
    await world.eventually(() => world.cluster.get({ resource: "configmaps", name: "late" }), {
      quiet: "600ms"
    })
    await program
    expect(world.requests.all().map(({ at, code }) => [at, code])).toEqual([[begin, 201]])
  })

  it("are not waited for where no quiet is said and none has come, nor where nobody is served", async () => {
    await using world = await openTraffic()
    const begun = performance.now()
    await world.eventually(() => world.cluster.now().toISOString() > "2026-01-01T06", { within: "7h" })
    const { startCluster } = await import("../../src/testing/testing.ts")
    await using unserved = await startCluster()
    await unserved.consistently(() => true, { for: "1h", quiet: "10m" })
    expect(performance.now() - begun).toBeLessThan(20_000)
  })

  it("that look again and again answer at the very moment, and are done when they see nothing new", async () => {
    await using world = await openTraffic({ seed: 3 })
    await world.cluster.apply(web(3))
    let readyAt: string | undefined
    world.cluster.onChange(({ object }) => {
      const { status } = object as { status?: { readyReplicas?: number } }
      if (object.kind === "Deployment" && status?.readyReplicas === 3) {
        readyAt ??= world.cluster.now().toISOString()
      }
    })
    const stop = lookingOn(world, 3)
    const begun = performance.now()
    await world.eventually(
      async () => {
        const { metadata } = await world.object(deployment)()
        expect(metadata.labels).toMatchObject({ seen: "yes" })
      },
      { quiet: "100ms", within: "2m" }
    )
    await stop()
    const [patch] = world.requests.all({ verb: "patch" })
    expect(patch?.at).toBe(readyAt)
    expect(readyAt).toMatch(/^2026-01-01T00:00:0/)
    // Each of some 50 changes would have taken 20 s.
    expect(performance.now() - begun).toBeLessThan(25_000)
  })

  it("that have come and gone are not waited for at each moment", async () => {
    await using world = await openTraffic({ seed: 5 })
    await world.cluster.apply(web(20))
    expect((await world.ask("GET", path)).code).toBe(200)
    const begun = performance.now()
    await world.eventually(
      async () => expect((await world.object(deployment)()).status.readyReplicas).toBe(20),
      { quiet: "1s" }
    )
    // The quiet is waited for once, and not at each of some 200 changes.
    expect(performance.now() - begun).toBeLessThan(25_000)
  })

  it("that watch are waited for whenever they are told of something", async () => {
    await using world = await openTraffic({ seed: 7 })
    const { openRemoteCluster } = await import("../../src/client/remoteCluster.ts")
    const client = await openRemoteCluster({ kubeconfig: world.kubeconfigFile() })
    // A slow one: it thinks for a while about each Pod before it does something.
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
    // It would go on asking for its watch for a while.
    client.close()
    await program
    expect(world.requests.watching()).toBe(0)
  })
})
