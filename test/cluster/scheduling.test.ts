import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { conditionOf } from "../../src/kubernetes/meta/conditions.ts"
import { instant } from "../../src/behaviours/builtInBehaviours.ts"
import { objectKeyOf } from "../../src/kubernetes/meta/objects.ts"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
import { aManifest, begin, change as changeDeployment, eventTexts, inCluster } from "./worlds.ts"
import type { Deployment, Draft, KubeObject, Node, Pod } from "../../src/kubernetes/meta/objects.ts"
import type { Living } from "./worlds.ts"

const podsOn = ({ view }: Living, node: string) => view.nodePods.on(node)
const countsOn = (cluster: Living, ...nodes: ReadonlyArray<string>): ReadonlyArray<number> =>
  nodes.map((node) => podsOn(cluster, node).length)
const change = (cluster: Living, name: string, spec: Node["spec"]): Effect.Effect<void> =>
  Effect.orDie(
    Effect.asVoid(
      cluster.modify({ resource: resources.nodes, key: name }, (node) => ({ ...node, spec }) as Draft)
    )
  )
const loneRef = { resource: resources.pods, key: "default/lone" }
const pass = (cluster: Living, millis: number) => Effect.orDie(cluster.advance(millis))
const pendingOf = ({ view }: Living) =>
  [...view.all(resources.pods)].filter(({ spec }) => spec.nodeName === undefined)
const messagesOf = (cluster: Living): ReadonlyArray<string | undefined> =>
  pendingOf(cluster).map(({ status }) => conditionOf(status.conditions, "PodScheduled")?.message)

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

