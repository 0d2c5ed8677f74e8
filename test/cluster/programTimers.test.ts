import * as Effect from "effect/Effect"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { aManifest, deploymentManifest } from "../builders.ts"
import { Cluster } from "../../src/cluster/cluster.ts"
import { runEventLoopTurns } from "../../src/testing/realTime.ts"
import { openCluster } from "../../src/cluster/openCluster.ts"
import type { OpenCluster, OpenOptions } from "../../src/cluster/openCluster.ts"

const minute = 60_000
const counter = { resource: "configmaps", name: "counter" } as const
const tenMinutes = ["00:10", "00:20", "00:30", "00:40", "00:50", "01:00"]

/** Two calls, the second with the first one's result: adds one to a counter. */
type Reconcile = () => Promise<void>

const inProcess =
  async (cluster: OpenCluster): Promise<Reconcile> =>
  async () => {
    const { data } = await cluster.get(counter)
    await cluster.patch(counter, { data: { count: String(Number(data?.["count"]) + 1) } })
  }

const overHttp =
  (serveOptions: { readonly tls: boolean }) =>
  async (cluster: OpenCluster): Promise<Reconcile> => {
    const { url, token } = await cluster.serve(serveOptions)
    const path = `${url}/api/v1/namespaces/default/configmaps/counter`
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/merge-patch+json" }
    return async () => {
      const { data } = (await (await fetch(path, { headers })).json()) as { data: { count: string } }
      const body = JSON.stringify({ data: { count: String(Number(data.count) + 1) } })
      await (await fetch(path, { method: "PATCH", headers, body })).text()
    }
  }

/** A cluster with the counter, and the times and values of its changes. */
const openCounting = async (options: OpenOptions = {}) => {
  const cluster = await openCluster(options)
  await cluster.create(aManifest("ConfigMap", { name: "counter" }, { data: { count: "0" } }))
  const counts: Array<string> = []
  cluster.onChange("configmaps", ({ type, object }) => {
    if (type === "MODIFIED")
      counts.push(`${cluster.now().toISOString().slice(11, 16)} ${object.data?.["count"]}`)
  })
  return { cluster, counts, [Symbol.asyncDispose]: cluster.close }
}

const programs = [
  { where: "in the process", connect: inProcess },
  { where: "over HTTP", connect: overHttp({ tls: false }) }
]
const everyTenMinutes = tenMinutes.map((time, index) => `${time} ${index + 1}`)

describe("an operator that requeues after ten minutes", () => {
  it.each(programs)("reconciles at six instants of an hour, $where", async ({ connect }) => {
    await using world = await openCounting()
    const { cluster, counts } = world
    const reconcile = await connect(cluster)
    const requeue = (): void =>
      void cluster.timers.setTimeout(async () => {
        await reconcile()
        requeue()
      }, 10 * minute)
    requeue()
    await cluster.advance("1h")
    expect(counts).toEqual(everyTenMinutes)
  })

  it.each(programs)("by a loop with cluster.sleep does so too, $where", async ({ connect }) => {
    await using world = await openCounting()
    const { cluster, counts } = world
    const reconcile = await connect(cluster)
    const loop = (async () => {
      while (counts.length < 6) {
        await cluster.sleep("10m")
        await reconcile()
      }
    })()
    await cluster.advance("1h")
    expect(counts).toEqual(everyTenMinutes)
    await loop
  })

  it("is waited for until a slow interceptor has answered it", async () => {
    await using world = await openCounting()
    const { cluster, counts } = world
    const reconcile = await overHttp({ tls: false })(cluster)
    cluster.intercept({ resource: "configmaps" }, async () => {
      await runEventLoopTurns(200)
      return undefined
    })
    cluster.timers.setTimeout(reconcile, 10 * minute)
    cluster.timers.setTimeout(() => {}, 10 * minute + 1)
    await cluster.advance("1h")
    expect(counts).toEqual(["00:10 1"])
  })

  it("is waited for by every call that moves time", async () => {
    await using world = await openCounting()
    const { cluster, counts } = world
    const startMillis = cluster.now().getTime()
    const reconcile = await overHttp({ tls: false })(cluster)
    cluster.timers.setInterval(reconcile, 1000)
    const countWhen = async (move: () => Promise<unknown>): Promise<number> => {
      const secondsAfter = (): number => Math.floor((cluster.now().getTime() - startMillis) / 1000)
      const before = counts.length - secondsAfter()
      await move()
      return counts.length - secondsAfter() - before
    }
    await cluster.apply(deploymentManifest({ replicas: 3 }))
    const secondsMissed = {
      rollout: await countWhen(() => cluster.rollout("web")),
      settle: await countWhen(() => cluster.settle()),
      sleep: await countWhen(() => cluster.sleep("5s")),
      until: await countWhen(() => cluster.until(() => counts.length >= 20)),
      step: await countWhen(async () => {
        while (counts.length < 25) await cluster.clock.step()
      })
    }
    expect(secondsMissed).toEqual({ rollout: 0, settle: 0, sleep: 0, until: 0, step: 0 })
  })

  it("sees the same instants on a clock that runs", async () => {
    await using world = await openCounting({ clock: { speed: 36_000 } })
    const { cluster } = world
    const instants: Array<number> = []
    await new Promise<void>((resolve) => {
      cluster.timers.setInterval(() => {
        instants.push(cluster.timers.Date.now())
        if (instants.length === 5) resolve()
      }, 10 * minute)
    })
    const distances = instants.slice(1).map((instant, index) => instant - (instants[index] ?? 0))
    expect(distances).toEqual([10, 10, 10, 10].map((it) => it * minute))
  })
})

