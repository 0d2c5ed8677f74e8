import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { namespaceManifest, podManifest } from "../../builders.ts"
import { resolveFeatureGates } from "../../../src/kubernetes/meta/featureGates.ts"
import { conditionOf } from "../../../src/kubernetes/meta/conditions.ts"
import { isTerminating } from "../../../src/kubernetes/meta/deletion.ts"
import { objectKeyOf } from "../../../src/kubernetes/meta/objects.ts"
import { resources } from "../../../src/kubernetes/meta/kinds.ts"
import { runPodGarbageCollector } from "../../../src/controllers/garbage/podGarbageCollector.ts"
import { makeMemoryStore } from "../../../src/store/memoryStore.ts"
import { makeTimeline } from "../../../src/runtime/time/timeline.ts"
import {
  addressOf,
  deploymentManifest,
  createObject,
  withCluster,
  advanceMillis
} from "../../cluster/testCluster.ts"
import type { Draft, Pod } from "../../../src/kubernetes/meta/objects.ts"
import type { ClusterService } from "../../cluster/testCluster.ts"

const podsOn = ({ view }: ClusterService, node: string) => view.nodePods.on(node)
const addressOfNode = (name: string) => ({ resource: resources.nodes, name })

const rollOut = (cluster: ClusterService, replicas: number) =>
  Effect.andThen(
    createObject(cluster, deploymentManifest({ replicas })),
    Effect.asVoid(Effect.orDie(cluster.rollout("web")))
  )

/** The last state of each deleted Pod of the node. */
const lastStatesOn = (cluster: ClusterService, node: string): Array<Pod> => {
  const last: Array<Pod> = []
  cluster.onChange(({ type, resource, object }) => {
    const pod = object as Pod
    if (type === "DELETED" && resource === resources.pods && pod.spec.nodeName === node) last.push(pod)
  })
  return last
}

