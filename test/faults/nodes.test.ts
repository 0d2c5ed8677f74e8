import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { conditionOf } from "../../src/kubernetes/meta/conditions.ts"
import { controllerReference } from "../../src/kubernetes/meta/ownerReferences.ts"
import { Conflict } from "../../src/store/storeErrors.ts"
import { makeHeldValues } from "../../src/faults/heldValues.ts"
import { nodeFaults } from "../../src/faults/kinds/nodeFaults.ts"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
import { aManifest, begin, change } from "../cluster/worlds.ts"
import { tell } from "./world.ts"
import type { Node } from "../../src/kubernetes/meta/objects.ts"
import type { Fault } from "../../src/faults/fault.ts"
import type { FaultContext } from "../../src/faults/faultKind.ts"
import type { Living } from "../cluster/worlds.ts"

const nodeOf = ({ view }: Living, name: string): Node | undefined => view.get(resources.nodes, name)
const readiness = (cluster: Living, name: string): string | undefined =>
  conditionOf(nodeOf(cluster, name)?.status.conditions, "Ready")?.status
const loads = ({ view }: Living): ReadonlyArray<number> =>
  ["node-1", "node-2", "node-3"].map((name) => view.nodePods.load(name).pods)
/** What of a node a fault may change. */
const standing = (cluster: Living, name: string): object => {
  const { metadata, spec, status } = nodeOf(cluster, name) as Node
  return { annotations: metadata.annotations, spec, allocatable: status.allocatable }
}
const aBudget = (minAvailable: number) => ({
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata: { name: "web", namespace: "default" },
  spec: { minAvailable, selector: { matchLabels: { app: "web" } } }
})

