import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { resolveFeatureGates } from "../../src/kubernetes/meta/featureGates.ts"
import { conditionOf } from "../../src/kubernetes/meta/conditions.ts"
import { isTerminating } from "../../src/kubernetes/meta/ownerReferences.ts"
import { objectKeyOf } from "../../src/kubernetes/meta/objects.ts"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
import { runPodGarbageCollector } from "../../src/controllers/garbage/podGarbageCollector.ts"
import { makeMemoryStore } from "../../src/store/memoryStore.ts"
import { makeTimeline } from "../../src/runtime/time/timeline.ts"
import { aManifest, begin, inCluster } from "./worlds.ts"
import type { Draft, Pod } from "../../src/kubernetes/meta/objects.ts"
import type { Living } from "./worlds.ts"

const podsOn = ({ view }: Living, node: string) => view.nodePods.on(node)
const nodeRef = (name: string) => ({ resource: resources.nodes, key: name })
const pass = (cluster: Living, millis: number) => Effect.orDie(cluster.advance(millis))

const rolledOut = (cluster: Living, replicas: number) =>
  Effect.andThen(begin(cluster, aManifest({ replicas })), Effect.asVoid(Effect.orDie(cluster.rollout("web"))))

/** What the Pods of a node last were before they went. */
const lastOf = (cluster: Living, node: string): Array<Pod> => {
  const last: Array<Pod> = []
  cluster.onChange(({ type, resource, object }) => {
    const pod = object as Pod
    if (type === "DELETED" && resource === resources.pods && pod.spec.nodeName === node) last.push(pod)
  })
  return last
}

