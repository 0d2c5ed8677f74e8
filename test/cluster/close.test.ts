import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { describe, expect, it } from "vitest"
import { makeCluster } from "../../src/cluster/cluster.ts"
import { refuse } from "../../src/server/traffic/interceptors.ts"
import { openCluster } from "../../src/cluster/openCluster.ts"
import { ClusterClosed } from "../../src/runtime/time/timeline.ts"
import { openInspector } from "../../src/inspect/stately.ts"
import { startCluster } from "../../src/testing/testing.ts"
import { deploymentManifest } from "./testCluster.ts"
import type { OpenCluster } from "../../src/cluster/openCluster.ts"

const web = { resource: "deployments.apps", name: "web" } as const

const firstOf = async <A>(given: AsyncIterable<A>): Promise<A | undefined> => {
  for await (const one of given) return one
  return undefined
}

/** The kinds of resources that keep the process alive. */
const resources = (): ReadonlyArray<string> =>
  process
    .getActiveResourcesInfo()
    .filter((kind) => kind === "Timeout" || kind === "Immediate" || kind.includes("Server"))
    .sort()

describe("closing a cluster", () => {
  for (const clock of ["virtual", "real", { speed: 60 }] as const) {
    it(`on a ${typeof clock === "object" ? "60x" : clock} clock leaves no timer, fiber or handle behind`, async () => {
      const before = resources()
      const cluster = await openCluster({ clock, behaviour: "steady" })
      await cluster.apply(deploymentManifest({ replicas: 20 }))
      let changes = 0
      cluster.onChange(() => (changes += 1))
      await cluster.close()
      const atClose = changes
      // Timers of the test runner may end meanwhile.
      expect(before).toEqual(expect.arrayContaining(resources() as Array<string>))
      // Remaining work would run within the next turns of the event loop.
      for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve))
      expect(changes).toBe(atClose)
    })
  }

  it("ends its watches", async () => {
    const cluster = await openCluster()
    const seen: Array<string> = []
    const watching = (async () => {
      for await (const { object } of cluster.watch("namespaces")) {
        seen.push(object.metadata.name)
        if (seen.length === 4) void cluster.close()
      }
    })()
    await watching
    expect(seen.sort()).toEqual(["default", "kube-node-lease", "kube-public", "kube-system"])
  })

  for (const clock of ["virtual", "real"] as const) {
    it(`rejects pending waits on a ${clock} clock, and later calls`, async () => {
      const cluster = await openCluster({ clock })
      await cluster.apply(deploymentManifest({ replicas: 1, container: { image: "app:v1" } }))
      const ended = cluster.until(() => false).catch((error: unknown) => String(error))
      await cluster.close()
      expect(await ended).toContain("the cluster is closed")
      await expect(cluster.settle()).rejects.toThrow("the cluster is closed")
      await expect(cluster.apply(deploymentManifest({}))).rejects.toThrow("the cluster is closed")
    })
  }

  const calls: ReadonlyArray<readonly [string, (cluster: OpenCluster) => unknown]> = [
    ["create", (cluster) => cluster.create(deploymentManifest({}))],
    ["apply", (cluster) => cluster.apply(deploymentManifest({}))],
    ["get", (cluster) => cluster.get(web)],
    ["list", (cluster) => cluster.list("pods")],
    ["watch", (cluster) => firstOf(cluster.watch("namespaces"))],
    ["patch", (cluster) => cluster.patch(web, {})],
    ["delete", (cluster) => cluster.delete(web)],
    ["bind", (cluster) => cluster.bind({ name: "web-1", node: "node-1" })],
    ["advance", (cluster) => cluster.advance("1s")],
    ["clock.step", (cluster) => cluster.clock.step()],
    ["clock.pause", (cluster) => cluster.clock.pause()],
    ["settle", (cluster) => cluster.settle()],
    ["until", (cluster) => cluster.until(() => true)],
    ["rollout", (cluster) => cluster.rollout("web")],
    ["events", (cluster) => cluster.events()],
    ["setKubelet", (cluster) => cluster.setKubelet("node-1", "stopped")],
    ["serve", (cluster) => cluster.serve({ tls: false })],
    ["requests.next", (cluster) => cluster.requests.next()],
    ["intercept", (cluster) => cluster.intercept({}, refuse(409))],
    ["snapshot", (cluster) => cluster.snapshot()],
    ["fork", (cluster) => cluster.fork()],
    ["fault", (cluster) => cluster.fault({ fault: "nodeLost", node: "node-1", for: "5m" })],
    ["faults", (cluster) => cluster.faults()],
    ["why", (cluster) => cluster.why(web)],
    ["onChange", (cluster) => cluster.onChange(() => {})]
  ]

  it.each(calls)("refuses %s afterwards", async (_, ask) => {
    const cluster = await openCluster({ why: true })
    await cluster.apply(deploymentManifest({ replicas: 1 }))
    await cluster.close()
    await expect((async () => ask(cluster))()).rejects.toThrow(ClusterClosed)
  })

  it("ends its faults, which can still be ended and disposed of", async () => {
    for (const clock of ["virtual", "real"] as const) {
      const cluster = await openCluster({ clock })
      await using fault = await cluster.fault({ fault: "nodeLost", node: "node-1", for: "5m" })
      await using kill = await cluster.fault({ fault: "writesRefused", of: "clients", code: 500 })
      const [listed] = cluster.faults()
      if (clock === "virtual") await cluster.advance("1m")
      expect(fault.ended()).toBeUndefined()
      await Promise.all([kill.end(), cluster.close()])
      expect(fault.ended()).toEqual(cluster.now())
      await Promise.all([fault.end(), fault.end(), listed?.end(), kill.end()])
      expect(fault.ended()).toEqual(cluster.now())
    }
  })

  it("keeps the time at which a fault ended before", async () => {
    const cluster = await openCluster()
    const fault = await cluster.fault({ fault: "nodeLost", node: "node-1", for: "5m" })
    await cluster.advance("10m")
    await cluster.close()
    expect(fault.ended()?.toISOString()).toBe("2026-01-01T00:05:00.000Z")
  })

  it("is waited for by every call, in any order with what belongs to the cluster", async () => {
    const inspector = await openInspector({ port: 0 })
    const cluster = await openCluster({ inspect: inspector })
    const served = await cluster.serve({ tls: false })
    const fork = await cluster.fork()
    const watched = await startCluster()
    const unsubscribe = cluster.onChange(() => {})
    const removeInterceptor = cluster.intercept({}, refuse(409))
    let isClosed = false
    const first = cluster.close().then(() => (isClosed = true))
    await cluster.close()
    expect(isClosed).toBe(true)
    await Promise.all([served.stop(), inspector.close()])
    await expect(fetch(`${served.url}/healthz`)).rejects.toThrow("fetch failed")
    await Promise.all([
      first,
      served[Symbol.asyncDispose](),
      cluster[Symbol.asyncDispose](),
      inspector.close()
    ])
    unsubscribe()
    removeInterceptor()
    expect((await fork.list("nodes")).items).not.toHaveLength(0)
    await Promise.all([fork.close(), fork.close()])
    await Promise.all([watched.cluster.close(), watched.stop(), watched.stop()])
  })

  it("ends the fibers that sleep on its timeline", async () => {
    const scope = Scope.makeUnsafe()
    const cluster = await Effect.runPromise(Effect.provideService(makeCluster(), Scope.Scope, scope))
    const sleeping = Effect.runPromiseExit(cluster.run(Effect.sleep(60_000)))
    await Effect.runPromise(Scope.close(scope, Exit.void))
    expect(String(await sleeping)).toContain("the cluster is closed")
  })

  it("happens at the end of `await using`", async () => {
    const before = resources()
    {
      await using cluster = await openCluster({ clock: "real" })
      await cluster.apply(deploymentManifest({ replicas: 2 }))
    }
    expect(resources()).toEqual(before)
  })
})