describe("a node that is lost", () => {
  it("is silent for as long as is said, and its Pods are ready again after that", () =>
    tell({}, ({ cluster, strike, pass, ready }) =>
      Effect.gen(function* () {
        yield* strike({ fault: "nodeLost", node: "node-2", for: "90s" })
        yield* pass(60)
        expect([readiness(cluster, "node-2"), ready()]).toEqual(["Unknown", 2])
        yield* pass(35)
        expect([readiness(cluster, "node-2"), ready()]).toEqual(["True", 3])
      })
    ))

  it("that was silent before stays so", () =>
    tell({}, ({ cluster, strike, pass }) =>
      Effect.gen(function* () {
        yield* Effect.orDie(cluster.setKubelet("node-3", "stopped"))
        yield* strike({ fault: "nodeLost", node: "node-3", for: "10s" })
        yield* pass(100)
        expect(readiness(cluster, "node-3")).toBe("Unknown")
      })
    ))

  it("is cordoned still where it was before", () =>
    tell({}, ({ cluster, strike }) =>
      Effect.gen(function* () {
        yield* Effect.orDie(
          cluster.modify({ resource: resources.nodes, key: "node-1" }, (object) => {
            const node = object as Node
            return { ...node, spec: { ...node.spec, unschedulable: true } }
          })
        )
        const drained = yield* strike({ fault: "nodeDrained", node: "node-1" })
        const cordoned = yield* strike({ fault: "nodeCordoned", node: "node-1" })
        yield* drained.end
        yield* cordoned.end
        expect(nodeOf(cluster, "node-1")?.spec.unschedulable).toBe(true)
      })
    ))

  it("has its annotation again where it had one", () =>
    tell({}, ({ cluster, strike }) =>
      Effect.gen(function* () {
        yield* Effect.orDie(cluster.setKubelet("node-1", "running"))
        const before = standing(cluster, "node-1")
        for (let times = 0; times < 2; times += 1) {
          const handles = [
            yield* strike({ fault: "nodeLost", node: "node-1" }),
            yield* strike({ fault: "nodeLost", node: "node-1" }),
            yield* strike({ fault: "nodeLost", node: "node-1" })
          ]
          for (const handle of handles) {
            expect(standing(cluster, "node-1")).not.toEqual(before)
            yield* handle.end
          }
          expect(standing(cluster, "node-1")).toEqual(before)
        }
      })
    ))

  it("is lost until the last of two faults is over", () =>
    tell({}, ({ cluster, strike, pass }) =>
      Effect.gen(function* () {
        yield* strike({ fault: "nodeLost", node: "node-1", for: "60s" })
        yield* pass(50)
        yield* strike({ fault: "nodeLost", node: "node-1", for: "60s" })
        yield* pass(40)
        expect(readiness(cluster, "node-1")).toBe("Unknown")
        yield* pass(21)
        expect(readiness(cluster, "node-1")).toBe("True")
      })
    ))

  it("loses Pods that hear of their end only when it is back", () =>
    tell({}, ({ cluster, strike, pass, pods, ready }) =>
      Effect.gen(function* () {
        const handle = yield* strike({ fault: "nodeLost", node: "node-2" })
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

describe("a node that is drained", () => {
  it("is left by its Pods and takes none until it is over", () =>
    tell({ manifest: { replicas: 6 } }, ({ cluster, strike, pass }) =>
      Effect.gen(function* () {
        expect(loads(cluster)).toEqual([2, 2, 2])
        const handle = yield* strike({ fault: "nodeDrained", node: "node-1" })
        yield* pass(30)
        expect(loads(cluster)).toEqual([0, 3, 3])
        expect(nodeOf(cluster, "node-1")?.spec.unschedulable).toBe(true)
        yield* handle.end
        expect(nodeOf(cluster, "node-1")?.spec.unschedulable).toBeUndefined()
        yield* change(cluster, aManifest({ replicas: 8 }))
        yield* pass(30)
        expect(loads(cluster)).toEqual([2, 3, 3])
      })
    ))

  it("asks again every 5 s for Pods that their budget does not let go", () =>
    tell({ manifest: { replicas: 6 } }, ({ cluster, strike, pass, podsOf, ready }) =>
      Effect.gen(function* () {
        yield* begin(cluster, aBudget(5))
        yield* pass(1)
        yield* strike({ fault: "nodeDrained", node: "node-1" })
        // One at once and one after 5 s, each 3 s on its way out; the first is replaced by then, after 4 s.
        const left: Array<number> = []
        for (let second = 0; second <= 20; second += 1) {
          left.push(loads(cluster)[0] ?? 0)
          expect(ready()).toBeGreaterThanOrEqual(5)
          yield* pass(1)
        }
        expect(left.join("")).toBe("222111110000000000000")
        expect(podsOf()).toHaveLength(6)
      })
    ))

  it("keeps what DaemonSets have there, and gives up on nobody: two budgets are one too many", () =>
    tell({ manifest: { replicas: 6 } }, ({ cluster, strike, pass }) =>
      Effect.gen(function* () {
        const labels = { app: "logs" }
        const containers = [{ name: "app", image: "registry.example/app:v1" }]
        const template = { metadata: { labels }, spec: { containers } }
        const daemonSet = yield* Effect.orDie(
          cluster.create({
            apiVersion: "apps/v1",
            kind: "DaemonSet",
            metadata: { name: "logs", namespace: "default" },
            spec: { selector: { matchLabels: labels }, template }
          } as never)
        )
        const controller = controllerReference(daemonSet)
        const logs = { name: "logs-1", namespace: "default", ownerReferences: [controller] }
        const lone = { name: "lone", namespace: "default", labels: { app: "lone" } }
        for (const metadata of [logs, lone]) {
          const spec = { containers, nodeName: "node-1", tolerations: [{ operator: "Exists" }] }
          yield* begin(cluster, { apiVersion: "v1", kind: "Pod", metadata, spec } as never)
        }
        const another = aBudget(1)
        yield* begin(cluster, aBudget(1))
        yield* begin(cluster, { ...another, metadata: { ...another.metadata, name: "another" } })
        yield* pass(10)
        yield* strike({ fault: "nodeDrained", node: "node-1" })
        yield* pass(20)
        const names = () => cluster.view.nodePods.on("node-1").map(({ metadata }) => metadata.name)
        expect(names()).toHaveLength(3)
        expect(names()).not.toContain("lone")
        yield* Effect.orDie(cluster.delete({ resource: resources.disruptionBudgets, key: "default/another" }))
        yield* pass(20)
        expect(names()).toEqual(["logs-1"])
      })
    ))

  it("is drained no further once it is over", () =>
    tell({ manifest: { replicas: 6 } }, ({ cluster, strike, pass }) =>
      Effect.gen(function* () {
        yield* begin(cluster, aBudget(6))
        yield* pass(1)
        const handle = yield* strike({ fault: "nodeDrained", node: "node-1" })
        yield* pass(3600)
        expect(loads(cluster)).toEqual([2, 2, 2])
        yield* handle.end
        yield* Effect.orDie(cluster.delete({ resource: resources.disruptionBudgets, key: "default/web" }))
        yield* pass(60)
        expect(loads(cluster)).toEqual([2, 2, 2])
      })
    ))
})

describe("a node that is full or cordoned", () => {
  it.each<{ readonly fault: Fault; readonly message: string }>([
    {
      fault: { fault: "nodeCordoned", node: "node-1" },
      message: "1 node(s) were unschedulable"
    },
    { fault: { fault: "nodeFull", node: "node-1" }, message: "1 Too many pods" }
  ])("takes no Pod: $message", ({ fault, message }) =>
    tell({ cluster: { nodes: 1 } }, ({ cluster, strike, pass, pods, podsOf }) =>
      Effect.gen(function* () {
        const handle = yield* strike(fault)
        yield* change(cluster, aManifest({ replicas: 4 }))
        yield* pass(30)
        const waiting = podsOf().find(({ spec }) => spec.nodeName === undefined)
        expect(conditionOf(waiting?.status.conditions, "PodScheduled")?.message).toBe(
          `0/1 nodes are available: ${message}.`
        )
        yield* handle.end
        yield* pass(30)
        expect(pods()).toEqual(Array.from({ length: 4 }, () => "Running ready"))
      })
    )
  )

  it("that is full twice has no more room in between, and all of it when both are over", () =>
    tell({ manifest: { replicas: 6 } }, ({ cluster, strike, pass, podsOf }) =>
      Effect.gen(function* () {
        const before = standing(cluster, "node-1")
        const first = yield* strike({ fault: "nodeFull", node: "node-1" })
        const full = standing(cluster, "node-1")
        const [lost] = podsOf().filter(({ spec }) => spec.nodeName === "node-1")
        yield* Effect.orDie(
          cluster.delete(
            { resource: "pods", key: `default/${lost?.metadata.name}` },
            { gracePeriodSeconds: 0 }
          )
        )
        const second = yield* strike({ fault: "nodeFull", node: "node-1" })
        yield* first.end
        expect(standing(cluster, "node-1")).toEqual(full)
        yield* pass(5)
        yield* second.end
        expect(standing(cluster, "node-1")).toEqual(before)
      })
    ))

  it("that is full has the room of its capacity where nothing else is said, and says nothing else after", () =>
    tell({}, ({ cluster, strike }) =>
      Effect.gen(function* () {
        const capacity = { cpu: "3", pods: "19" }
        yield* begin(cluster, { apiVersion: "v1", kind: "Node", metadata: { name: "bare" } })
        yield* Effect.orDie(
          cluster.modify(
            { resource: resources.nodes, key: "bare" },
            (object) => {
              const { allocatable: _none, ...status } = (object as Node).status
              return { ...(object as Node), status: { ...status, capacity } }
            },
            { status: true }
          )
        )
        const handle = yield* strike({ fault: "nodeFull", node: "bare" })
        expect(nodeOf(cluster, "bare")?.status.allocatable).toEqual({ ...capacity, pods: "0" })
        yield* handle.end
        expect(nodeOf(cluster, "bare")?.status).not.toHaveProperty("allocatable")
      })
    ))

  it("that is full keeps what another has said of it meanwhile", () =>
    tell({}, ({ cluster, strike }) =>
      Effect.gen(function* () {
        const handle = yield* strike({ fault: "nodeFull", node: "node-1" })
        const allocatable = { cpu: "4", memory: "8Gi", pods: "17" }
        yield* Effect.orDie(
          cluster.modify(
            { resource: resources.nodes, key: "node-1" },
            (object) => ({ ...(object as Node), status: { ...(object as Node).status, allocatable } }),
            { status: true }
          )
        )
        yield* handle.end
        expect(nodeOf(cluster, "node-1")?.status.allocatable).toEqual(allocatable)
      })
    ))
})

describe("the end of a fault of a node", () => {
  const faults: ReadonlyArray<Fault> = [
    { fault: "nodeLost", node: "node-1" },
    { fault: "nodeDrained", node: "node-1" },
    { fault: "nodeCordoned", node: "node-1" },
    { fault: "nodeFull", node: "node-1" }
  ]
  it.each(faults)("leaves it as it was: $fault", (fault) =>
    tell({}, ({ cluster, strike }) =>
      Effect.gen(function* () {
        const before = standing(cluster, "node-1")
        const handle = yield* strike(fault)
        expect(standing(cluster, "node-1")).not.toEqual(before)
        yield* handle.end
        expect(standing(cluster, "node-1")).toEqual(before)
      })
    )
  )

  it.each(faults)("is nothing where the node is gone: $fault", (fault) =>
    tell({}, ({ cluster, strike, pass }) =>
      Effect.gen(function* () {
        const handle = yield* strike(fault)
        yield* Effect.orDie(cluster.delete({ resource: resources.nodes, key: "node-1" }))
        yield* handle.end
        yield* pass(60)
        expect(nodeOf(cluster, "node-1")).toBeUndefined()
      })
    )
  )

  it("that could not be written to is written to by the next fault", () =>
    tell({}, ({ cluster: { view } }) =>
      Effect.gen(function* () {
        let [isRefused, node] = [true, view.get(resources.nodes, "node-1") as Node]
        const modify = (_place: object, to: (object: Node) => Node) =>
          isRefused
            ? Effect.fail(new Conflict({ resource: resources.nodes, name: "node-1", why: "it was changed" }))
            : Effect.sync(() => (node = to(node)))
        // As much of a world as a cordon meets, with a store that can refuse it.
        const world = { view, holds: makeHeldValues(), store: { modify } } as object as FaultContext
        const cordon = { fault: "nodeCordoned", node: "node-1" } as const
        const refused = yield* Effect.flip(nodeFaults.nodeCordoned.begin(cordon, world))
        expect([refused._tag, node.spec.unschedulable]).toEqual(["FaultRefused", undefined])
        isRefused = false
        yield* nodeFaults.nodeCordoned.begin(cordon, world)
        expect(node.spec.unschedulable).toBe(true)
      })
    ))

  it.each(["nodeLost", "nodeDrained", "nodeCordoned", "nodeFull"] as const)(
    "never comes where there is no such node: %s",
    (fault) =>
      tell({}, ({ refusal }) =>
        Effect.map(refusal({ fault, node: "node-7" }), (message) =>
          expect(message).toBe(`fault ${fault}: nodes "node-7" not found`)
        )
      )
  )
})
