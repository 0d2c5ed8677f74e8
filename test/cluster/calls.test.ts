import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { describe, expect, it } from "vitest"
import { Cluster, Conflict, openCluster } from "../../src/index.ts"
import type { OpenCluster } from "../../src/index.ts"
import { deploymentManifest } from "./testCluster.ts"

const web = { resource: "deployments.apps", name: "web" } as const

describe("update", () => {
  it("replaces an object, and fails with Conflict once it has changed", async () => {
    await using cluster = await openCluster()
    await cluster.create(deploymentManifest({ replicas: 2 }))
    const read = await cluster.get(web)
    await cluster.update({ ...read, spec: { ...read.spec, replicas: 4 } })
    expect((await cluster.get(web)).spec.replicas).toBe(4)
    await expect(cluster.update(read)).rejects.toThrow(Conflict)
  })

  it("replaces the status alone, if asked to", async () => {
    await using cluster = await openCluster()
    await cluster.create(deploymentManifest({ replicas: 2 }))
    await cluster.settle()
    const { spec, status, ...rest } = await cluster.get(web)
    const changed = { ...rest, spec: { ...spec, replicas: 9 }, status: { ...status, collisionCount: 7 } }
    await cluster.update(changed, { status: true })
    const stored = await cluster.get(web)
    expect([stored.spec.replicas, stored.status.collisionCount]).toEqual([2, 7])
  })
})

describe("a program that calls without a pause", () => {
  it.each([
    { what: "calls of the cluster", call: (cluster: OpenCluster) => cluster.list("pods") },
    { what: "requests by fetch", call: (cluster: OpenCluster) => cluster.fetch("/version") }
  ])("lets timers run between its $what", async ({ call }) => {
    await using cluster = await openCluster()
    let hasTimerRun = false
    setTimeout(() => {
      hasTimerRun = true
    }, 1)
    // A timer that never ran would leave this loop to the runner's limit.
    while (!hasTimerRun) await call(cluster)
    expect(hasTimerRun).toBe(true)
  })

  it("does not keep virtual time from moving on", async () => {
    await using cluster = await openCluster()
    let isOver = false
    cluster.timers.setTimeout(async () => {
      while (!isOver) await cluster.list("pods")
    }, 1000)
    await cluster.advance("1m")
    isOver = true
    expect(cluster.now().toISOString()).toBe("2026-01-01T00:01:00.000Z")
  })
})

describe("sleep", () => {
  it("lets so much of a virtual cluster's time pass", async () => {
    await using cluster = await openCluster()
    const before = cluster.now().getTime()
    await cluster.sleep("90s")
    expect(cluster.now().getTime() - before).toBe(90_000)
  })

  it("ends in the order of end times", async () => {
    await using cluster = await openCluster()
    const ended: Array<string> = []
    const sleep = async (duration: string): Promise<void> => {
      await cluster.sleep(duration)
      ended.push(duration)
    }
    await Promise.all([sleep("3m"), sleep("1m"), sleep("2m")])
    expect(ended).toEqual(["1m", "2m", "3m"])
  })
})

describe("onChange with a resource", () => {
  it("calls back on changes of that resource alone", async () => {
    await using cluster = await openCluster()
    const seen: Array<string> = []
    cluster.onChange("deployments.apps", ({ object }) => {
      seen.push(`${object.kind} of ${object.spec.replicas}`)
    })
    await cluster.create({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" } })
    await cluster.create(deploymentManifest({ replicas: 2 }))
    await cluster.settle()
    expect(new Set(seen)).toEqual(new Set(["Deployment of 2"]))
  })

  it("refuses a resource that is not served", async () => {
    await using cluster = await openCluster()
    expect(() => cluster.onChange("websites.example.com", () => {})).toThrow(
      "the server doesn't have a resource type"
    )
  })
})

describe("the service Cluster", () => {
  const inCluster = <A, E>(program: Effect.Effect<A, E, Cluster>): Promise<A> =>
    Effect.runPromise(Effect.provide(program, Cluster.layer()) as Effect.Effect<A, E>)

  it("has every call of openCluster", async () => {
    await using opened = await openCluster()
    const ofPromises = Object.keys(opened).filter((name) => name !== "close")
    const ofEffects = await inCluster(Effect.map(Cluster, (cluster) => Object.keys(cluster)))
    expect(ofPromises.filter((name) => !ofEffects.includes(name))).toEqual([])
  })

  it("serves, logs and intercepts requests, and stops serving at the end of its scope", async () => {
    const url = await inCluster(
      Effect.gen(function* () {
        const cluster = yield* Cluster
        return yield* Effect.scoped(
          Effect.gen(function* () {
            const served = yield* cluster.serve({ tls: false })
            cluster.intercept({ resource: "pods" }, () => undefined)
            const headers = { authorization: `Bearer ${served.token}` }
            const path = "/api/v1/namespaces/default/pods"
            const { status } = yield* Effect.promise(() => fetch(`${served.url}${path}`, { headers }))
            expect([
              status,
              cluster.requests.all().map(({ verb, resource }) => `${verb} ${resource}`)
            ]).toEqual([200, ["list pods"]])
            return served.url
          })
        )
      })
    )
    await expect(fetch(url)).rejects.toThrow("fetch failed")
  })

  it("fails with the reason for which a patch cannot be applied", () =>
    inCluster(
      Effect.gen(function* () {
        const cluster = yield* Cluster
        yield* cluster.create(deploymentManifest({ replicas: 1 }))
        const error = yield* Effect.flip(cluster.patch(web, { kind: "Pod", apiVersion: "v1" }))
        expect(error._tag).toBe("UnapplicablePatch")
      })
    ))

  it("forks into a scope, begins and ends faults, and tells the time", () =>
    inCluster(
      Effect.gen(function* () {
        const cluster = yield* Cluster
        yield* cluster.apply([deploymentManifest({ replicas: 2 })])
        yield* cluster.settle()
        yield* Effect.scoped(
          Effect.gen(function* () {
            const fork = yield* cluster.fork()
            yield* fork.patch(web, { spec: { replicas: 5 } })
            yield* fork.sleep("1m")
            expect(fork.now().getTime() - cluster.now().getTime()).toBe(60_000)
            expect((yield* fork.get(web)).status.readyReplicas).toBe(5)
          })
        )
        expect((yield* cluster.get(web)).spec.replicas).toBe(2)
        const fault = yield* cluster.fault({ fault: "nodeCordoned", node: "node-1" })
        expect(cluster.faults().map(({ id }) => id)).toEqual([fault.id])
        yield* fault.end
        expect([cluster.faults(), fault.ended()]).toEqual([[], cluster.now()])
      })
    ))

  it("streams changes and records", () =>
    inCluster(
      Effect.gen(function* () {
        const cluster = yield* Cluster
        yield* cluster.recording
        cluster.note("it begins")
        yield* cluster.create(deploymentManifest({ replicas: 1 }))
        const [first] = yield* Stream.runCollect(Stream.take(cluster.watch("deployments.apps"), 1))
        expect(first?.object.spec.replicas).toBe(1)
        expect(yield* cluster.recording).toContain("it begins")
      })
    ))
})
