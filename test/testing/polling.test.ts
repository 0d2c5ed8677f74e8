import { describe, expect, it } from "vitest"
import { openRemoteCluster } from "../../src/client/remoteCluster.ts"
import { NotFound } from "../../src/store/storeErrors.ts"
import { seedFromName } from "../../src/testing/seedFromName.ts"
import { sleepRealTime } from "../../src/testing/realTime.ts"
import { startCluster } from "../../src/testing/testing.ts"
import { delay } from "../../src/server/traffic/interceptors.ts"
import { configMap, openTraffic, paths, web } from "../server/traffic/recordedTraffic.ts"

/** The watching program is idle after this time without a request, and the clock may move on. */
const shortQuiet = { quiet: "30ms" } as const

/** Waits for real requests while the cluster's clock stands. */
const waitUntil = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await sleepRealTime(1)
}

const deployment = { resource: "deployments.apps", name: "web" } as const

describe("eventually", () => {
  it("moves virtual time to the instant at which the condition holds", async () => {
    await using world = await startCluster({ seed: 3 })
    await world.cluster.apply(web(3))
    const ready = await world.eventually(async () => {
      const { status } = await world.object(deployment)()
      expect(status.readyReplicas).toBe(3)
      return status.readyReplicas
    })
    expect(ready).toBe(3)
    const at = world.cluster.now()
    await using other = await startCluster({ seed: 3 })
    await other.cluster.apply(web(3))
    await other.cluster.until(() => false, at.getTime() - Date.UTC(2026, 0, 1) - 1)
    expect((await other.object(deployment)()).status.readyReplicas).toBe(2)
  })

  it("sees what controllers do at the current instant", async () => {
    await using world = await startCluster()
    await world.cluster.apply(web(4))
    await world.eventually(async () => expect(await world.objects("pods")()).toHaveLength(4), { within: 0 })
    expect(world.cluster.now().toISOString()).toBe("2026-01-01T00:00:00.000Z")
  })

  it("passes hours of virtual time quickly", async () => {
    await using world = await startCluster({ nodes: 1 })
    const startedAt = performance.now()
    await world.eventually(() => world.cluster.now().toISOString() > "2026-01-01T12", { within: "13h" })
    expect(world.cluster.now().toISOString()).toMatch(/^2026-01-01T12:00/)
    expect(performance.now() - startedAt).toBeLessThan(20_000)
  })

  it("throws the last error with the virtual time that passed", async () => {
    await using world = await startCluster()
    const failure = world.eventually(() => world.cluster.get(deployment), { within: "90s" })
    await expect(failure).rejects.toThrow(NotFound)
    await expect(failure).rejects.toThrow(
      'deployments.apps "web" not found\n\ndid not hold within 1m30s of virtual time'
    )
    expect(world.cluster.now().toISOString()).toBe("2026-01-01T00:01:30.000Z")
    await expect(world.eventually(() => false, { within: 5 })).rejects.toThrow(
      "the assertion returned false\n\ndid not hold within 5ms of virtual time"
    )
    const frozenFailure = world.eventually(() => Promise.reject(Object.freeze(new Error("frozen"))), {
      within: 0
    })
    await expect(frozenFailure).rejects.toThrow("frozen\n\ndid not hold within 0s of virtual time")
  })

  it("waits by the cluster's clock when that runs by itself", async () => {
    await using world = await startCluster({ clock: { speed: 600 } })
    expect(world.cluster.canMoveTime).toBe(false)
    await world.cluster.apply(web(2))
    await world.eventually(async () =>
      expect((await world.object(deployment)()).status.readyReplicas).toBe(2)
    )
    await expect(world.eventually(() => false, { within: "30s" })).rejects.toThrow(
      /did not hold within \S+s$/
    )
  })

  it("lets attached programs act before time moves", async () => {
    await using world = await startCluster({ serve: true })
    const client = await openRemoteCluster({ kubeconfig: world.kubeconfigFile() })
    const program = (async () => {
      for await (const { type, object } of client.watch("pods")) {
        if (type !== "ADDED") continue
        const { name } = object.metadata
        await client.create({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default" } })
      }
    })().catch(() => {})
    await client.apply(web(3))
    await world.eventually(async () => {
      const { items } = await world.cluster.list("configmaps", { namespace: "default" })
      expect(items.filter(({ metadata }) => metadata.name?.startsWith("web-"))).toHaveLength(3)
    }, shortQuiet)
    const [first] = world.requests.all({ verb: "create", resource: "configmaps" })
    expect(first?.at).toBe("2026-01-01T00:00:00.000Z")
    await world.stop()
    // Otherwise it would request its watch again.
    client.close()
    await program
  })

  it("moves virtual time past delays of requests", async () => {
    await using world = await openTraffic()
    const create = (name: string) => world.ask("POST", paths.configMaps, { body: configMap(name) })
    const startedAt = performance.now()
    world.intercept({ verb: "create", resource: "configmaps", times: 1 }, delay("5m"))
    let delayed: number | undefined
    const asking = create("delayed").then(({ code }) => (delayed = code))
    await waitUntil(() => world.requests.sleeping() === 1)
    await world.eventually(() => delayed === 201)
    await asking
    expect(world.cluster.now().toISOString()).toBe("2026-01-01T00:05:00.000Z")
    await using _slow = await world.cluster.fault({ fault: "writesSlow", of: "clients", by: "4m" })
    let slow: number | undefined
    const writing = create("slow").then(({ code }) => (slow = code))
    await waitUntil(() => world.requests.sleeping() === 1)
    await world.consistently(() => slow === undefined, { for: "3m59s" })
    await world.eventually(() => slow === 201)
    await writing
    expect([world.requests.sleeping(), world.requests.underWay()]).toEqual([0, 0])
    // Waiting a second at each of some 200 instants would take longer.
    expect(performance.now() - startedAt).toBeLessThan(20_000)
  })

  it("refuses an invalid duration", async () => {
    await using world = await startCluster()
    await expect(world.eventually(() => true, { within: "soon" })).rejects.toThrow(
      'within must be a duration such as "250ms", "1.5s" or "1h30m", or milliseconds, not "soon"'
    )
    await expect(world.consistently(() => true, { for: -1 })).rejects.toThrow("milliseconds, not -1")
  })
})

describe("consistently", () => {
  it("checks at each instant", async () => {
    await using world = await startCluster({ seed: 5 })
    await world.cluster.apply(web(4))
    await world.rolledOut("web")
    const seen: Array<number> = []
    await world.cluster.patch(deployment, {
      spec: { template: { spec: { containers: [{ name: "web", image: "registry.example/web:2.0" }] } } }
    })
    await world.consistently(
      async () => {
        const { status } = await world.object(deployment)()
        seen.push(status.availableReplicas ?? 0)
        expect(status.availableReplicas).toBeGreaterThanOrEqual(3)
      },
      { for: "10m" }
    )
    expect(new Set(seen)).toContain(3)
    expect(world.cluster.now().getTime() - Date.UTC(2026, 0, 1)).toBeGreaterThanOrEqual(600_000)
  })

  it("throws at the first instant at which the condition fails", async () => {
    await using world = await startCluster({ seed: 5 })
    await world.cluster.apply(web(4))
    const failing = world.consistently(async () => {
      expect((await world.object(deployment)()).status.readyReplicas ?? 0).toBeLessThan(4)
    })
    await expect(failing).rejects.toThrow(/did not hold any more after [12]\.\d+s of virtual time$/)
    expect((await world.object(deployment)()).status.readyReplicas).toBe(4)
  })
})

describe("a started cluster", () => {
  it("rejects rolledOut for a failed rollout and for a missing Deployment", async () => {
    await using world = await startCluster({
      behaviours: [{ name: "broken", match: { image: "*" }, pull: { failures: 1000 } }]
    })
    await world.cluster.apply(web(1))
    await expect(world.rolledOut("web")).rejects.toThrow(
      'the rollout of "web" is failed: deployment "web" exceeded its progress deadline'
    )
    await expect(world.rolledOut("other")).rejects.toThrow(NotFound)
    await expect(world.rolledOut("web", { within: "1s" })).rejects.toThrow('the rollout of "web" is failed')
    await world.cluster.apply({ ...web(1), metadata: { name: "second" } })
    await expect(world.settled(50)).rejects.toThrow("an actor is still moving after 50ms")
  })

  it("has a URL when served, and removes its kubeconfig file when stopped", async () => {
    const { existsSync, statSync } = await import("node:fs")
    await using unserved = await startCluster()
    expect(unserved).not.toHaveProperty("url")
    const started = await startCluster({ serve: { name: "mine" } })
    const file = started.kubeconfigFile()
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(started.kubeconfig).toContain("current-context: charthouse-mine")
    await started.stop()
    expect(existsSync(file)).toBe(false)
    await expect(startCluster({ serve: { port: -1 } })).rejects.toThrow("port must be an integer")
  })

  it("has a seed by its test's name", () => {
    const names = Array.from({ length: 500 }, (_, index) => `suite > test ${index}`)
    expect(new Set(names.map(seedFromName)).size).toBe(500)
    expect(seedFromName("suite > test 1")).toBe(seedFromName("suite > test 1"))
    expect(names.map(seedFromName).every((seed) => Number.isSafeInteger(seed) && seed >= 0)).toBe(true)
  })
})
