import { runInNewContext } from "node:vm"
import * as Effect from "effect/Effect"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { aManifest } from "../builders.ts"
import { Cluster } from "../../src/cluster/cluster.ts"
import { letThrough } from "../../src/server/traffic/interceptors.ts"
import { openCluster } from "../../src/cluster/openCluster.ts"
import { catchObserverErrors } from "../../src/runtime/actors/actorObserver.ts"
import { makeErrorCatcher } from "../../src/runtime/observers.ts"
import { deploymentManifest } from "./testCluster.ts"
import type { OpenCluster, OpenOptions } from "../../src/cluster/openCluster.ts"
import type { ActorObserver } from "../../src/runtime/actors/actorObserver.ts"

const failure = new Error("expected 1 to be 2")
const fail = (): never => {
  throw failure
}

const unreadable = new Proxy(new Error("unreadable"), {
  get: () => {
    throw new Error("not to be read")
  }
})

/** The kinds of observers, each with a program that sets one. */
const observers: ReadonlyArray<{
  readonly name: string
  readonly options?: (callback: () => unknown) => OpenOptions
  readonly observe?: (cluster: OpenCluster, callback: () => unknown) => void
}> = [
  { name: "onChange", observe: (cluster, callback) => cluster.onChange(callback) },
  { name: "inspect", options: (callback) => ({ inspect: () => void callback() }) }
]

const logged: Array<string> = []

describe("an observer that throws", () => {
  beforeEach(() => {
    logged.length = 0
    vi.spyOn(console, "error").mockImplementation((...parts: ReadonlyArray<unknown>) => {
      logged.push(parts.map(String).join(" "))
    })
  })
  afterEach(() => vi.restoreAllMocks())

  for (const { name, options, observe } of observers) {
    it(`(${name}) is called again, logged once with its cause, and rejects the observed call`, async () => {
      let calls = 0
      const callback = (): never => {
        calls += 1
        return fail()
      }
      const cluster = await openObserved(options?.(callback))
      observe?.(cluster, callback)
      await expect(cluster.apply(deploymentManifest({ replicas: 3 }))).rejects.toBe(failure)
      // The call has been performed, and the rollout goes on.
      expect(await cluster.rollout("web")).toMatchObject({ outcome: "complete" })
      expect(calls).toBeGreaterThan(20)
      expect(logged).toHaveLength(1)
      expect(logged[0]).toMatch(/Error: expected 1 to be 2\n +at .*observers\.test\.ts/)
      await cluster.close()
    })

    it(`(${name}) rejects no call with observerErrors: "report"`, async () => {
      const cluster = await openCluster({ observerErrors: "report", ...options?.(fail) })
      observe?.(cluster, fail)
      await cluster.apply(deploymentManifest({ replicas: 3 }))
      expect(await cluster.rollout("web")).toMatchObject({ outcome: "complete" })
      await cluster.close()
      expect(logged).toHaveLength(1)
    })
  }

  it("rejects close() when no other call comes first, and the cluster is closed", async () => {
    const cluster = await openCluster({ clock: { speed: 1000 } })
    await cluster.apply(deploymentManifest({ replicas: 1 }))
    await new Promise<void>((resolve) => {
      cluster.onChange(() => {
        resolve()
        return fail()
      })
    })
    await expect(cluster.close()).rejects.toBe(failure)
    await expect(cluster.settle()).rejects.toThrow("closed")
  })

  it("may be asynchronous: its rejection counts, and does not end the process", async () => {
    const cluster = await openCluster()
    cluster.onChange(() => Promise.reject(failure))
    await changeAndRest(cluster)
    await expect(cluster.settle()).rejects.toBe(failure)
    await cluster.close()
  })

  it.each([
    { what: "an error whose message cannot be read", error: unreadable, shown: "the error cannot be shown" },
    { what: "a symbol", error: Symbol("s"), shown: "Symbol(s)" },
    { what: "nothing", error: undefined, shown: "undefined" }
  ])("may throw any value: $what is logged and rejects the next call", async ({ error, shown }) => {
    const cluster = await openCluster()
    cluster.onChange(() => {
      throw error
    })
    await expect(cluster.apply(deploymentManifest({ replicas: 1 }))).rejects.toBe(error)
    expect(await cluster.rollout("web")).toMatchObject({ outcome: "complete" })
    expect(logged).toHaveLength(1)
    expect(logged[0]).toContain(shown)
    await cluster.close()
  })

  it("may return a promise of another realm", async () => {
    const cluster = await openCluster()
    cluster.onChange(() => runInNewContext("Promise.reject(new Error('of another realm'))"))
    await changeAndRest(cluster)
    await expect(cluster.settle()).rejects.toThrow("of another realm")
    await cluster.close()
  })

  it("rejects a call that only reads the recording", async () => {
    const cluster = await openCluster({ record: true })
    cluster.onChange(() => Promise.reject(failure))
    await changeAndRest(cluster)
    await expect(cluster.recording()).rejects.toBe(failure)
    await cluster.close()
  })

  it("(an interceptor) causes a 500, and rejects the program's next call", async () => {
    const cluster = await openCluster()
    const { url, token } = await cluster.serve({ tls: false })
    const get = async (): Promise<number> => {
      const headers = { authorization: `Bearer ${token}` }
      return (await fetch(`${url}/api/v1/pods`, { headers })).status
    }
    cluster.intercept({ times: 1 }, fail)
    cluster.intercept({ verb: "watch" }, letThrough)
    expect([await get(), await get()]).toEqual([500, 200])
    await expect(cluster.settle()).rejects.toBe(failure)
    await cluster.close()
  })

  it("rejects the next effect of a Cluster layer", async () => {
    const program = Effect.gen(function* () {
      const cluster = yield* Cluster
      cluster.onChange(fail)
      yield* cluster.advance(60_000)
    })
    await expect(Effect.runPromise(Effect.provide(program, Cluster.layer()))).rejects.toThrow(failure.message)
  })

  it("(a recorder of steps) does not disturb actors, whichever of its methods throws", () => {
    const observer: ActorObserver = {
      actorStarted: fail,
      macrostepTaken: fail,
      actorStopped: fail,
      actorWoken: fail,
      objectMissing: fail,
      eventRecorded: fail,
      observeCommands: fail,
      observeWrites: fail
    }
    const guarded = catchObserverErrors(observer, makeErrorCatcher("a recorder"))
    const performing = guarded.observeCommands("uid")
    guarded.objectMissing("pod", "default/a")
    guarded.actorStopped("uid")
    performing.finished()
    guarded.observeWrites("scheduler")
    expect(logged).toHaveLength(1)
  })
})

/** Makes one change, and lets the callbacks' promises settle. */
const changeAndRest = async (cluster: OpenCluster): Promise<void> => {
  await cluster.create(aManifest("ConfigMap", { name: "a" }))
  await new Promise((resolve) => setImmediate(resolve))
}

/** Opens a cluster whose inspector is called only after it is open. */
const openObserved = async (options: OpenOptions = {}): Promise<OpenCluster> => {
  const { inspect } = options
  if (typeof inspect !== "function") return openCluster(options)
  let isOpen = false
  const cluster = await openCluster({
    ...options,
    inspect: (event) => {
      if (isOpen) inspect(event)
    }
  })
  isOpen = true
  return cluster
}
