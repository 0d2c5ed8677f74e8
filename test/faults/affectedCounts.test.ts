import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { deploymentManifest, replaceSpec } from "../cluster/testCluster.ts"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
import { setVersion } from "./rollouts.ts"
import { inFaultCluster } from "./faultCluster.ts"
import type { Fault } from "../../src/faults/fault.ts"
import type { FaultCluster } from "./faultCluster.ts"

const web = { deployment: "web" }

/** Rolls three Pods over to v2, and lets a minute pass. */
const rollOver = ({ cluster, pass }: FaultCluster) => Effect.andThen(setVersion(cluster, 3), pass(60))
const nothing = ({ pass }: FaultCluster) => pass(60)

describe("a lasting fault counts what it affects", () => {
  it.for<readonly [why: string, fault: Fault, act: typeof nothing, met: number | undefined]>([
    ["Pods created meanwhile", { fault: "slowStart", pods: web, by: "2s" }, rollOver, 3],
    [
      "the first new Pods, up to count",
      { fault: "slowStart", pods: { ...web, count: 1 }, by: "2s" },
      rollOver,
      1
    ],
    ["no Pod when none is created", { fault: "slowStart", pods: web, by: "2s" }, nothing, 0],
    ["Pods that cannot pull their image", { fault: "pullFails", image: "*:v2" }, rollOver, 1],
    ["no Pod when no Pod pulls the image", { fault: "pullFails", image: "*:v3" }, rollOver, 0],
    ["no Pod when the image is already there", { fault: "pullFails", image: "*" }, nothing, 0],
    [
      "refused writes, up to times",
      { fault: "writesRefused", of: "replicaSet", code: 409, resource: "pods", times: 2 },
      rollOver,
      2
    ],
    [
      "no write to a resource that is not written",
      { fault: "writesRefused", of: "deployment", code: 409, resource: "services" },
      rollOver,
      0
    ],
    ["late writes: three bindings", { fault: "writesSlow", of: "scheduler", by: "100ms" }, rollOver, 3],
    [
      "no write when the controller writes none",
      { fault: "writesSlow", of: "scheduler", by: "100ms" },
      nothing,
      0
    ],
    ["Pods that existed when it began", { fault: "hang", pods: web }, rollOver, 3],
    ["nothing for a fault of a node", { fault: "nodeCordoned", node: "node-1" }, rollOver, undefined]
  ])("%s", ([_why, fault, act, met]) =>
    inFaultCluster({}, (fixture) =>
      Effect.gen(function* () {
        const handle = yield* fixture.beginFault(fault)
        yield* act(fixture)
        expect(handle.met()).toBe(met)
        yield* handle.end
        yield* setVersion(fixture.cluster, 3, "v4")
        yield* fixture.pass(10)
        // Pods and writes after its end are not counted.
        expect(handle.met()).toBe(met)
      })
    )
  )

  it("a Pod that retries its pull counts once", () =>
    inFaultCluster({ manifest: { replicas: 1 } }, ({ cluster, beginFault, pass, podsOf }) =>
      Effect.gen(function* () {
        const handle = yield* beginFault({ fault: "pullFails", image: "*:v2" })
        yield* replaceSpec(cluster, deploymentManifest({ replicas: 1, version: "v2" }))
        yield* pass(300)
        expect(handle.met()).toBe(1)
        const waiting = podsOf().find(({ status }) => status.phase === "Pending")
        const name = waiting?.metadata.name ?? ""
        yield* Effect.orDie(cluster.delete({ resource: resources.pods, name }))
        yield* pass(60)
        expect(handle.met()).toBe(2)
      })
    ))

  it("the count goes on in a cluster restored from a snapshot", () =>
    inFaultCluster({}, ({ cluster, beginFault, pass }) =>
      Effect.gen(function* () {
        const faults: ReadonlyArray<Fault> = [
          { fault: "slowStart", pods: web, by: "2s" },
          { fault: "pullFails", image: "*:v2" },
          { fault: "writesRefused", of: "replicaSet", code: 409, verb: "create" },
          { fault: "writesSlow", of: "scheduler", by: "100ms" },
          { fault: "hang", pods: web, for: "1h" }
        ]
        for (const fault of faults) yield* beginFault(fault)
        yield* setVersion(cluster, 3)
        yield* pass(60)
        const met = (it: Pick<FaultCluster["cluster"], "faultInjector">) =>
          it.faultInjector.active().map((fault) => fault.met())
        const before = met(cluster)
        expect(before.map((count) => count !== undefined && count > 0)).toEqual([
          false,
          false,
          true,
          false,
          true
        ])
        const fork = yield* Effect.orDie(cluster.fork())
        expect(met(fork)).toEqual(before)
        yield* Effect.orDie(fork.advance(600_000))
        yield* pass(600)
        expect(met(fork)).toEqual(met(cluster))
        expect(met(fork)[2]).toBeGreaterThan(before[2] ?? 0)
      }).pipe(Effect.scoped)
    ))
})
