import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { aManifest, change } from "../cluster/worlds.ts"
import { forkCluster } from "../../src/cluster/cluster.ts"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
import { roll } from "./rollouts.ts"
import { tell } from "./world.ts"
import type { Fault } from "../../src/faults/fault.ts"
import type { Told } from "./world.ts"

const web = { deployment: "web" }

/** Rolls three Pods over to v2, and lets a minute pass. */
const rollOver = ({ cluster, pass }: Told) => Effect.andThen(roll(cluster, 3), pass(60))
const nothing = ({ pass }: Told) => pass(60)

describe("whom a fault has met is counted while it lasts", () => {
  it.for<readonly [why: string, fault: Fault, happens: typeof nothing, met: number | undefined]>([
    ["Pods made meanwhile", { fault: "slowStart", pods: web, by: "2s" }, rollOver, 3],
    ["the first that come", { fault: "slowStart", pods: { ...web, count: 1 }, by: "2s" }, rollOver, 1],
    ["no Pod is made", { fault: "slowStart", pods: web, by: "2s" }, nothing, 0],
    ["who cannot pull", { fault: "pullFails", image: "*:v2" }, rollOver, 1],
    ["nobody pulls such an image", { fault: "pullFails", image: "*:v3" }, rollOver, 0],
    ["who has an image already pulls none", { fault: "pullFails", image: "*" }, nothing, 0],
    [
      "refusals, as many as there are to be",
      { fault: "writesRefused", of: "replicaSet", code: 409, resource: "pods", times: 2 },
      rollOver,
      2
    ],
    [
      "what is never written",
      { fault: "writesRefused", of: "deployment", code: 409, resource: "services" },
      rollOver,
      0
    ],
    ["late writes: three bindings", { fault: "writesSlow", of: "scheduler", by: "100ms" }, rollOver, 3],
    ["nobody writes", { fault: "writesSlow", of: "scheduler", by: "100ms" }, nothing, 0],
    ["Pods that were there as it began", { fault: "hang", pods: web }, rollOver, 3],
    ["what is of a node counts nothing", { fault: "nodeCordoned", node: "node-1" }, rollOver, undefined]
  ])("%s", ([_why, fault, happens, met]) =>
    tell({}, (told) =>
      Effect.gen(function* () {
        const handle = yield* told.strike(fault)
        yield* happens(told)
        expect(handle.met()).toBe(met)
        yield* handle.end
        yield* roll(told.cluster, 3, "v4")
        yield* told.pass(10)
        // What comes when it is over meets it no more.
        expect(handle.met()).toBe(met)
      })
    )
  )

  it("and a Pod that tries in vain again and again once", () =>
    tell({ manifest: { replicas: 1 } }, ({ cluster, strike, pass, podsOf }) =>
      Effect.gen(function* () {
        const handle = yield* strike({ fault: "pullFails", image: "*:v2" })
        yield* change(cluster, aManifest({ replicas: 1, version: "v2" }))
        yield* pass(300)
        expect(handle.met()).toBe(1)
        const waiting = podsOf().find(({ status }) => status.phase === "Pending")
        const name = waiting?.metadata.name ?? ""
        yield* Effect.orDie(cluster.delete({ resource: resources.pods, key: `default/${name}` }))
        yield* pass(60)
        expect(handle.met()).toBe(2)
      })
    ))

  it("and on in a world that goes on from a snapshot", () =>
    tell({}, ({ cluster, strike, pass }) =>
      Effect.gen(function* () {
        const faults: ReadonlyArray<Fault> = [
          { fault: "slowStart", pods: web, by: "2s" },
          { fault: "pullFails", image: "*:v2" },
          { fault: "writesRefused", of: "replicaSet", code: 409, verb: "create" },
          { fault: "writesSlow", of: "scheduler", by: "100ms" },
          { fault: "hang", pods: web, for: "1h" }
        ]
        for (const fault of faults) yield* strike(fault)
        yield* roll(cluster, 3)
        yield* pass(60)
        const met = (it: Pick<Told["cluster"], "faults">) => it.faults.active().map((fault) => fault.met())
        const before = met(cluster)
        expect(before.map((count) => count !== undefined && count > 0)).toEqual([
          false,
          false,
          true,
          false,
          true
        ])
        const fork = yield* Effect.orDie(forkCluster(cluster))
        expect(met(fork)).toEqual(before)
        yield* Effect.orDie(fork.advance(600_000))
        yield* pass(600)
        expect(met(fork)).toEqual(met(cluster))
        expect(met(fork)[2]).toBeGreaterThan(before[2] ?? 0)
      }).pipe(Effect.scoped)
    ))
})