describe("Pods of a node that is gone", () => {
  it("are taken away after a quarantine of 40 s, as failed, and made anew elsewhere", () =>
    inCluster({ nodes: 3 }, (cluster) =>
      Effect.gen(function* () {
        yield* rolledOut(cluster, 6)
        const last = lastOf(cluster, "node-2")
        const said = ["Failed", "True", "DeletionByPodGC", "PodGC: node no longer exists"]
        yield* Effect.orDie(cluster.delete(nodeRef("node-2")))
        yield* pass(cluster, 39_999)
        expect(podsOn(cluster, "node-2").map(isTerminating)).toEqual([false, false])
        yield* pass(cluster, 1)
        expect(podsOn(cluster, "node-2")).toEqual([])
        expect(
          last.map(({ status }) => {
            const target = conditionOf(status.conditions, "DisruptionTarget")
            return [status.phase, target?.status, target?.reason, target?.message]
          })
        ).toEqual([said, said])
        const { outcome } = yield* Effect.orDie(cluster.rollout("web"))
        expect([outcome, podsOn(cluster, "node-1").length, podsOn(cluster, "node-3").length]).toEqual([
          "complete",
          3,
          3
        ])
      })
    ))

  it("stay if the node is back in time", () =>
    inCluster({ nodes: 3 }, (cluster) =>
      Effect.gen(function* () {
        yield* rolledOut(cluster, 6)
        const { apiVersion, kind, spec, status } = yield* Effect.orDie(cluster.get(resources.nodes, "node-2"))
        const before = podsOn(cluster, "node-2").map(objectKeyOf)
        yield* Effect.orDie(cluster.delete(nodeRef("node-2")))
        yield* pass(cluster, 30_000)
        const again = { apiVersion, kind, metadata: { name: "node-2" }, spec, status }
        yield* begin(cluster, again)
        yield* pass(cluster, 120_000)
        expect(podsOn(cluster, "node-2").map(objectKeyOf)).toEqual(before)
      })
    ))

  it("that were told to go meanwhile go when it is back in time", () =>
    inCluster({ nodes: 3 }, (cluster) =>
      Effect.gen(function* () {
        yield* rolledOut(cluster, 6)
        const { apiVersion, kind, spec, status } = yield* Effect.orDie(cluster.get(resources.nodes, "node-2"))
        const [pod] = podsOn(cluster, "node-2")
        yield* Effect.orDie(cluster.delete(nodeRef("node-2")))
        if (pod !== undefined)
          yield* Effect.orDie(cluster.delete({ resource: "pods", key: objectKeyOf(pod) }))
        yield* pass(cluster, 35_000)
        expect(podsOn(cluster, "node-2").map(isTerminating)).toEqual([true, false])
        const again = { apiVersion, kind, metadata: { name: "node-2" }, spec, status }
        yield* begin(cluster, again)
        yield* pass(cluster, 35_000)
        expect(podsOn(cluster, "node-2").map(isTerminating)).toEqual([false])
      })
    ))

  it("that were made for it before it is there begin when it is", () =>
    inCluster({ nodes: 1 }, (cluster) =>
      Effect.gen(function* () {
        const { apiVersion, kind, status } = yield* Effect.orDie(cluster.get(resources.nodes, "node-1"))
        const podSpec = { nodeName: "late" }
        yield* begin(cluster, aManifest({ replicas: 1, podSpec }))
        yield* pass(cluster, 5000)
        const late = { apiVersion, kind, metadata: { name: "late" }, spec: {}, status }
        yield* begin(cluster, late)
        yield* pass(cluster, 30_000)
        expect(podsOn(cluster, "late").map((pod) => pod.status.phase)).toEqual(["Running"])
      })
    ))

  it("that were going, with nobody to say that they stopped, go too", () =>
    inCluster({ nodes: 3 }, (cluster) =>
      Effect.gen(function* () {
        yield* rolledOut(cluster, 3)
        yield* Effect.orDie(cluster.setKubelet("node-1", "stopped"))
        const [stuck] = podsOn(cluster, "node-1")
        if (stuck === undefined) throw new Error("no Pod on node-1")
        yield* Effect.orDie(cluster.delete({ resource: resources.pods, key: objectKeyOf(stuck) }))
        yield* pass(cluster, 600_000)
        expect(cluster.view.get(resources.pods, objectKeyOf(stuck))?.metadata.uid).toBe(stuck.metadata.uid)
        yield* Effect.orDie(cluster.delete(nodeRef("node-1")))
        yield* pass(cluster, 40_000)
        expect(cluster.view.get(resources.pods, objectKeyOf(stuck))).toBeUndefined()
      })
    ))

  it("that were made for a node that never was are taken away as well", () =>
    inCluster({ nodes: 1 }, (cluster) =>
      Effect.gen(function* () {
        yield* begin(cluster, aPod("lost", { nodeName: "nowhere" }))
        yield* pass(cluster, 39_999)
        expect(podsOn(cluster, "nowhere")).toHaveLength(1)
        yield* pass(cluster, 1)
        expect(podsOn(cluster, "nowhere")).toEqual([])
      })
    ))

  it("do not keep the node's lease alive: it goes with its node", () =>
    inCluster({ nodes: 2 }, (cluster) =>
      Effect.gen(function* () {
        const lease = (name: string) => cluster.view.get(resources.leases, `kube-node-lease/${name}`)
        expect(lease("node-2")?.metadata.ownerReferences).toMatchObject([{ kind: "Node", name: "node-2" }])
        yield* Effect.orDie(cluster.delete(nodeRef("node-2")))
        yield* pass(cluster, 60_000)
        expect([lease("node-1") === undefined, lease("node-2")]).toEqual([false, undefined])
      })
    ))
})

describe("a node that is said to be out of service", () => {
  it("gives up the Pods that are going, and no others, while it is not ready", () =>
    inCluster({ nodes: 2 }, (cluster) =>
      Effect.gen(function* () {
        yield* rolledOut(cluster, 6)
        yield* Effect.orDie(cluster.setKubelet("node-2", "stopped"))
        yield* pass(cluster, 60_000)
        const [going, ...staying] = podsOn(cluster, "node-2")
        if (going === undefined) throw new Error("no Pod on node-2")
        yield* Effect.orDie(cluster.delete({ resource: resources.pods, key: objectKeyOf(going) }))
        const taint = { key: "node.kubernetes.io/out-of-service", effect: "NoSchedule" }
        yield* Effect.orDie(
          cluster.modify(nodeRef("node-2"), (object) => {
            const node = object as Draft & { readonly spec: { readonly taints?: ReadonlyArray<object> } }
            return { ...node, spec: { ...node.spec, taints: [...(node.spec.taints ?? []), taint] } } as Draft
          })
        )
        yield* pass(cluster, 20_000)
        expect(podsOn(cluster, "node-2").map(objectKeyOf)).toEqual(staying.map(objectKeyOf))
      })
    ))
})

