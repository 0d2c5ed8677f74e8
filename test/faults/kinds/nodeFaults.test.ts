import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { aManifest } from "../../builders.ts"
import { conditionOf } from "../../../src/kubernetes/meta/conditions.ts"
import { Conflict } from "../../../src/store/storeErrors.ts"
import { makeNodeValuesBeforeFaults } from "../../../src/faults/nodeValuesBeforeFaults.ts"
import { nodeFaults } from "../../../src/faults/kinds/nodeFaults.ts"
import { resources } from "../../../src/kubernetes/meta/kinds.ts"
import { deploymentManifest, createObject, replaceSpec } from "../../cluster/testCluster.ts"
import { inFaultCluster } from "../faultCluster.ts"
import type { Node } from "../../../src/kubernetes/meta/objects.ts"
import type { Fault } from "../../../src/faults/fault.ts"
import type { FaultContext } from "../../../src/faults/faultKind.ts"
import type { ClusterService } from "../../cluster/testCluster.ts"

const nodeOf = ({ view }: ClusterService, name: string): Node | undefined => view.get(resources.nodes, name)
const readiness = (cluster: ClusterService, name: string): string | undefined =>
  conditionOf(nodeOf(cluster, name)?.status.conditions, "Ready")?.status
/** The fields of a node that faults may change. */
const faultableFields = (cluster: ClusterService, name: string): object => {
  const { metadata, spec, status } = nodeOf(cluster, name) as Node
  return { annotations: metadata.annotations, spec, allocatable: status.allocatable }
}

describe("a lost node", () => {
  it("is Unknown for the duration, and its Pods are ready again afterwards", () =>
    inFaultCluster({}, ({ cluster, beginFault, pass, ready }) =>
      Effect.gen(function* () {
        yield* beginFault({ fault: "nodeLost", node: "node-2", for: "90s" })
        yield* pass(60)
        expect([readiness(cluster, "node-2"), ready()]).toEqual(["Unknown", 2])
        yield* pass(35)
        expect([readiness(cluster, "node-2"), ready()]).toEqual(["True", 3])
      })
    ))

  it("stays Unknown when its kubelet was stopped before", () =>
    inFaultCluster({}, ({ cluster, beginFault, pass }) =>
      Effect.gen(function* () {
        yield* Effect.orDie(cluster.setKubelet("node-3", "stopped"))
        yield* beginFault({ fault: "nodeLost", node: "node-3", for: "10s" })
        yield* pass(100)
        expect(readiness(cluster, "node-3")).toBe("Unknown")
      })
    ))

  it("stays cordoned after a drain when it was cordoned before", () =>
    inFaultCluster({}, ({ cluster, beginFault }) =>
      Effect.gen(function* () {
        yield* Effect.orDie(
          cluster.modify({ resource: resources.nodes, name: "node-1" }, (object) => {
            const node = object as Node
            return { ...node, spec: { ...node.spec, unschedulable: true } }
          })
        )
        const drained = yield* beginFault({ fault: "nodeDrained", node: "node-1" })
        const cordoned = yield* beginFault({ fault: "nodeCordoned", node: "node-1" })
        yield* drained.end
        yield* cordoned.end
        expect(nodeOf(cluster, "node-1")?.spec.unschedulable).toBe(true)
      })
    ))

  it("has its former annotation again after overlapping faults", () =>
    inFaultCluster({}, ({ cluster, beginFault }) =>
      Effect.gen(function* () {
        yield* Effect.orDie(cluster.setKubelet("node-1", "running"))
        const before = faultableFields(cluster, "node-1")
        for (let times = 0; times < 2; times += 1) {
          const handles = [
            yield* beginFault({ fault: "nodeLost", node: "node-1" }),
            yield* beginFault({ fault: "nodeLost", node: "node-1" }),
            yield* beginFault({ fault: "nodeLost", node: "node-1" })
          ]
          for (const handle of handles) {
            expect(faultableFields(cluster, "node-1")).not.toEqual(before)
            yield* handle.end
          }
          expect(faultableFields(cluster, "node-1")).toEqual(before)
        }
      })
    ))

  it("is lost until the last of two faults is over", () =>
    inFaultCluster({}, ({ cluster, beginFault, pass }) =>
      Effect.gen(function* () {
        yield* beginFault({ fault: "nodeLost", node: "node-1", for: "60s" })
        yield* pass(50)
        yield* beginFault({ fault: "nodeLost", node: "node-1", for: "60s" })
        yield* pass(40)
        expect(readiness(cluster, "node-1")).toBe("Unknown")
        yield* pass(21)
        expect(readiness(cluster, "node-1")).toBe("True")
      })
    ))

  it("has evicted Pods that terminate only when it is back", () =>
    inFaultCluster({}, ({ cluster, beginFault, pass, pods, ready }) =>
      Effect.gen(function* () {
        const handle = yield* beginFault({ fault: "nodeLost", node: "node-2" })
        yield* pass(400)
        expect(ready()).toBe(3)
        expect(pods().filter((text) => text.includes("terminating"))).toEqual(["Running terminating"])
        yield* handle.end
        yield* pass(30)
        expect(pods()).toEqual(["Running ready", "Running ready", "Running ready"])
        expect(readiness(cluster, "node-2")).toBe("True")
      })
    ))
})

