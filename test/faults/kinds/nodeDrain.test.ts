import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { aManifest, budgetManifest, deploymentManifest, podManifest } from "../../builders.ts"
import { conditionOf } from "../../../src/kubernetes/meta/conditions.ts"
import { isTerminating } from "../../../src/kubernetes/meta/deletion.ts"
import { resources } from "../../../src/kubernetes/meta/kinds.ts"
import { createObject, replaceSpec } from "../../cluster/testCluster.ts"
import { inFaultCluster } from "../faultCluster.ts"
import type { Fault } from "../../../src/faults/fault.ts"
import type { ClusterService } from "../../cluster/testCluster.ts"
import type { FaultCluster } from "../faultCluster.ts"

const draining: Fault = { fault: "nodeDrained", node: "node-1" }
/** The number of Pods on each of the three nodes. */
const podCounts = ({ view }: ClusterService): ReadonlyArray<number> =>
  ["node-1", "node-2", "node-3"].map((name) => view.nodePods.requestedOn(name).pods)
const createLonePod = (cluster: ClusterService, name: string, nodeName = "node-1") =>
  createObject(cluster, podManifest(name, { nodeName }, { labels: { app: "lone" } }))
const budget = (app: string, minAvailable: number) =>
  budgetManifest({ minAvailable, selector: { matchLabels: { app } } }, app)
const deleteBudget = (cluster: ClusterService, app: string) =>
  Effect.orDie(cluster.delete({ resource: resources.disruptionBudgets, name: app }))
const deletePodNow = (cluster: ClusterService, name: string) =>
  Effect.orDie(cluster.delete({ resource: "pods", name }, { gracePeriodSeconds: 0 }))
const evictedNames = ({ podsOf }: FaultCluster): ReadonlyArray<string> =>
  podsOf("lone")
    .filter(({ status }) => conditionOf(status.conditions, "DisruptionTarget") !== undefined)
    .map(({ metadata }) => metadata.name)