const aPod = (name: string, spec: object = {}, metadata: Draft["metadata"] = {}): Draft => {
  const containers = [{ name: "app", image: "registry.example/app:v1" }]
  const draft = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default", ...metadata },
    spec: { containers, ...spec }
  }
  return draft
}

describe("a Pod that was never placed and is going", () => {
  it("is said to have failed, and goes when its finalizer does", () =>
    inCluster({ behaviour: "manual" }, (cluster) =>
      Effect.gen(function* () {
        const ref = { resource: resources.pods, key: "default/held" }
        yield* begin(cluster, aPod("held", {}, { finalizers: ["x.io/y"] }))
        yield* Effect.orDie(cluster.delete(ref))
        const phase = () => cluster.view.get(resources.pods, ref.key)?.status.phase
        yield* pass(cluster, 19_999)
        expect(phase()).toBe("Pending")
        yield* pass(cluster, 1)
        expect(phase()).toBe("Failed")
        expect(
          conditionOf(cluster.view.get(resources.pods, ref.key)?.status.conditions, "DisruptionTarget")
        ).toBe(undefined)
        yield* Effect.orDie(
          cluster.modify(ref, (it) => ({ ...it, metadata: { ...it.metadata, finalizers: [] } }))
        )
        expect(phase()).toBeUndefined()
      })
    ))
})

/** The collector alone, over a store, told how many finished Pods may stay. */
const inStore = (finishedMax: number, story: (world: ReturnType<typeof makeWorld>) => void): void => {
  const world = makeWorld(finishedMax)
  try {
    story(world)
  } finally {
    world.timeline.close()
  }
}

const makeWorld = (finishedMax: number) => {
  const timeline = makeTimeline({ clock: "virtual", startMillis: 0 })
  const { kernel } = timeline
  const { store, view } = makeMemoryStore({ nowMillis: kernel.nowMillis, seed: 1 })
  const run = <A, E>(effect: Effect.Effect<A, E>): void => {
    kernel.run(Effect.orDie(effect))
    kernel.drain()
  }
  run(store.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "default" } }))
  const events = { record: () => Effect.void }
  const services = { store, view, events, featureGates: resolveFeatureGates(), nowMillis: kernel.nowMillis }
  run(Effect.scoped(Effect.andThen(runPodGarbageCollector(services, kernel, { finishedMax }), Effect.never)))
  const pass = (millis: number): boolean => kernel.advanceTo(kernel.nowMillis() + millis)
  return {
    timeline,
    pass,
    names: () => [...view.all(resources.pods)].map(({ metadata }) => metadata.name).sort(),
    /** A Pod a second later than the one before. */
    end: (name: string, status: object) => {
      pass(1000)
      run(store.create(aPod(name)))
      const ended = (object: object): Draft => ({ ...object, status }) as unknown as Draft
      run(store.modify({ resource: resources.pods, key: `default/${name}` }, ended, { status: true }))
    }
  }
}

describe("Pods that have come to an end", () => {
  it("are kept up to a number; of more, evicted ones go first and then the oldest", () =>
    inStore(3, ({ end, pass, names }) => {
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

  it("are counted anew when some of them are gone", () =>
    inStore(2, ({ end, pass, names }) => {
      for (const name of ["a", "b", "c"]) end(name, { phase: "Failed" })
      pass(20_000)
      expect(names()).toEqual(["b", "c"])
      for (const name of ["d", "e", "f"]) end(name, { phase: "Succeeded" })
      pass(20_000)
      expect(names()).toEqual(["e", "f"])
    }))
})