describe("a full or cordoned node", () => {
  it.each<{ readonly fault: Fault; readonly message: string }>([
    {
      fault: { fault: "nodeCordoned", node: "node-1" },
      message: "1 node(s) were unschedulable"
    },
    { fault: { fault: "nodeFull", node: "node-1" }, message: "1 Too many pods" }
  ])("takes no Pod: $message", ({ fault, message }) =>
    inFaultCluster({ cluster: { nodes: 1 } }, ({ cluster, beginFault, pass, pods, podsOf }) =>
      Effect.gen(function* () {
        const handle = yield* beginFault(fault)
        yield* replaceSpec(cluster, deploymentManifest({ replicas: 4 }))
        yield* pass(30)
        const waiting = podsOf().find(({ spec }) => spec.nodeName === undefined)
        expect(conditionOf(waiting?.status.conditions, "PodScheduled")?.message).toContain(
          `0/1 nodes are available: ${message}. `
        )
        yield* handle.end
        yield* pass(30)
        expect(pods()).toEqual(Array.from({ length: 4 }, () => "Running ready"))
      })
    )
  )

  it("has its room again only when both of two nodeFull faults are over", () =>
    inFaultCluster({ manifest: { replicas: 6 } }, ({ cluster, beginFault, pass, podsOf }) =>
      Effect.gen(function* () {
        const before = faultableFields(cluster, "node-1")
        const first = yield* beginFault({ fault: "nodeFull", node: "node-1" })
        const full = faultableFields(cluster, "node-1")
        const [lost] = podsOf().filter(({ spec }) => spec.nodeName === "node-1")
        yield* Effect.orDie(
          cluster.delete({ resource: "pods", name: lost?.metadata.name ?? "" }, { gracePeriodSeconds: 0 })
        )
        const second = yield* beginFault({ fault: "nodeFull", node: "node-1" })
        yield* first.end
        expect(faultableFields(cluster, "node-1")).toEqual(full)
        yield* pass(5)
        yield* second.end
        expect(faultableFields(cluster, "node-1")).toEqual(before)
      })
    ))

  it("takes allocatable from capacity when the node has none, and removes it afterwards", () =>
    inFaultCluster({}, ({ cluster, beginFault }) =>
      Effect.gen(function* () {
        const capacity = { cpu: "3", pods: "19" }
        yield* createObject(cluster, aManifest("Node", { name: "bare" }))
        yield* Effect.orDie(
          cluster.modify(
            { resource: resources.nodes, name: "bare" },
            (object) => {
              const { allocatable: _none, ...status } = (object as Node).status
              return { ...(object as Node), status: { ...status, capacity } }
            },
            { status: true }
          )
        )
        const handle = yield* beginFault({ fault: "nodeFull", node: "bare" })
        expect(nodeOf(cluster, "bare")?.status.allocatable).toEqual({ ...capacity, pods: "0" })
        yield* handle.end
        expect(nodeOf(cluster, "bare")?.status).not.toHaveProperty("allocatable")
      })
    ))

  it("keeps an allocatable that was written meanwhile", () =>
    inFaultCluster({}, ({ cluster, beginFault }) =>
      Effect.gen(function* () {
        const handle = yield* beginFault({ fault: "nodeFull", node: "node-1" })
        const allocatable = { cpu: "4", memory: "8Gi", pods: "17" }
        yield* Effect.orDie(
          cluster.modify(
            { resource: resources.nodes, name: "node-1" },
            (object) => ({ ...(object as Node), status: { ...(object as Node).status, allocatable } }),
            { status: true }
          )
        )
        yield* handle.end
        expect(nodeOf(cluster, "node-1")?.status.allocatable).toEqual(allocatable)
      })
    ))
})

