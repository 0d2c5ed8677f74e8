import { describe, expect, it } from "vitest"
import { FaultRefused, openCluster } from "../../src/index.ts"
import { checkFault } from "../../src/faults/checkFault.ts"
import { aManifest } from "../cluster/worlds.ts"
import type { Fault, FaultGiven } from "../../src/index.ts"

/** Faults as programs give them, with types and without. */
describe("a fault given by a program", () => {
  it.each([
    { why: "no fault at all", given: null, says: "fault null: a fault is a map of fields, such as" },
    { why: "one at a time", given: [{ fault: "kill" }], says: "fault […]: a fault is a map of fields" },
    { why: "a name alone", given: "crash", says: "fault crash: a fault is a map of fields" },
    { why: "a fault of nobody", given: {}, says: "fault undefined: there is no such fault: there are crash" },
    { why: "whom?", given: { fault: "crash" }, says: "fault crash: pods is required" },
    { why: "what every object has", given: { fault: "toString" }, says: "fault toString: there is no such" },
    {
      why: "a field that is spelt wrong must not mean everybody",
      given: { fault: "crash", pods: { deploymnt: "web" } },
      says: "fault crash: pods.deploymnt is not a field here; did you mean deployment?"
    },
    {
      why: "a time in words is told as a time in a story",
      given: { fault: "nodeLost", node: "node-1", for: "long" },
      says: "fault nodeLost: for must be a duration with its unit"
    },
    {
      why: "time does not go back",
      given: { fault: "nodeLost", node: "node-1", for: -1 },
      says: "fault nodeLost: for must not be negative, as -1ms is"
    },
    {
      why: "nor for ever by accident",
      given: { fault: "nodeLost", node: "node-1", for: Number.NaN },
      says: 'fault nodeLost: for must be a duration with its unit, such as "250ms", "1.5s" or "1h30m", not NaN'
    },
    {
      why: "which image? Every Pod would ask",
      given: { fault: "pullFails" },
      says: "fault pullFails: image is required"
    },
    {
      why: "all that is wrong is told at once",
      given: { fault: "writesSlow", of: "me", by: "1" },
      says: /of must be one of .*; by must be a duration/
    }
  ])("that cannot be meant is refused in a sentence, and nothing is hurt: $why", async ({ given, says }) => {
    await using cluster = await openCluster()
    await cluster.apply(aManifest({ replicas: 2 }))
    await cluster.rollout("web")
    const begun = cluster.fault(given as never)
    await expect(begun).rejects.toBeInstanceOf(FaultRefused)
    await expect(begun).rejects.toThrow(says)
    await cluster.advance("10s")
    expect([cluster.faults(), (await cluster.get(web)).status.readyReplicas]).toEqual([[], 2])
  })

  it("has its times as text or in milliseconds, and what is undefined is left out", () => {
    const given = { fault: "flap", pods: { name: undefined }, ready: 1500, unready: "2s", for: 60_000 }
    expect(checkFault(given)).toEqual({
      fault: "flap",
      pods: {},
      ready: "1.5s",
      unready: "2s",
      for: "1m"
    } satisfies Fault)
    const slow: FaultGiven = { fault: "slowStart", pods: {}, by: 250 }
    expect(checkFault(slow)).toMatchObject({ by: "250ms" })
  })

  it("is found and ended by whoever wants it over, here and where a snapshot goes on", async () => {
    await using cluster = await openCluster()
    await cluster.advance(500)
    await cluster.fault({ fault: "nodeCordoned", node: "node-1" })
    const { id } = await cluster.fault({ fault: "writesSlow", of: "clients", by: 10, for: 70_000 })
    await using fork = await openCluster({ from: await cluster.snapshot() })
    const begun = Date.parse("2026-01-01T00:00:00.500Z")
    for (const { faults } of [cluster, fork]) {
      expect(faults()).toMatchObject([
        { id: "fault-1", fault: { fault: "nodeCordoned" }, beganMillis: begun, endsMillis: undefined },
        { id, fault: { by: "10ms" }, beganMillis: begun, endsMillis: begun + 70_000 }
      ])
    }
    for (const { end } of fork.faults()) await end()
    expect([fork.faults().length, cluster.faults().length]).toEqual([0, 2])
    const node = { resource: "nodes", name: "node-1" } as const
    expect(await fork.get(node)).not.toHaveProperty("spec.unschedulable")
    expect(await cluster.get(node)).toHaveProperty("spec.unschedulable", true)
  })

  it("says as long as it lasts, and when it is over, how many it has met", async () => {
    await using cluster = await openCluster()
    await cluster.apply(aManifest({ replicas: 2 }))
    await cluster.rollout("web")
    const slow = await cluster.fault({ fault: "slowStart", pods: {}, by: "1s" })
    expect(slow.met).toBe(0)
    await cluster.patch(web, { spec: { replicas: 5 } })
    await cluster.advance("1m")
    const fields = ["id", "fault", "beganMillis", "endsMillis", "met", "end"]
    expect(cluster.faults().map((it) => [it.met, Object.keys(it)])).toEqual([[3, fields]])
    await slow.end()
    await cluster.patch(web, { spec: { replicas: 9 } })
    await cluster.advance("1m")
    expect(slow.met).toBe(3)
  })
})

const web = { resource: "deployments.apps", name: "web" } as const