describe("time goes on", () => {
  it("beside a program that polls without a pause", async () => {
    await using world = await openCounting()
    const { cluster } = world
    const { url } = await cluster.serve({ tls: false, token: "a-token" })
    let isOver = false
    let polling: Promise<void> | undefined
    cluster.timers.setTimeout(() => {
      polling = (async () => {
        const headers = { authorization: "Bearer a-token" }
        while (!isOver) await (await fetch(`${url}/api/v1/pods`, { headers })).text()
      })()
    }, 1000)
    await cluster.advance("1m")
    isOver = true
    await polling
    expect(cluster.now().toISOString()).toBe("2026-01-01T00:01:00.000Z")
  }, 60_000)

  it("when an answer waits for time, by an interceptor or a delay", async () => {
    await using world = await openCounting()
    const { cluster, counts } = world
    const reconcile = await overHttp({ tls: false })(cluster)
    let waits = 0
    cluster.intercept({ verb: "get", resource: "configmaps" }, async () => {
      waits += 1
      await cluster.sleep("3m")
      return undefined
    })
    cluster.timers.setTimeout(reconcile, minute)
    await cluster.advance("10m")
    expect({ waits, counts }).toEqual({ waits: 1, counts: ["00:04 1"] })
  })

  it("when a callback moves time itself: that is done afterwards", async () => {
    await using cluster = await openCluster()
    const moves: Array<string> = []
    cluster.timers.setTimeout(async () => {
      await cluster.advance("1m")
      moves.push(cluster.now().toISOString())
    }, minute)
    await Promise.all([cluster.advance("5m"), cluster.sleep("7m")])
    expect(moves).toEqual(["2026-01-01T00:06:00.000Z"])
  })
})

describe("a pending timer of a program", () => {
  it("does not keep the cluster moving, and is the clock's next step", async () => {
    await using cluster = await openCluster({ nodes: 0 })
    await cluster.settle()
    const { now } = cluster.clock.state()
    const calls: Array<string> = []
    cluster.clock.at("2026-01-01T00:00:00.005Z", () => calls.push(cluster.now().toISOString()))
    expect(await cluster.settle()).toBe(true)
    expect(cluster.clock.state()).toMatchObject({ now, next: "2026-01-01T00:00:00.005Z" })
    expect(await cluster.clock.step()).toBe(true)
    expect(calls).toEqual(["2026-01-01T00:00:00.005Z"])
  })

  it("is in no snapshot, and prevents none", async () => {
    await using cluster = await openCluster({ seed: 7 })
    const calls: Array<string> = []
    cluster.timers.setInterval(() => calls.push(cluster.now().toISOString()), minute)
    cluster.clock.at("2025-01-01T00:00:00Z", () => calls.push("past"))
    await using fork = await cluster.fork()
    await fork.advance("5m")
    expect(calls).toEqual(["past"])
    expect(fork.timers.performance.now()).toBe(5 * minute)
    const forkCalls: Array<string> = []
    fork.timers.setTimeout(() => forkCalls.push(fork.timers.Date()), minute)
    await fork.advance("1m")
    expect(forkCalls).toEqual([new Date("2026-01-01T00:06:00Z").toString()])
    await cluster.advance("1m")
    expect(calls).toEqual(["past", "2026-01-01T00:01:00.000Z"])
  })

  it("is dropped as soon as the cluster is being closed", async () => {
    const cluster = await openCluster({ seed: 7 })
    await cluster.apply(deploymentManifest({ replicas: 3 }))
    const calls: Array<string> = []
    cluster.clock.at("2025-01-01T00:00:00Z", () => calls.push("past"))
    const advancing = cluster.advance("1m")
    cluster.timers.setInterval(() => calls.push("interval"), 1)
    const closing = cluster.close()
    await expect(advancing).rejects.toThrow("the cluster is closed")
    await closing
    await runEventLoopTurns(5)
    expect(calls).toEqual([])
  })

  it("is set by the calls of the Effect service as well", async () => {
    const program = Effect.gen(function* () {
      const cluster = yield* Cluster
      const calls: Array<string> = []
      cluster.timers.setTimeout(() => calls.push(cluster.timers.Date()), minute)
      cluster.clock.at("2026-01-01T00:02:00Z", () => calls.push(cluster.timers.Date()))
      yield* cluster.advance("1h")
      return calls
    })
    const calls = await Effect.runPromise(Effect.provide(program, Cluster.layer()))
    const minutes = ["2026-01-01T00:01:00Z", "2026-01-01T00:02:00Z"]
    expect(calls).toEqual(minutes.map((at) => new Date(at).toString()))
  })
})

