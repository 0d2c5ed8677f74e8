import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { podManifest } from "../builders.ts"
import { conditionOf } from "../../src/kubernetes/meta/conditions.ts"
import { instant } from "../../src/behaviours/builtInBehaviours.ts"
import { objectKeyOf } from "../../src/kubernetes/meta/objects.ts"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
import {
  deploymentManifest,
  createObject,
  replaceSpec as changeDeployment,
  eventTexts,
  withCluster,
  advanceMillis
} from "../cluster/testCluster.ts"
import type { Deployment, Draft, KubeObject, Node, Pod } from "../../src/kubernetes/meta/objects.ts"
import type { ClusterService } from "../cluster/testCluster.ts"

const podsOn = ({ view }: ClusterService, node: string) => view.nodePods.on(node)
const countsOn = (cluster: ClusterService, ...nodes: ReadonlyArray<string>): ReadonlyArray<number> =>
  nodes.map((node) => podsOn(cluster, node).length)
const setNodeSpec = (cluster: ClusterService, name: string, spec: Node["spec"]): Effect.Effect<void> =>
  Effect.orDie(
    Effect.asVoid(cluster.modify({ resource: resources.nodes, name }, (node) => ({ ...node, spec }) as Draft))
  )
const loneAddress = { resource: resources.pods, name: "lone" }
const pendingOf = ({ view }: ClusterService) =>
  [...view.all(resources.pods)].filter(({ spec }) => spec.nodeName === undefined)
const messagesOf = (cluster: ClusterService): ReadonlyArray<string | undefined> =>
  pendingOf(cluster).map(({ status }) => conditionOf(status.conditions, "PodScheduled")?.message)

/** What is reason of a Pod that fits on no node, and for which no other Pod can leave one. */
const unschedulable = (nodeCount: number, reasons: string, preemption: string): string =>
  `0/${nodeCount} nodes are available: ${reasons}. no new claims to deallocate, ` +
  `preemption: 0/${nodeCount} nodes are available: ${preemption}.`