describe("Pods of a deleted node", () => {
  it("are Failed and deleted after a quarantine of 40 s, and replaced on other nodes", () =>
    withCluster({ nodes: 3 }, (cluster) =>
      Effect.gen(function* () {
        yield* rollOut(cluster, 6)
        const last = lastStatesOn(cluster, "node-2")
        const expectedState = ["Failed", "True", "DeletionByPodGC", "PodGC: node no longer exists"]
        yield* Effect.orDie(cluster.delete(addressOfNode("node-2")))
        yield* advanceMillis(cluster, 39_999)
        expect(podsOn(cluster, "node-2").map(isTerminating)).toEqual([false, false])
        yield* advanceMillis(cluster, 1)
        expect(podsOn(cluster, "node-2")).toEqual([])
        expect(
          last.map(({ status }) => {
            const target = conditionOf(status.conditions, "DisruptionTarget")
            return [status.phase, target?.status, target?.reason, target?.message]
          })
        ).toEqual([expectedState, expectedState])
        const { outcome } = yield* Effect.orDie(cluster.rollout("web"))
        expect([outcome, podsOn(cluster, "node-1").length, podsOn(cluster, "node-3").length]).toEqual([
          "complete",
          3,
          3
        ])
      })
    ))

  it("stay when the node is back within the quarantine", () =>
    withCluster({ nodes: 3 }, (cluster) =>
      Effect.gen(function* () {
        yield* rollOut(cluster, 6)
        const { apiVersion, kind, spec, status } = yield* Effect.orDie(cluster.get(addressOfNode("node-2")))
        const before = podsOn(cluster, "node-2").map(objectKeyOf)
        yield* Effect.orDie(cluster.delete(addressOfNode("node-2")))
        yield* advanceMillis(cluster, 30_000)
        const again = { apiVersion, kind, metadata: { name: "node-2" }, spec, status }
        yield* createObject(cluster, again)
        yield* advanceMillis(cluster, 120_000)
        expect(podsOn(cluster, "node-2").map(objectKeyOf)).toEqual(before)
      })
    ))

  it("that were deleted meanwhile end when the node is back within the quarantine", () =>
    withCluster({ nodes: 3 }, (cluster) =>
      Effect.gen(function* () {
        yield* rollOut(cluster, 6)
        const { apiVersion, kind, spec, status } = yield* Effect.orDie(cluster.get(addressOfNode("node-2")))
        const [pod] = podsOn(cluster, "node-2")
        yield* Effect.orDie(cluster.delete(addressOfNode("node-2")))
        if (pod !== undefined)
          yield* Effect.orDie(cluster.delete(addressOf({ resource: "pods", key: objectKeyOf(pod) })))
        yield* advanceMillis(cluster, 35_000)
        expect(podsOn(cluster, "node-2").map(isTerminating)).toEqual([true, false])
        const again = { apiVersion, kind, metadata: { name: "node-2" }, spec, status }
        yield* createObject(cluster, again)
        yield* advanceMillis(cluster, 35_000)
        expect(podsOn(cluster, "node-2").map(isTerminating)).toEqual([false])
      })
    ))

  it("that were created for it in advance start when it exists", () =>
    withCluster({ nodes: 1 }, (cluster) =>
      Effect.gen(function* () {
        const { apiVersion, kind, status } = yield* Effect.orDie(cluster.get(addressOfNode("node-1")))
        const podSpec = { nodeName: "late" }
        yield* createObject(cluster, deploymentManifest({ replicas: 1, podSpec }))
        yield* advanceMillis(cluster, 5000)
        const late = { apiVersion, kind, metadata: { name: "late" }, spec: {}, status }
        yield* createObject(cluster, late)
        yield* advanceMillis(cluster, 30_000)
        expect(podsOn(cluster, "late").map((pod) => pod.status.phase)).toEqual(["Running"])
      })
    ))

  it("that were terminating on a stopped kubelet are removed as well", () =>
    withCluster({ nodes: 3 }, (cluster) =>
      Effect.gen(function* () {
        yield* rollOut(cluster, 3)
        yield* Effect.orDie(cluster.setKubelet("node-1", "stopped"))
        const [stuck] = podsOn(cluster, "node-1")
        if (stuck === undefined) throw new Error("no Pod on node-1")
        yield* Effect.orDie(cluster.delete(addressOf({ resource: resources.pods, key: objectKeyOf(stuck) })))
        yield* advanceMillis(cluster, 600_000)
        expect(cluster.view.get(resources.pods, objectKeyOf(stuck))?.metadata.uid).toBe(stuck.metadata.uid)
        yield* Effect.orDie(cluster.delete(addressOfNode("node-1")))
        yield* advanceMillis(cluster, 40_000)
        expect(cluster.view.get(resources.pods, objectKeyOf(stuck))).toBeUndefined()
      })
    ))

  it("that never existed are deleted as well", () =>
    withCluster({ nodes: 1 }, (cluster) =>
      Effect.gen(function* () {
        yield* createObject(cluster, podManifest("lost", { nodeName: "nowhere" }))
        yield* advanceMillis(cluster, 39_999)
        expect(podsOn(cluster, "nowhere")).toHaveLength(1)
        yield* advanceMillis(cluster, 1)
        expect(podsOn(cluster, "nowhere")).toEqual([])
      })
    ))

  it("do not keep the node's Lease, which is deleted with its node", () =>
    withCluster({ nodes: 2 }, (cluster) =>
      Effect.gen(function* () {
        const lease = (name: string) => cluster.view.get(resources.leases, `kube-node-lease/${name}`)
        expect(lease("node-2")?.metadata.ownerReferences).toMatchObject([{ kind: "Node", name: "node-2" }])
        yield* Effect.orDie(cluster.delete(addressOfNode("node-2")))
        yield* advanceMillis(cluster, 60_000)
        expect([lease("node-1") === undefined, lease("node-2")]).toEqual([false, undefined])
      })
    ))
})

describe("a node with the out-of-service taint", () => {
  it("loses its terminating Pods, and no others, while it is not ready", () =>
    withCluster({ nodes: 2 }, (cluster) =>
      Effect.gen(function* () {
        yield* rollOut(cluster, 6)
        yield* Effect.orDie(cluster.setKubelet("node-2", "stopped"))
        yield* advanceMillis(cluster, 60_000)
        const [going, ...staying] = podsOn(cluster, "node-2")
        if (going === undefined) throw new Error("no Pod on node-2")
        yield* Effect.orDie(cluster.delete(addressOf({ resource: resources.pods, key: objectKeyOf(going) })))
        const taint = { key: "node.kubernetes.io/out-of-service", effect: "NoSchedule" }
        yield* Effect.orDie(
          cluster.modify(addressOfNode("node-2"), (object) => {
            const node = object as Draft & { readonly spec: { readonly taints?: ReadonlyArray<object> } }
            return { ...node, spec: { ...node.spec, taints: [...(node.spec.taints ?? []), taint] } } as Draft
          })
        )
        yield* advanceMillis(cluster, 20_000)
        expect(podsOn(cluster, "node-2").map(objectKeyOf)).toEqual(staying.map(objectKeyOf))
      })
    ))
})

