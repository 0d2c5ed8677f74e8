import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { conditionOf } from "../../src/kubernetes/meta/conditions.ts"
import { forkCluster } from "../../src/cluster/cluster.ts"
import { isTerminating } from "../../src/kubernetes/meta/ownerReferences.ts"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
import { begin } from "../cluster/worlds.ts"
import { tell } from "./world.ts"
import type { Fault } from "../../src/faults/fault.ts"
import type { Living } from "../cluster/worlds.ts"
import type { Told } from "./world.ts"

const draining: Fault = { fault: "nodeDrained", node: "node-1" }
const loads = ({ view }: Living): ReadonlyArray<number> =>
  ["node-1", "node-2", "node-3"].map((name) => view.nodePods.load(name).pods)
const lone = (cluster: Living, name: string, nodeName = "node-1") =>
  begin(cluster, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default", labels: { app: "lone" } },
    spec: { nodeName, containers: [{ name: "app", image: "registry.example/app:v1" }] }
  } as never)
const budget = (app: string, minAvailable: number) => ({
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata: { name: app, namespace: "default" },
  spec: { minAvailable, selector: { matchLabels: { app } } }
})
const freed = (cluster: Living, app: string) =>
  Effect.orDie(cluster.delete({ resource: resources.disruptionBudgets, key: `default/${app}` }))
const gone = (cluster: Living, name: string) =>
  Effect.orDie(cluster.delete({ resource: "pods", key: `default/${name}` }, { gracePeriodSeconds: 0 }))
const evictedNames = ({ podsOf }: Told): ReadonlyArray<string> =>
  podsOf("lone")
    .filter(({ status }) => conditionOf(status.conditions, "DisruptionTarget") !== undefined)
    .map(({ metadata }) => metadata.name)

describe("a node that is drained", () => {
  it("lets its Pods go in the order of their names, and leaves alone who is on the way out already", () =>
    tell({ manifest: { replicas: 1 } }, (told) =>
      Effect.gen(function* () {
        const { cluster, strike, pass } = told
        for (const name of ["lone-z", "lone-a", "lone-m"]) yield* lone(cluster, name)
        yield* pass(10)
        yield* Effect.orDie(cluster.delete({ resource: "pods", key: "default/lone-m" }))
        const order: Array<string> = []
        cluster.onChange(({ resource, object: { metadata, ...it } }) => {
          if (resource === resources.pods && isTerminating({ ...it, metadata } as never)) {
            if (metadata.name.startsWith("lone-")) order.push(metadata.name)
          }
        })
        yield* strike(draining)
        expect([...new Set(order)]).toEqual(["lone-a", "lone-z"])
        expect(evictedNames(told)).toEqual(["lone-a", "lone-z"])
      })
    ))

  it("asks again for those that were there when it began, and for no namesake of one that has gone", () =>
    tell({ manifest: { replicas: 1 } }, (told) =>
      Effect.gen(function* () {
        const { cluster, strike, pass, podsOf } = told
        const names = ["lone-a", "lone-b", "lone-c", "lone-d"]
        for (const name of names) yield* lone(cluster, name)
        yield* begin(cluster, budget("lone", 4))
        yield* pass(10)
        const { end } = yield* strike(draining)
        yield* pass(1)
        // One is gone, one has a namesake elsewhere, one is on its way out by itself.
        yield* gone(cluster, "lone-a")
        yield* gone(cluster, "lone-b")
        yield* lone(cluster, "lone-b", "node-2")
        yield* pass(3)
        yield* Effect.orDie(cluster.delete({ resource: "pods", key: "default/lone-c" }))
        yield* freed(cluster, "lone")
        yield* pass(1)
        expect(evictedNames(told)).toEqual(["lone-d"])
        yield* pass(30)
        expect(podsOf("lone").map(({ metadata }) => metadata.name)).toEqual(["lone-b"])
        yield* end
      })
    ))

  it("goes on where it was in a world that goes on from a snapshot", () =>
    tell({ manifest: { replicas: 6 } }, ({ cluster, strike, pass }) =>
      Effect.scoped(
        Effect.gen(function* () {
          yield* begin(cluster, budget("web", 6))
          yield* pass(1)
          yield* strike(draining)
          yield* pass(3)
          const fork = yield* forkCluster(cluster)
          const told: Array<ReadonlyArray<number>> = []
          for (const world of [cluster, fork]) {
            yield* freed(world, "web")
            yield* Effect.orDie(world.advance(1999))
            told.push(loads(world))
            expect(evictions(world)).toBe(0)
            yield* Effect.orDie(world.advance(1))
            expect(evictions(world)).toBe(2)
            yield* Effect.orDie(world.advance(30_000))
            expect(loads(world)).toEqual([0, 3, 3])
          }
          expect(told).toEqual([
            [2, 2, 2],
            [2, 2, 2]
          ])
        })
      )
    ))

  it("keeps nobody waiting who takes a snapshot when all are gone, or when it is over before", () =>
    tell({ manifest: { replicas: 6 } }, ({ cluster, strike, pass }) =>
      Effect.scoped(
        Effect.gen(function* () {
          yield* begin(cluster, budget("web", 5))
          yield* pass(1)
          const { end } = yield* strike(draining)
          yield* pass(30)
          expect(loads(cluster)[0]).toBe(0)
          const fork = yield* forkCluster(cluster)
          yield* Effect.orDie(fork.advance(60_000))
          expect([loads(fork)[0], fork.faults.active().length]).toEqual([0, 1])
          yield* end
          yield* begin(cluster, budget("other", 1))
          yield* strike({ ...draining, node: "node-2" } as Fault).pipe(Effect.flatMap((it) => it.end))
          yield* pass(1)
          const last = yield* forkCluster(cluster)
          expect(last.faults.active()).toEqual([])
        })
      )
    ))
})

/** How many are on their way out. */
const evictions = ({ view }: Living): number => [...view.all(resources.pods)].filter(isTerminating).length