describe("unschedulable Pods", () => {
  const rows = [
    {
      why: "the nodes have room for two Pods each",
      nodes: { count: 2, pods: 2 },
      manifest: deploymentManifest({ replicas: 5 }),
      message: unschedulable(2, "2 Too many pods", "2 No preemption victims found for incoming pod")
    },
    {
      why: "the nodes have two cores each and a Pod requests one and a half",
      nodes: { count: 3, cpu: "2" },
      manifest: deploymentManifest({ replicas: 4, container: { resources: { requests: { cpu: "1500m" } } } }),
      message: unschedulable(3, "3 Insufficient cpu", "3 No preemption victims found for incoming pod")
    },
    {
      why: "no node has the label of nodeSelector",
      nodes: { count: 3 },
      manifest: deploymentManifest({ replicas: 1, podSpec: { nodeSelector: { disk: "fast" } } }),
      message: unschedulable(
        3,
        "3 node(s) didn't match Pod's node affinity/selector",
        "3 Preemption is not helpful for scheduling"
      )
    }
  ]
  for (const { why, nodes, manifest, message } of rows) {
    it(`stay Pending as Unschedulable when ${why}`, () =>
      withCluster({ nodes }, (cluster) =>
        Effect.gen(function* () {
          yield* createObject(cluster, manifest)
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

  it("are bound as soon as another Pod leaves", () =>
    withCluster({ nodes: { count: 1, pods: 2 } }, (cluster) =>
      Effect.gen(function* () {
        yield* createObject(cluster, deploymentManifest({ name: "old", replicas: 2 }))
        yield* cluster.settle()
        yield* createObject(cluster, deploymentManifest({ name: "new", replicas: 2 }))
        yield* Effect.orDie(cluster.advance(5000))
        expect(podsOn(cluster, "node-1")).toHaveLength(2)
        yield* Effect.orDie(cluster.delete({ resource: resources.deployments, name: "old" }))
        const { outcome } = yield* cluster.rollout("new")
        expect(outcome).toBe("complete")
      })
    ))
})

describe("a node", () => {
  const gpu = { key: "gpu", value: "yes", effect: "NoSchedule" }

  it.each([
    { why: "a taint", spec: { taints: [gpu] }, reason: "1 node(s) had untolerated taint(s)" },
    {
      why: "a NoExecute taint",
      spec: { taints: [{ ...gpu, effect: "NoExecute" }] },
      reason: "1 node(s) had untolerated taint(s)"
    },
    { why: "a cordon", spec: { unschedulable: true }, reason: "1 node(s) were unschedulable" }
  ])("gets no Pods by $why, and gets waiting Pods as soon as that is removed", ({ spec, reason }) =>
    withCluster({ nodes: { count: 3, pods: 2 } }, (cluster) =>
      Effect.gen(function* () {
        yield* setNodeSpec(cluster, "node-2", spec)
        yield* createObject(cluster, deploymentManifest({ replicas: 5 }))
        yield* advanceMillis(cluster, 5000)
        expect(countsOn(cluster, "node-1", "node-2", "node-3")).toEqual([2, 0, 2])
        expect(messagesOf(cluster)).toEqual([
          unschedulable(
            3,
            `${reason}, 2 Too many pods`,
            "1 Preemption is not helpful for scheduling, 2 No preemption victims found for incoming pod"
          )
        ])
        yield* setNodeSpec(cluster, "node-2", {})
        expect((yield* cluster.rollout("web")).outcome).toBe("complete")
        expect(countsOn(cluster, "node-1", "node-2", "node-3")).toEqual([2, 1, 2])
      })
    )
  )

  it("with a PreferNoSchedule taint gets Pods all the same", () =>
    withCluster({ nodes: 1 }, (cluster) =>
      Effect.gen(function* () {
        yield* setNodeSpec(cluster, "node-1", { taints: [{ ...gpu, effect: "PreferNoSchedule" }] })
        yield* createObject(cluster, deploymentManifest({ replicas: 2 }))
        expect((yield* cluster.rollout("web")).outcome).toBe("complete")
      })
    ))

  it("keeps its Pods when cordoned, with a taint until it is uncordoned", () =>
    withCluster({ nodes: 2 }, (cluster) =>
      Effect.gen(function* () {
        yield* createObject(cluster, deploymentManifest({ replicas: 4 }))
        yield* cluster.rollout("web")
        const taintsOf = () => cluster.view.get(resources.nodes, "node-1")?.spec.taints
        const before = podsOn(cluster, "node-1").map(objectKeyOf)
        yield* setNodeSpec(cluster, "node-1", { unschedulable: true })
        yield* advanceMillis(cluster, 1_000_000)
        expect(taintsOf()).toMatchObject([{ key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" }])
        expect(podsOn(cluster, "node-1").map(objectKeyOf)).toEqual(before)
        yield* setNodeSpec(cluster, "node-1", { unschedulable: false, taints: [...(taintsOf() ?? [])] })
        yield* advanceMillis(cluster, 0)
        expect(taintsOf()).toBeUndefined()
      })
    ))

  it("that is new gets waiting Pods once it is ready", () =>
    withCluster({ nodes: { count: 1, pods: 1 } }, (cluster) =>
      Effect.gen(function* () {
        yield* createObject(cluster, deploymentManifest({ replicas: 2 }))
        yield* advanceMillis(cluster, 5000)
        const { status } = yield* Effect.orDie(cluster.get({ resource: resources.nodes, name: "node-1" }))
        const silent = { name: "node-2", annotations: { "charthouse.dev/kubelet": "stopped" } }
        const { allocatable } = status
        const node = { apiVersion: "v1", kind: "Node", metadata: silent, spec: {}, status: { allocatable } }
        yield* createObject(cluster, node)
        yield* advanceMillis(cluster, 5_000)
        expect(messagesOf(cluster)).toEqual([
          unschedulable(
            2,
            "1 Too many pods, 1 node(s) had untolerated taint(s)",
            "1 No preemption victims found for incoming pod, 1 Preemption is not helpful for scheduling"
          )
        ])
        yield* Effect.orDie(cluster.setKubelet("node-2", "running"))
        expect((yield* cluster.rollout("web")).outcome).toBe("complete")
        expect(countsOn(cluster, "node-1", "node-2")).toEqual([1, 1])
      })
    ))
})

describe("a Pod that is bound", () => {
  it("has PodScheduled with its generation before its kubelet reports", () =>
    withCluster({ nodes: 1 }, (cluster) =>
      Effect.gen(function* () {
        yield* Effect.orDie(cluster.setKubelet("node-1", "stopped"))
        yield* createObject(cluster, deploymentManifest({ replicas: 1 }))
        yield* advanceMillis(cluster, 5000)
        const [pod] = podsOn(cluster, "node-1")
        expect(pod?.status.conditions).toEqual([
          expect.objectContaining({ type: "PodScheduled", status: "True", observedGeneration: 1 })
        ])
      })
    ))
})

describe("waiting Pods", () => {
  it("are bound regardless of other unschedulable Pods", () =>
    withCluster({ nodes: { count: 1, pods: 2 } }, (cluster) =>
      Effect.gen(function* () {
        yield* createObject(cluster, deploymentManifest({ name: "old", replicas: 2 }))
        yield* cluster.settle()
        const hopeless = { nodeSelector: { disk: "fast" } }
        yield* createObject(cluster, deploymentManifest({ name: "hopeless", replicas: 3, podSpec: hopeless }))
        yield* advanceMillis(cluster, 5000)
        yield* createObject(cluster, deploymentManifest({ name: "modest", replicas: 2 }))
        yield* advanceMillis(cluster, 5000)
        yield* Effect.orDie(cluster.delete({ resource: resources.deployments, name: "old" }))
        expect((yield* cluster.rollout("modest")).outcome).toBe("complete")
        expect(pendingOf(cluster)).toHaveLength(3)
      })
    ))

  const lonePod = podManifest("lone")

  it.each([
    { why: "the scheduler has not acted yet", nodes: 1, schedule: "10s" },
    { why: "there is no node", nodes: 0, schedule: "0s" }
  ])("are not bound once they are Failed: $why", ({ nodes, schedule }) =>
    withCluster({ nodes, behaviour: { ...instant, name: "late", schedule } }, (cluster) =>
      Effect.gen(function* () {
        yield* createObject(cluster, lonePod)
        yield* advanceMillis(cluster, 5000)
        const fail = (pod: KubeObject) =>
          ({ ...pod, status: { phase: "Failed", reason: "Evicted" } }) as Draft
        yield* Effect.orDie(cluster.modify(loneAddress, fail, { status: true }))
        const room = { status: { allocatable: { pods: "10" } } }
        const late = { apiVersion: "v1", kind: "Node", metadata: { name: "late" }, spec: {}, ...room }
        yield* createObject(cluster, late)
        yield* advanceMillis(cluster, 60_000)
        const { spec, status } = (yield* Effect.orDie(cluster.get(loneAddress))) as Pod
        expect([spec.nodeName, status.phase]).toEqual([undefined, "Failed"])
        expect(cluster.isAtRest()).toBe(true)
      })
    )
  )

  it("are forgotten by the scheduler once they are gone", () =>
    withCluster({ nodes: { count: 1, pods: 1 } }, (cluster) =>
      Effect.gen(function* () {
        const hopeless = {
          podSpec: { nodeSelector: { disk: "fast" } },
          spec: { strategy: { type: "Recreate" } }
        }
        yield* createObject(cluster, deploymentManifest(hopeless))
        for (const version of ["v2", "v3", "v4", "v5"]) {
          yield* advanceMillis(cluster, 60_000)
          yield* changeDeployment(cluster, deploymentManifest({ ...hopeless, version }))
        }
        yield* advanceMillis(cluster, 60_000)
        const { memories } = yield* Effect.orDie(cluster.snapshot)
        const known = memories.get("scheduler")?.get("waiting") as {
          readonly groups: ReadonlyArray<{ keys: [] }>
        }
        expect(known.groups.map(({ keys }) => keys.length)).toEqual([3])
      })
    ))

  it("are all bound when there is room for all, whatever their requests", () =>
    withCluster({ nodes: { count: 1, cpu: "1", pods: 20 } }, (cluster) =>
      Effect.gen(function* () {
        const requesting = (cpu: string) => ({ resources: { requests: { cpu } } })
        yield* createObject(
          cluster,
          deploymentManifest({ name: "full", replicas: 1, container: requesting("900m") })
        )
        yield* cluster.settle()
        for (const [name, cpu] of [
          ["big", "300m"],
          ["small", "150m"],
          ["tiny", "110m"]
        ] as const) {
          yield* createObject(cluster, deploymentManifest({ name, replicas: 1, container: requesting(cpu) }))
        }
        yield* advanceMillis(cluster, 5000)
        expect(pendingOf(cluster)).toHaveLength(3)
        yield* Effect.orDie(cluster.delete({ resource: resources.deployments, name: "full" }))
        yield* cluster.settle()
        expect(pendingOf(cluster)).toEqual([])
      })
    ))
})

describe("a Pod with scheduling gates", () => {
  const gates = [{ name: "example.com/quota" }, { name: "example.com/licence" }]
  const lonePodOf = ({ view }: ClusterService) => view.get(resources.pods, "default/lone")
  const beginGated = (cluster: ClusterService) =>
    Effect.gen(function* () {
      const podSpec = { schedulingGates: gates }
      const { metadata, spec } = deploymentManifest({ podSpec }) as Deployment
      const labels = spec.template.metadata?.labels ?? {}
      yield* createObject(cluster, {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { ...metadata, name: "lone", labels },
        spec: spec.template.spec
      } as Draft)
      yield* advanceMillis(cluster, 60_000)
    })
  const leave = (cluster: ClusterService, schedulingGates: ReadonlyArray<object>) =>
    Effect.orDie(
      cluster.modify(
        loneAddress,
        (pod) => ({ ...pod, spec: { ...(pod as Pod).spec, schedulingGates } }) as Draft
      )
    )

  it("stays Pending, unseen by the scheduler, until its last gate is removed", () =>
    withCluster({ nodes: 2, seed: 3 }, (cluster) =>
      Effect.gen(function* () {
        yield* beginGated(cluster)
        yield* leave(cluster, gates.slice(1))
        yield* advanceMillis(cluster, 60_000)
        expect(lonePodOf(cluster)?.spec.nodeName).toBeUndefined()
        expect(lonePodOf(cluster)?.status).toMatchObject({
          phase: "Pending",
          conditions: [
            {
              type: "PodScheduled",
              status: "False",
              reason: "SchedulingGated",
              message: "Scheduling is blocked due to non-empty scheduling gates",
              lastTransitionTime: lonePodOf(cluster)?.metadata.creationTimestamp
            }
          ]
        })
        expect(yield* cluster.events(lonePodOf(cluster)?.metadata)).toEqual([])
        yield* leave(cluster, [])
        yield* advanceMillis(cluster, 60_000)
        expect(lonePodOf(cluster)?.spec.nodeName).toBeDefined()
        const scheduled = conditionOf(lonePodOf(cluster)?.status.conditions, "PodScheduled")
        expect([scheduled?.status, scheduled?.reason]).toEqual(["True", undefined])
        expect(lonePodOf(cluster)?.status.phase).toBe("Running")
      })
    ))

  it.each([
    { why: "restarts", fault: { fault: "controllerRestarted", controller: "scheduler" } },
    { why: "is stopped", fault: { fault: "controllerStopped", controller: "scheduler", for: "10s" } }
  ] as const)("is bound even if its gates are removed while the scheduler $why", ({ fault }) =>
    withCluster({ nodes: 2 }, (cluster) =>
      Effect.gen(function* () {
        yield* beginGated(cluster)
        yield* Effect.orDie(cluster.faultInjector.begin(fault))
        yield* leave(cluster, [])
        yield* advanceMillis(cluster, 60_000)
        expect(lonePodOf(cluster)?.spec.nodeName).toBeDefined()
      })
    )
  )

  it("cannot be bound by a client either", () =>
    withCluster({ nodes: 1 }, (cluster) =>
      Effect.gen(function* () {
        yield* beginGated(cluster)
        const bound = Effect.flip(cluster.bind({ name: "lone", node: "node-1" }))
        expect((yield* bound).message).toContain("pod lone has non-empty .spec.schedulingGates")
        yield* leave(cluster, [])
        yield* advanceMillis(cluster, 60_000)
        expect(podsOn(cluster, "node-1").map(objectKeyOf)).toEqual(["default/lone"])
      })
    ))

  it("does not delay other Pods, and its rollout waits for it", () =>
    withCluster({ nodes: { count: 1, pods: 3 } }, (cluster) =>
      Effect.gen(function* () {
        yield* createObject(
          cluster,
          deploymentManifest({ name: "held", replicas: 2, podSpec: { schedulingGates: gates } })
        )
        yield* createObject(cluster, deploymentManifest({ replicas: 3 }))
        expect((yield* cluster.rollout("web")).outcome).toBe("complete")
        expect(pendingOf(cluster).map(({ metadata }) => metadata.labels?.["app"])).toEqual(["held", "held"])
      })
    ))
})
