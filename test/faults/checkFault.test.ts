import { describe, expect, it } from "vitest"
import { FaultRefused, openCluster } from "../../src/index.ts"
import { checkFault } from "../../src/faults/checkFault.ts"
import { deploymentManifest } from "../cluster/testCluster.ts"
import type { Fault, FaultGiven } from "../../src/index.ts"

describe("a fault passed by a program", () => {
  it.each([
    { why: "null", input: null, message: "fault null: a fault is a map of fields, such as" },
    { why: "a list", input: [{ fault: "kill" }], message: "fault […]: a fault is a map of fields" },
    { why: "a name only", input: "crash", message: "fault crash: a fault is a map of fields" },
    { why: "no fault name", input: {}, message: "fault undefined: there is no such fault: there are crash" },
    { why: "no Pods", input: { fault: "crash" }, message: "fault crash: pods is required" },
    {
      why: "a name that every object inherits",
      input: { fault: "toString" },
      message: "fault toString: there is no such"
    },
    {
      why: "a misspelt field, which must not choose all Pods",
      input: { fault: "crash", pods: { deploymnt: "web" } },
      message: "fault crash: pods.deploymnt is not a field here; did you mean deployment?"
    },
    {
      why: "a duration that is none",
      input: { fault: "nodeLost", node: "node-1", for: "long" },
      message: "fault nodeLost: for must be a duration with its unit"
    },
    {
      why: "a negative duration",
      input: { fault: "nodeLost", node: "node-1", for: -1 },
      message: "fault nodeLost: for must not be negative, as -1ms is"
    },
    {
      why: "a duration that is NaN",
      input: { fault: "nodeLost", node: "node-1", for: Number.NaN },
      message:
        'fault nodeLost: for must be a duration with its unit, such as "250ms", "1.5s" or "1h30m", not NaN'
    },
    {
      why: "no image",
      input: { fault: "pullFails" },
      message: "fault pullFails: image is required"
    },
    {
      why: "several mistakes at once",
      input: { fault: "writesSlow", of: "me", by: "1" },
      message: /of must be one of .*; by must be a duration/
    }
  ])("is refused with a sentence and changes nothing: $why", async ({ input, message }) => {
    await using cluster = await openCluster()
    await cluster.apply(deploymentManifest({ replicas: 2 }))
    await cluster.rollout("web")
    const fault = cluster.fault(input as never)
    await expect(fault).rejects.toBeInstanceOf(FaultRefused)
    await expect(fault).rejects.toThrow(message)
    await cluster.advance("10s")
    expect([cluster.faults(), (await cluster.get(web)).status.readyReplicas]).toEqual([[], 2])
  })

  it("takes durations as text or milliseconds, and ignores undefined fields", () => {
    const input = { fault: "flap", pods: { name: undefined }, ready: 1500, unready: "2s", for: 60_000 }
    expect(checkFault(input)).toEqual({
      fault: "flap",
      pods: {},
      ready: "1.5s",
      unready: "2s",
      for: "1m"
    } satisfies Fault)
    const slow: FaultGiven = { fault: "slowStart", pods: {}, by: 250 }
    expect(checkFault(slow)).toMatchObject({ by: "250ms" })
  })

  it("can be listed and ended, also in a cluster restored from a snapshot", async () => {
    await using cluster = await openCluster()
    await cluster.advance(500)
    await cluster.fault({ fault: "nodeCordoned", node: "node-1" })
    const { id } = await cluster.fault({ fault: "writesSlow", of: "clients", by: 10, for: 70_000 })
    await using fork = await openCluster({ from: await cluster.snapshot() })
    const beganMillis = Date.parse("2026-01-01T00:00:00.500Z")
    for (const { faults } of [cluster, fork]) {
      expect(faults()).toMatchObject([
        { id: "fault-1", fault: { fault: "nodeCordoned" }, beganMillis, endsMillis: undefined },
        { id, fault: { by: "10ms" }, beganMillis, endsMillis: beganMillis + 70_000 }
      ])
    }
    for (const { end } of fork.faults()) await end()
    expect([fork.faults().length, cluster.faults().length]).toEqual([0, 2])
    const node = { resource: "nodes", name: "node-1" } as const
    expect(await fork.get(node)).not.toHaveProperty("spec.unschedulable")
    expect(await cluster.get(node)).toHaveProperty("spec.unschedulable", true)
  })

  it("reports how many Pods it hit while it lasts and after its end", async () => {
    await using cluster = await openCluster()
    await cluster.apply(deploymentManifest({ replicas: 2 }))
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
