import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { budgetManifest, podManifest } from "../../builders.ts"
import { conditionOf } from "../../../src/kubernetes/meta/conditions.ts"
import { forkCluster } from "../../../src/cluster/cluster.ts"
import { isTerminating } from "../../../src/kubernetes/meta/ownerReferences.ts"
import { resources } from "../../../src/kubernetes/meta/kinds.ts"
import { createObject } from "../../cluster/testCluster.ts"
import { inFaultCluster } from "../faultCluster.ts"
import type { Fault } from "../../../src/faults/fault.ts"
import type { ClusterService } from "../../cluster/testCluster.ts"
import type { FaultCluster } from "../faultCluster.ts"

const draining: Fault = { fault: "nodeDrained", node: "node-1" }
const loads = ({ view }: ClusterService): ReadonlyArray<number> =>
  ["node-1", "node-2", "node-3"].map((name) => view.nodePods.load(name).pods)
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
          const fork = yield* forkCluster(cluster)
          const loadsAfterwards: Array<ReadonlyArray<number>> = []
          for (const it of [cluster, fork]) {
            yield* deleteBudget(it, "web")
            yield* Effect.orDie(it.advance(1999))
            loadsAfterwards.push(loads(it))
            expect(evictions(it)).toBe(0)
            yield* Effect.orDie(it.advance(1))
            expect(evictions(it)).toBe(2)
            yield* Effect.orDie(it.advance(30_000))
            expect(loads(it)).toEqual([0, 3, 3])
          }
          expect(loadsAfterwards).toEqual([
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
          expect(loads(cluster)[0]).toBe(0)
          const fork = yield* forkCluster(cluster)
          yield* Effect.orDie(fork.advance(60_000))
          expect([loads(fork)[0], fork.faults.active().length]).toEqual([0, 1])
          yield* end
          yield* createObject(cluster, budget("other", 1))
          yield* beginFault({ ...draining, node: "node-2" } as Fault).pipe(Effect.flatMap((it) => it.end))
          yield* pass(1)
          const last = yield* forkCluster(cluster)
          expect(last.faults.active()).toEqual([])
        })
      )
    ))
})

/** How many Pods are terminating. */
const evictions = ({ view }: ClusterService): number =>
  [...view.all(resources.pods)].filter(isTerminating).length
