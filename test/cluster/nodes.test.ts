import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { resources } from "../../src/domain/kinds.ts"
import { conditionOf } from "../../src/domain/conditions.ts"
import { isReady } from "../../src/domain/pods.ts"
import { isTerminating } from "../../src/domain/ownerReferences.ts"
import { aManifest, begin, eventTexts, inCluster } from "./worlds.ts"
import type { Living } from "./worlds.ts"

const podsOn = ({ view }: Living, node: string) => view.nodePods.on(node)
const readyStatus = ({ view }: Living, node: string): string | undefined =>
  conditionOf(view.get(resources.nodes, node)?.status.conditions, "Ready")?.status

describe("a node whose kubelet falls silent", () => {
  it("is lost after its grace, its Pods count as unready at once and are evicted after their toleration", () =>
    inCluster({ nodes: 3 }, (cluster) =>
      Effect.gen(function* () {
        yield* begin(cluster, aManifest({ replicas: 6 }))
        yield* cluster.rollout("web")
        yield* Effect.orDie(cluster.setKubelet("node-2", "stopped"))
        yield* Effect.orDie(cluster.advance(39_000))
        expect(readyStatus(cluster, "node-2")).toBe("True")
        yield* Effect.orDie(cluster.advance(12_000))
        expect(readyStatus(cluster, "node-2")).toBe("Unknown")
        expect(podsOn(cluster, "node-2").map(isReady)).toEqual([false, false])
        const status = cluster.view.get(resources.deployments, "default/web")?.status
        expect([status?.readyReplicas, status?.replicas]).toEqual([4, 6])

        yield* Effect.orDie(cluster.advance(290_000))
        expect(podsOn(cluster, "node-2").map(isTerminating)).toEqual([false, false])
        yield* Effect.orDie(cluster.advance(20_000))
        expect(podsOn(cluster, "node-2").map(isTerminating)).toEqual([true, true])
        expect(cluster.view.get(resources.deployments, "default/web")?.status.readyReplicas).toBe(6)
      })
    ))

  it("that comes back in time keeps its Pods, and they serve again", () =>
    inCluster({ nodes: 3 }, (cluster) =>
      Effect.gen(function* () {
        yield* begin(cluster, aManifest({ replicas: 6 }))
        yield* cluster.rollout("web")
        const before = podsOn(cluster, "node-1").map(({ metadata }) => metadata.uid)
        yield* Effect.orDie(cluster.setKubelet("node-1", "stopped"))
        yield* Effect.orDie(cluster.advance(120_000))
        yield* Effect.orDie(cluster.setKubelet("node-1", "running"))
        yield* Effect.orDie(cluster.advance(20_000))
        expect(podsOn(cluster, "node-1").map(({ metadata }) => metadata.uid)).toEqual(before)
        expect(podsOn(cluster, "node-1").map(isReady)).toEqual([true, true])
        expect(cluster.view.get(resources.nodes, "node-1")?.spec.taints).toBeUndefined()
      })
    ))
})

describe("Pods that fit nowhere", () => {
  const rows = [
    {
      why: "each node takes two Pods",
      nodes: { count: 2, pods: 2 },
      manifest: aManifest({ replicas: 5 }),
      message: "0/2 nodes are available: 2 Too many pods."
    },
    {
      why: "each node has two cores and each Pod asks for one and a half",
      nodes: { count: 3, cpu: "2" },
      manifest: aManifest({ replicas: 4, container: { resources: { requests: { cpu: "1500m" } } } }),
      message: "0/3 nodes are available: 3 Insufficient cpu."
    },
    {
      why: "no node has the label that is asked for",
      nodes: { count: 3 },
      manifest: aManifest({ replicas: 1, podSpec: { nodeSelector: { disk: "fast" } } }),
      message: "0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector."
    }
  ]
  for (const { why, nodes, manifest, message } of rows) {
    it(`stay Pending as Unschedulable when ${why}`, () =>
      inCluster({ nodes }, (cluster) =>
        Effect.gen(function* () {
          yield* begin(cluster, manifest)
          yield* cluster.settle()
          const pending = [...cluster.view.all(resources.pods)].filter(
            ({ spec }) => spec.nodeName === undefined
          )
          expect(pending).toHaveLength(1)
          const condition = conditionOf(pending[0]?.status.conditions, "PodScheduled")
          expect([condition?.status, condition?.reason, condition?.message]).toEqual([
            "False",
            "Unschedulable",
            message
          ])
          const events = yield* cluster.events(pending[0]?.metadata)
          expect(eventTexts(events)).toEqual([`FailedScheduling: ${message}`])
        })
      ))
  }

  it("are placed as soon as another Pod leaves", () =>
    inCluster({ nodes: { count: 1, pods: 2 } }, (cluster) =>
      Effect.gen(function* () {
        yield* begin(cluster, aManifest({ name: "old", replicas: 2 }))
        yield* cluster.settle()
        yield* begin(cluster, aManifest({ name: "new", replicas: 2 }))
        yield* Effect.orDie(cluster.advance(5000))
        expect(podsOn(cluster, "node-1")).toHaveLength(2)
        yield* Effect.orDie(cluster.delete({ resource: resources.deployments, key: "default/old" }))
        const { outcome } = yield* cluster.rollout("new")
        expect(outcome).toBe("complete")
      })
    ))
})