describe("a drained node", () => {
  it("loses its Pods and takes none until the drain is over", () =>
    inFaultCluster({ manifest: { replicas: 6 } }, ({ cluster, beginFault, pass }) =>
      Effect.gen(function* () {
        expect(podCounts(cluster)).toEqual([2, 2, 2])
        const handle = yield* beginFault(draining)
        yield* pass(30)
        expect(podCounts(cluster)).toEqual([0, 3, 3])
        expect(cluster.view.get(resources.nodes, "node-1")?.spec.unschedulable).toBe(true)
        yield* handle.end
        expect(cluster.view.get(resources.nodes, "node-1")?.spec.unschedulable).toBeUndefined()
        yield* replaceSpec(cluster, deploymentManifest({ replicas: 8 }))
        yield* pass(30)
        expect(podCounts(cluster)).toEqual([2, 3, 3])
      })
    ))

  it("retries every 5 s Pods whose disruption budget refuses the eviction", () =>
    inFaultCluster({ manifest: { replicas: 6 } }, ({ cluster, beginFault, pass, podsOf, ready }) =>
      Effect.gen(function* () {
        yield* createObject(cluster, budgetManifest({ minAvailable: 5 }))
        yield* pass(1)
        yield* beginFault(draining)
        // One Pod goes at once and one after 5 s; each terminates for 3 s. The first is replaced after 4 s.
        const podsLeft: Array<number> = []
        for (let second = 0; second <= 20; second += 1) {
          podsLeft.push(podCounts(cluster)[0] ?? 0)
          expect(ready()).toBeGreaterThanOrEqual(5)
          yield* pass(1)
        }
        expect(podsLeft.join("")).toBe("222111110000000000000")
        expect(podsOf()).toHaveLength(6)
      })
    ))

  it("keeps DaemonSet Pods, and evicts a Pod of two budgets only when one budget is gone", () =>
    inFaultCluster({ manifest: { replicas: 6 } }, ({ cluster, beginFault, pass }) =>
      Effect.gen(function* () {
        const labels = { app: "logs" }
        const { template } = deploymentManifest({ labels }).spec as { readonly template: object }
        yield* Effect.orDie(
          cluster.create(
            aManifest(
              "DaemonSet",
              { name: "logs" },
              { spec: { selector: { matchLabels: labels }, template } }
            )
          )
        )
        const spec = { nodeName: "node-1", tolerations: [{ operator: "Exists" }] }
        yield* createObject(cluster, podManifest("lone", spec, { labels: { app: "lone" } }))
        for (const name of ["web", "another"])
          yield* createObject(cluster, budgetManifest({ minAvailable: 1 }, name))
        yield* pass(10)
        yield* beginFault(draining)
        yield* pass(20)
        const names = () => cluster.view.nodePods.on("node-1").map(({ metadata }) => metadata.name)
        expect(names()).toHaveLength(3)
        expect(names()).not.toContain("lone")
        yield* Effect.orDie(cluster.delete({ resource: resources.disruptionBudgets, name: "another" }))
        yield* pass(20)
        expect(names()).toEqual([expect.stringMatching(/^logs-\w{5}$/)])
      })
    ))

  it("evicts no more Pods once the drain is over", () =>
    inFaultCluster({ manifest: { replicas: 6 } }, ({ cluster, beginFault, pass }) =>
      Effect.gen(function* () {
        yield* createObject(cluster, budgetManifest({ minAvailable: 6 }))
        yield* pass(1)
        const handle = yield* beginFault(draining)
        yield* pass(3600)
        expect(podCounts(cluster)).toEqual([2, 2, 2])
        yield* handle.end
        yield* Effect.orDie(cluster.delete({ resource: resources.disruptionBudgets, name: "web" }))
        yield* pass(60)
        expect(podCounts(cluster)).toEqual([2, 2, 2])
      })
    ))

  it("evicts its Pods in the order of names, but not those already terminating", () =>
    inFaultCluster({ manifest: { replicas: 1 } }, (fixture) =>
      Effect.gen(function* () {
        const { cluster, beginFault, pass } = fixture
        for (const name of ["lone-z", "lone-a", "lone-m"]) yield* createLonePod(cluster, name)
        yield* pass(10)
        yield* Effect.orDie(cluster.delete({ resource: "pods", name: "lone-m" }))
        const order: Array<string> = []
        cluster.onChange(({ resource, object: { metadata, ...it } }) => {
          if (resource === resources.pods && isTerminating({ ...it, metadata } as never)) {
            if (metadata.name.startsWith("lone-")) order.push(metadata.name)
          }
        })
        yield* beginFault(draining)
        expect([...new Set(order)]).toEqual(["lone-a", "lone-z"])
        expect(evictedNames(fixture)).toEqual(["lone-a", "lone-z"])
      })
    ))

  it("retries only Pods that were there when the drain began, and no later Pod of the same name", () =>
    inFaultCluster({ manifest: { replicas: 1 } }, (fixture) =>
      Effect.gen(function* () {
        const { cluster, beginFault, pass, podsOf } = fixture
        const names = ["lone-a", "lone-b", "lone-c", "lone-d"]
        for (const name of names) yield* createLonePod(cluster, name)
        yield* createObject(cluster, budget("lone", 4))
        yield* pass(10)
        const { end } = yield* beginFault(draining)
        yield* pass(1)
        // lone-a is gone, lone-b was replaced on another node, lone-c already terminates.
        yield* deletePodNow(cluster, "lone-a")
        yield* deletePodNow(cluster, "lone-b")
        yield* createLonePod(cluster, "lone-b", "node-2")
        yield* pass(3)
        yield* Effect.orDie(cluster.delete({ resource: "pods", name: "lone-c" }))
        yield* deleteBudget(cluster, "lone")
        yield* pass(1)
        expect(evictedNames(fixture)).toEqual(["lone-d"])
        yield* pass(30)
        expect(podsOf("lone").map(({ metadata }) => metadata.name)).toEqual(["lone-b"])
        yield* end
      })
    ))

  it("goes on in a cluster restored from a snapshot", () =>
    inFaultCluster({ manifest: { replicas: 6 } }, ({ cluster, beginFault, pass }) =>
      Effect.scoped(
        Effect.gen(function* () {
          yield* createObject(cluster, budget("web", 6))
          yield* pass(1)
          yield* beginFault(draining)
          yield* pass(3)
          const fork = yield* cluster.fork()
          const podCountsAfterwards: Array<ReadonlyArray<number>> = []
          for (const it of [cluster, fork]) {
            yield* deleteBudget(it, "web")
            yield* Effect.orDie(it.advance(1999))
            podCountsAfterwards.push(podCounts(it))
            expect(terminatingCount(it)).toBe(0)
            yield* Effect.orDie(it.advance(1))
            expect(terminatingCount(it)).toBe(2)
            yield* Effect.orDie(it.advance(30_000))
            expect(podCounts(it)).toEqual([0, 3, 3])
          }
          expect(podCountsAfterwards).toEqual([
            [2, 2, 2],
            [2, 2, 2]
          ])
        })
      )
    ))

  it("does not delay a snapshot when all Pods are gone or the drain is over", () =>
    inFaultCluster({ manifest: { replicas: 6 } }, ({ cluster, beginFault, pass }) =>
      Effect.scoped(
        Effect.gen(function* () {
          yield* createObject(cluster, budget("web", 5))
          yield* pass(1)
          const { end } = yield* beginFault(draining)
          yield* pass(30)
          expect(podCounts(cluster)[0]).toBe(0)
          const fork = yield* cluster.fork()
          yield* Effect.orDie(fork.advance(60_000))
          expect([podCounts(fork)[0], fork.faultInjector.active().length]).toEqual([0, 1])
          yield* end
          yield* createObject(cluster, budget("other", 1))
          yield* beginFault({ ...draining, node: "node-2" } as Fault).pipe(Effect.flatMap((it) => it.end))
          yield* pass(1)
          const last = yield* cluster.fork()
          expect(last.faultInjector.active()).toEqual([])
        })
      )
    ))
})

/** How many Pods are terminating. */
const terminatingCount = ({ view }: ClusterService): number =>
  [...view.all(resources.pods)].filter(isTerminating).length