describe("a node that Pods are kept from", () => {
  const gpu = { key: "gpu", value: "yes", effect: "NoSchedule" }

  it.each([
    { why: "a taint", spec: { taints: [gpu] }, said: "1 node(s) had untolerated taint(s)" },
    {
      why: "a taint that drives away too",
      spec: { taints: [{ ...gpu, effect: "NoExecute" }] },
      said: "1 node(s) had untolerated taint(s)"
    },
    { why: "a cordon", spec: { unschedulable: true }, said: "1 node(s) were unschedulable" }
  ])("by $why gets none, and takes those that wait as soon as nothing keeps them", ({ spec, said }) =>
    inCluster({ nodes: { count: 3, pods: 2 } }, (cluster) =>
      Effect.gen(function* () {
        yield* change(cluster, "node-2", spec)
        yield* begin(cluster, aManifest({ replicas: 5 }))
        yield* pass(cluster, 5000)
        expect(countsOn(cluster, "node-1", "node-2", "node-3")).toEqual([2, 0, 2])
        expect(messagesOf(cluster)).toEqual([`0/3 nodes are available: ${said}, 2 Too many pods.`])
        yield* change(cluster, "node-2", {})
        expect((yield* cluster.rollout("web")).outcome).toBe("complete")
        expect(countsOn(cluster, "node-1", "node-2", "node-3")).toEqual([2, 1, 2])
      })
    )
  )

  it("by a wish alone takes Pods all the same", () =>
    inCluster({ nodes: 1 }, (cluster) =>
      Effect.gen(function* () {
        yield* change(cluster, "node-1", { taints: [{ ...gpu, effect: "PreferNoSchedule" }] })
        yield* begin(cluster, aManifest({ replicas: 2 }))
        expect((yield* cluster.rollout("web")).outcome).toBe("complete")
      })
    ))

  it("by a cordon keeps the Pods it has, and says so in a taint until it is lifted", () =>
    inCluster({ nodes: 2 }, (cluster) =>
      Effect.gen(function* () {
        yield* begin(cluster, aManifest({ replicas: 4 }))
        yield* cluster.rollout("web")
        const taintsOf = () => cluster.view.get(resources.nodes, "node-1")?.spec.taints
        const before = podsOn(cluster, "node-1").map(objectKeyOf)
        yield* change(cluster, "node-1", { unschedulable: true })
        yield* pass(cluster, 1_000_000)
        expect(taintsOf()).toMatchObject([{ key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" }])
        expect(podsOn(cluster, "node-1").map(objectKeyOf)).toEqual(before)
        yield* change(cluster, "node-1", { unschedulable: false, taints: [...(taintsOf() ?? [])] })
        yield* pass(cluster, 0)
        expect(taintsOf()).toBeUndefined()
      })
    ))

  it("that is new takes those that wait, once it has said that it is ready", () =>
    inCluster({ nodes: { count: 1, pods: 1 } }, (cluster) =>
      Effect.gen(function* () {
        yield* begin(cluster, aManifest({ replicas: 2 }))
        yield* pass(cluster, 5000)
        const { status } = yield* Effect.orDie(cluster.get(resources.nodes, "node-1"))
        const silent = { name: "node-2", annotations: { "charthouse.dev/kubelet": "stopped" } }
        const { allocatable } = status
        const node = { apiVersion: "v1", kind: "Node", metadata: silent, spec: {}, status: { allocatable } }
        yield* begin(cluster, node)
        yield* pass(cluster, 5_000)
        expect(messagesOf(cluster)).toEqual([
          "0/2 nodes are available: 1 Too many pods, 1 node(s) had untolerated taint(s)."
        ])
        yield* Effect.orDie(cluster.setKubelet("node-2", "running"))
        expect((yield* cluster.rollout("web")).outcome).toBe("complete")
        expect(countsOn(cluster, "node-1", "node-2")).toEqual([1, 1])
      })
    ))
})

describe("a Pod that is placed", () => {
  it("says so of its present generation, before its kubelet says anything", () =>
    inCluster({ nodes: 1 }, (cluster) =>
      Effect.gen(function* () {
        yield* Effect.orDie(cluster.setKubelet("node-1", "stopped"))
        yield* begin(cluster, aManifest({ replicas: 1 }))
        yield* pass(cluster, 5000)
        const [pod] = podsOn(cluster, "node-1")
        expect(pod?.status.conditions).toEqual([
          expect.objectContaining({ type: "PodScheduled", status: "True", observedGeneration: 1 })
        ])
      })
    ))
})

describe("Pods that wait for a node", () => {
  it("do not wait for others that fit nowhere at all", () =>
    inCluster({ nodes: { count: 1, pods: 2 } }, (cluster) =>
      Effect.gen(function* () {
        yield* begin(cluster, aManifest({ name: "old", replicas: 2 }))
        yield* cluster.settle()
        const hopeless = { nodeSelector: { disk: "fast" } }
        yield* begin(cluster, aManifest({ name: "hopeless", replicas: 3, podSpec: hopeless }))
        yield* pass(cluster, 5000)
        yield* begin(cluster, aManifest({ name: "modest", replicas: 2 }))
        yield* pass(cluster, 5000)
        yield* Effect.orDie(cluster.delete({ resource: resources.deployments, key: "default/old" }))
        expect((yield* cluster.rollout("modest")).outcome).toBe("complete")
        expect(pendingOf(cluster)).toHaveLength(3)
      })
    ))

  const container = { name: "app", image: "registry.example/app:v1" }
  const lonePod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "lone", namespace: "default" },
    spec: { containers: [container] }
  }

  it.each([
    { why: "its time has not come", nodes: 1, schedule: "10s" },
    { why: "there is none", nodes: 0, schedule: "0s" }
  ])("get none once they have failed: $why", ({ nodes, schedule }) =>
    inCluster({ nodes, behaviour: { ...instant, name: "late", schedule } }, (cluster) =>
      Effect.gen(function* () {
        yield* begin(cluster, lonePod)
        yield* pass(cluster, 5000)
        const fail = (pod: KubeObject) =>
          ({ ...pod, status: { phase: "Failed", reason: "Evicted" } }) as Draft
        yield* Effect.orDie(cluster.modify(loneRef, fail, { status: true }))
        const room = { status: { allocatable: { pods: "10" } } }
        const late = { apiVersion: "v1", kind: "Node", metadata: { name: "late" }, spec: {}, ...room }
        yield* begin(cluster, late)
        yield* pass(cluster, 60_000)
        const { spec, status } = (yield* Effect.orDie(cluster.get(resources.pods, "lone", "default"))) as Pod
        expect([spec.nodeName, status.phase]).toEqual([undefined, "Failed"])
        expect(cluster.isAtRest()).toBe(true)
      })
    )
  )

  it("are forgotten when they are gone, whatever they asked for", () =>
    inCluster({ nodes: { count: 1, pods: 1 } }, (cluster) =>
      Effect.gen(function* () {
        const hopeless = {
          podSpec: { nodeSelector: { disk: "fast" } },
          spec: { strategy: { type: "Recreate" } }
        }
        yield* begin(cluster, aManifest(hopeless))
        for (const version of ["v2", "v3", "v4", "v5"]) {
          yield* pass(cluster, 60_000)
          yield* changeDeployment(cluster, aManifest({ ...hopeless, version }))
        }
        yield* pass(cluster, 60_000)
        const { memories } = yield* Effect.orDie(cluster.snapshot)
        const known = memories.get("scheduler")?.get("waiting") as {
          readonly groups: ReadonlyArray<{ keys: [] }>
        }
        expect(known.groups.map(({ keys }) => keys.length)).toEqual([3])
      })
    ))

  it("are all placed when there is room for all, whatever they ask for", () =>
    inCluster({ nodes: { count: 1, cpu: "1", pods: 20 } }, (cluster) =>
      Effect.gen(function* () {
        const asking = (cpu: string) => ({ resources: { requests: { cpu } } })
        yield* begin(cluster, aManifest({ name: "full", replicas: 1, container: asking("900m") }))
        yield* cluster.settle()
        for (const [name, cpu] of [
          ["big", "300m"],
          ["small", "150m"],
          ["tiny", "110m"]
        ] as const) {
          yield* begin(cluster, aManifest({ name, replicas: 1, container: asking(cpu) }))
        }
        yield* pass(cluster, 5000)
        expect(pendingOf(cluster)).toHaveLength(3)
        yield* Effect.orDie(cluster.delete({ resource: resources.deployments, key: "default/full" }))
        yield* cluster.settle()
        expect(pendingOf(cluster)).toEqual([])
      })
    ))
})

describe("a Pod with scheduling gates", () => {
  const gates = [{ name: "example.com/quota" }, { name: "example.com/licence" }]
  const lone = ({ view }: Living) => view.get(resources.pods, loneRef.key)
  const beginGated = (cluster: Living) =>
    Effect.gen(function* () {
      const podSpec = { schedulingGates: gates }
      const { metadata, spec } = aManifest({ podSpec }) as Deployment
      const labels = spec.template.metadata?.labels ?? {}
      yield* begin(cluster, {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { ...metadata, name: "lone", labels },
        spec: spec.template.spec
      } as Draft)
      yield* pass(cluster, 60_000)
    })
  const leave = (cluster: Living, schedulingGates: ReadonlyArray<object>) =>
    Effect.orDie(
      cluster.modify(loneRef, (pod) => ({ ...pod, spec: { ...(pod as Pod).spec, schedulingGates } }) as Draft)
    )

  it("stays Pending, and nobody looks for a node for it until the last of them is gone", () =>
    inCluster({ nodes: 2, seed: 3 }, (cluster) =>
      Effect.gen(function* () {
        yield* beginGated(cluster)
        yield* leave(cluster, gates.slice(1))
        yield* pass(cluster, 60_000)
        expect(lone(cluster)?.spec.nodeName).toBeUndefined()
        expect(lone(cluster)?.status).toMatchObject({
          phase: "Pending",
          conditions: [
            {
              type: "PodScheduled",
              status: "False",
              reason: "SchedulingGated",
              message: "Scheduling is blocked due to non-empty scheduling gates",
              lastTransitionTime: lone(cluster)?.metadata.creationTimestamp
            }
          ]
        })
        expect(yield* cluster.events(lone(cluster)?.metadata)).toEqual([])
        yield* leave(cluster, [])
        yield* pass(cluster, 60_000)
        expect(lone(cluster)?.spec.nodeName).toBeDefined()
        const scheduled = conditionOf(lone(cluster)?.status.conditions, "PodScheduled")
        expect([scheduled?.status, scheduled?.reason]).toEqual(["True", undefined])
        expect(lone(cluster)?.status.phase).toBe("Running")
      })
    ))

  it.each([
    { why: "is killed", fault: { fault: "controllerRestarted", controller: "scheduler" } },
    { why: "stands still", fault: { fault: "controllerStopped", controller: "scheduler", for: "10s" } }
  ] as const)("is placed also where its gates are opened while the scheduler $why", ({ fault }) =>
    inCluster({ nodes: 2 }, (cluster) =>
      Effect.gen(function* () {
        yield* beginGated(cluster)
        yield* Effect.orDie(cluster.faults.begin(fault))
        yield* leave(cluster, [])
        yield* pass(cluster, 60_000)
        expect(lone(cluster)?.spec.nodeName).toBeDefined()
      })
    )
  )

  it("is bound by nobody else either", () =>
    inCluster({ nodes: 1 }, (cluster) =>
      Effect.gen(function* () {
        yield* beginGated(cluster)
        const bound = Effect.flip(cluster.bind({ name: "lone", node: "node-1" }))
        expect((yield* bound).message).toContain("pod lone has non-empty .spec.schedulingGates")
        yield* leave(cluster, [])
        yield* pass(cluster, 60_000)
        expect(podsOn(cluster, "node-1").map(objectKeyOf)).toEqual(["default/lone"])
      })
    ))

  it("holds up nobody else, and a rollout waits for it", () =>
    inCluster({ nodes: { count: 1, pods: 3 } }, (cluster) =>
      Effect.gen(function* () {
        yield* begin(cluster, aManifest({ name: "held", replicas: 2, podSpec: { schedulingGates: gates } }))
        yield* begin(cluster, aManifest({ replicas: 3 }))
        expect((yield* cluster.rollout("web")).outcome).toBe("complete")
        expect(pendingOf(cluster).map(({ metadata }) => metadata.labels?.["app"])).toEqual(["held", "held"])
      })
    ))
})