describe("the end of a node fault", () => {
  const faults: ReadonlyArray<Fault> = [
    { fault: "nodeLost", node: "node-1" },
    { fault: "nodeDrained", node: "node-1" },
    { fault: "nodeCordoned", node: "node-1" },
    { fault: "nodeFull", node: "node-1" }
  ]
  it.each(faults)("restores the node: $fault", (fault) =>
    inFaultCluster({}, ({ cluster, beginFault }) =>
      Effect.gen(function* () {
        const before = faultableFields(cluster, "node-1")
        const handle = yield* beginFault(fault)
        expect(faultableFields(cluster, "node-1")).not.toEqual(before)
        yield* handle.end
        expect(faultableFields(cluster, "node-1")).toEqual(before)
      })
    )
  )

  it.each(faults)("does nothing when the node is deleted: $fault", (fault) =>
    inFaultCluster({}, ({ cluster, beginFault, pass }) =>
      Effect.gen(function* () {
        const handle = yield* beginFault(fault)
        yield* Effect.orDie(cluster.delete({ resource: resources.nodes, name: "node-1" }))
        yield* handle.end
        yield* pass(60)
        expect(nodeOf(cluster, "node-1")).toBeUndefined()
      })
    )
  )

  it("does not depend on an earlier fault whose write was refused", () =>
    inFaultCluster({}, ({ cluster: { view } }) =>
      Effect.gen(function* () {
        let [isRefused, node] = [true, view.get(resources.nodes, "node-1") as Node]
        const modify = (_place: object, to: (object: Node) => Node) =>
          isRefused
            ? Effect.fail(
                new Conflict({ resource: resources.nodes, resourceName: "node-1", why: "it was changed" })
              )
            : Effect.sync(() => (node = to(node)))
        // As much of the fault context as a cordon needs, with a store that can refuse the write.
        const context = {
          view,
          nodeValuesBeforeFaults: makeNodeValuesBeforeFaults(),
          store: { modify }
        } as object as FaultContext
        const cordon = { fault: "nodeCordoned", node: "node-1" } as const
        const refused = yield* Effect.flip(nodeFaults.nodeCordoned.begin(cordon, context))
        expect([refused._tag, node.spec.unschedulable]).toEqual(["FaultRefused", undefined])
        isRefused = false
        yield* nodeFaults.nodeCordoned.begin(cordon, context)
        expect(node.spec.unschedulable).toBe(true)
      })
    ))

  it.each(["nodeLost", "nodeDrained", "nodeCordoned", "nodeFull"] as const)(
    "cannot come for a missing node, whose fault is refused: %s",
    (fault) =>
      inFaultCluster({}, ({ refusal }) =>
        Effect.map(refusal({ fault, node: "node-7" }), (message) =>
          expect(message).toBe(`fault ${fault}: nodes "node-7" not found`)
        )
      )
  )
})