describe("a callback of a timer that fails", () => {
  const failure = new Error("expected 1 to be 2")
  const logged: Array<string> = []
  beforeEach(() => {
    logged.length = 0
    vi.spyOn(console, "error").mockImplementation((...parts: ReadonlyArray<unknown>) => {
      logged.push(parts.map(String).join(" "))
    })
  })
  afterEach(() => vi.restoreAllMocks())

  it.each([
    {
      how: "throws",
      fail: () => {
        throw failure
      }
    },
    { how: "returns a promise that is rejected", fail: () => Promise.reject(failure) }
  ])("rejects the call that moves time, and is logged once: it $how", async ({ fail }) => {
    await using cluster = await openCluster()
    const calls: Array<string> = []
    const interval = cluster.timers.setInterval(() => {
      calls.push("called")
      return fail()
    }, minute)
    await expect(cluster.advance("3m")).rejects.toBe(failure)
    expect(calls).toEqual(["called", "called", "called"])
    expect(logged).toHaveLength(1)
    expect(logged[0]).toContain("the callback of timers.setInterval failed")
    cluster.timers.clearInterval(interval)
    await cluster.advance("3m")
  })

  it('rejects no call with observerErrors: "report"', async () => {
    await using cluster = await openCluster({ observerErrors: "report" })
    cluster.clock.at("2026-01-01T00:01:00Z", () => Promise.reject(failure))
    await cluster.advance("3m")
    expect(logged).toHaveLength(1)
  })
})

describe("a program that uses the global functions", () => {
  afterEach(() => {
    vi.unstubAllGlobals()
    vi.useRealTimers()
  })
  /** Knows no cluster. */
  const keepTime = (notes: Array<string>): void => {
    setInterval(() => notes.push(new Date().toISOString()), 10 * minute)
  }
  const instants = tenMinutes.map((time) => `2026-01-01T${time}:00.000Z`)

  it.each(["virtual", { speed: 36_000 }] as const)(
    "runs on the cluster's clock when they are replaced (clock: %o)",
    async (clock) => {
      await using cluster = await openCluster({ clock, startMillis: Date.UTC(2026, 0, 1) })
      const { performance: _performance, ...functions } = cluster.timers
      for (const [name, value] of Object.entries(functions)) vi.stubGlobal(name, value)
      const notes: Array<string> = []
      keepTime(notes)
      const millis = (): ReadonlyArray<number> => notes.map((it) => Date.parse(it))
      if (clock === "virtual") await cluster.advance("1h")
      else await cluster.until(() => notes.length === 6)
      expect(millis().map((it, _index, all) => it - (all[0] ?? 0))).toEqual(
        [0, 10, 20, 30, 40, 50].map((it) => it * minute)
      )
    }
  )

  it("runs in step with the cluster when fake timers are moved by its clock", async () => {
    await using cluster = await openCluster()
    vi.useFakeTimers({ now: cluster.now(), toFake: ["setInterval", "clearInterval", "Date"] })
    const notes: Array<string> = []
    keepTime(notes)
    cluster.timers.setInterval(() => vi.advanceTimersByTimeAsync(minute), minute)
    await cluster.advance("1h")
    expect(notes).toEqual(instants)
  })
})