describe("an unscheduled Pod that is being deleted", () => {
  it("becomes Failed, and is removed with its finalizer", () =>
    withCluster({ behaviour: "manual" }, (cluster) =>
      Effect.gen(function* () {
        const ref = { resource: resources.pods, key: "default/held" }
        yield* createObject(cluster, podManifest("held", {}, { finalizers: ["x.io/y"] }))
        yield* Effect.orDie(cluster.delete(addressOf(ref)))
        const phase = () => cluster.view.get(resources.pods, ref.key)?.status.phase
        yield* advanceMillis(cluster, 19_999)
        expect(phase()).toBe("Pending")
        yield* advanceMillis(cluster, 1)
        expect(phase()).toBe("Failed")
        expect(
          conditionOf(cluster.view.get(resources.pods, ref.key)?.status.conditions, "DisruptionTarget")
        ).toBe(undefined)
        yield* Effect.orDie(
          cluster.modify(addressOf(ref), (it) => ({ ...it, metadata: { ...it.metadata, finalizers: [] } }))
        )
        expect(phase()).toBeUndefined()
      })
    ))
})

/** Runs a test with the Pod garbage collector alone, which keeps so many finished Pods. */
const withCollector = (
  finishedMax: number,
  check: (collector: ReturnType<typeof makeCollector>) => void
): void => {
  const collector = makeCollector(finishedMax)
  try {
    check(collector)
  } finally {
    collector.timeline.close()
  }
}

const makeCollector = (finishedMax: number) => {
  const timeline = makeTimeline({ clock: "virtual", startMillis: 0 })
  const { kernel } = timeline
  const { store, view } = makeMemoryStore({ nowMillis: kernel.nowMillis, seed: 1 })
  const run = <A, E>(effect: Effect.Effect<A, E>): void => {
    kernel.run(Effect.orDie(effect))
    kernel.drain()
  }
  run(store.create(namespaceManifest("default")))
  const events = { record: () => Effect.void }
  const services = { store, view, events, featureGates: resolveFeatureGates(), nowMillis: kernel.nowMillis }
  run(Effect.scoped(Effect.andThen(runPodGarbageCollector(services, kernel, { finishedMax }), Effect.never)))
  const pass = (millis: number): boolean => kernel.advanceTo(kernel.nowMillis() + millis)
  return {
    timeline,
    pass,
    names: () => [...view.all(resources.pods)].map(({ metadata }) => metadata.name).sort(),
    /** Creates a Pod one second after the previous one. */
    end: (name: string, status: object) => {
      pass(1000)
      run(store.create(podManifest(name)))
      const ended = (object: object): Draft => ({ ...object, status }) as unknown as Draft
      run(store.modify({ resource: resources.pods, key: `default/${name}` }, ended, { status: true }))
    }
  }
}

describe("finished Pods", () => {
  it("are kept up to a number; beyond it evicted ones are deleted first, then the oldest", () =>
    withCollector(3, ({ end, pass, names }) => {
      end("a-oldest", { phase: "Succeeded" })
      end("b", { phase: "Failed" })
      end("c", { phase: "Running" })
      end("d", { phase: "Succeeded" })
      pass(60_000)
      expect(names()).toEqual(["a-oldest", "b", "c", "d"])
      end("e-evicted", { phase: "Failed", reason: "Evicted" })
      end("f-newest", { phase: "Failed" })
      pass(18_999)
      expect(names()).toHaveLength(6)
      pass(1)
      expect(names()).toEqual(["b", "c", "d", "f-newest"])
    }))

  it("are counted anew after deletions", () =>
    withCollector(2, ({ end, pass, names }) => {
      for (const name of ["a", "b", "c"]) end(name, { phase: "Failed" })
      pass(20_000)
      expect(names()).toEqual(["b", "c"])
      for (const name of ["d", "e", "f"]) end(name, { phase: "Succeeded" })
      pass(20_000)
      expect(names()).toEqual(["e", "f"])
    }))
})
