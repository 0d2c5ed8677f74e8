import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { conditionOf } from "../../src/kubernetes/meta/conditions.ts"
import { isPodReady } from "../../src/kubernetes/pods/podState.ts"
import { isTerminating } from "../../src/kubernetes/meta/ownerReferences.ts"
import { objectKeyOf } from "../../src/kubernetes/meta/objects.ts"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
import { makeCluster } from "../../src/cluster/cluster.ts"
import { aManifest, begin, change, eventTexts, inCluster } from "./worlds.ts"
import { toCompleteEvent } from "../../src/kubernetes/meta/completeEvent.ts"
import type { ClusterOptions } from "../../src/cluster/clusterOptions.ts"
import type { Draft, Node, Pod } from "../../src/kubernetes/meta/objects.ts"
import type { Living } from "./worlds.ts"

const podsOn = ({ view }: Living, node: string) => view.nodePods.on(node)
const nodeOf = ({ view }: Living, node: string) => view.get(resources.nodes, node)
const conditionText = (cluster: Living, node: string, type: string): string => {
  const condition = conditionOf(nodeOf(cluster, node)?.status.conditions, type)
  return `${condition?.status} ${condition?.reason}: ${condition?.message}`
}
const isKnownLost = (cluster: Living, node: string): boolean =>
  conditionOf(nodeOf(cluster, node)?.status.conditions, "Ready")?.status === "Unknown"
const taintTexts = (cluster: Living, node: string): ReadonlyArray<string> =>
  (nodeOf(cluster, node)?.spec.taints ?? []).map(({ key, effect }) => `${key}:${effect}`)
const pass = (cluster: Living, millis: number) => Effect.orDie(cluster.advance(millis))
const silence = (cluster: Living, node: string) => Effect.orDie(cluster.setKubelet(node, "stopped"))
const restore = (cluster: Living, node: string) => Effect.orDie(cluster.setKubelet(node, "running"))
const readyCount = ({ view }: Living): number | undefined =>
  view.get(resources.deployments, "default/web")?.status.readyReplicas

/** Six Pods of `web` on three nodes. */
const rolledOut = (cluster: Living, options: Parameters<typeof aManifest>[0] = {}) =>
  Effect.gen(function* () {
    yield* begin(cluster, aManifest({ replicas: 6, ...options }))
    yield* Effect.orDie(cluster.rollout("web"))
    // To the whole of a heartbeat, so that what follows counts from here.
    yield* pass(cluster, 10_000 - (cluster.nowMillis() % 10_000))
  })

const setTaints = (cluster: Living, name: string, taints: Node["spec"]["taints"] & object) =>
  Effect.orDie(
    cluster.modify({ resource: resources.nodes, key: name }, (object) => {
      const node = object as Node
      return { ...node, spec: { ...node.spec, taints } } as Draft
    })
  )

const tolerating = (seconds?: number, key = "node.kubernetes.io/unreachable") => ({
  tolerations: [
    {
      key,
      operator: "Exists",
      effect: "NoExecute",
      ...(seconds === undefined ? {} : { tolerationSeconds: seconds })
    }
  ]
})

describe("a node whose kubelet falls silent", () => {
  it.each<{ readonly nodes: ClusterOptions["nodes"] & object; readonly seconds: number }>([
    { nodes: { count: 3 }, seconds: 50 },
    { nodes: { lostAfterSeconds: 40 }, seconds: 40 },
    { nodes: { count: 3, lostAfterSeconds: 73.5 }, seconds: 73.5 }
  ])("is lost $seconds s after its last heartbeat, and not before", ({ nodes, seconds }) =>
    inCluster({ nodes }, (cluster) =>
      Effect.gen(function* () {
        yield* rolledOut(cluster)
        yield* silence(cluster, "node-2")
        yield* pass(cluster, seconds * 1000 - 1)
        expect(isKnownLost(cluster, "node-2")).toBe(false)
        yield* pass(cluster, 1)
        expect(isKnownLost(cluster, "node-2")).toBe(true)
        expect(isKnownLost(cluster, "node-1")).toBe(false)
      })
    )
  )

  it.each([10, 0, -50, Number.NaN, Infinity])("cannot be given %d s", (lostAfterSeconds) =>
    Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const refused = yield* Effect.flip(makeCluster({ nodes: { lostAfterSeconds } }))
          expect(refused.message).toBe(
            `nodes.lostAfterSeconds must be above 10, the seconds between two heartbeats, not ${lostAfterSeconds}`
          )
        })
      )
    )
  )

  it("says so in its conditions, its taints and an event", () =>
    inCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* rolledOut(cluster)
        expect(conditionText(cluster, "node-2", "Ready")).toBe(
          "True KubeletReady: kubelet is posting ready status"
        )
        yield* silence(cluster, "node-2")
        yield* pass(cluster, 60_000)
        for (const type of ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"]) {
          expect(conditionText(cluster, "node-2", type)).toBe(
            "Unknown NodeStatusUnknown: Kubelet stopped posting node status."
          )
        }
        expect(taintTexts(cluster, "node-2")).toEqual([
          "node.kubernetes.io/unreachable:NoSchedule",
          "node.kubernetes.io/unreachable:NoExecute"
        ])
        const events = yield* cluster.events(nodeOf(cluster, "node-2")?.metadata)
        expect(eventTexts(events)).toEqual(["NodeNotReady: Node node-2 status is now: NodeNotReady"])
      })
    ))

  it("that was never heard of is lost a minute after it was made", () =>
    inCluster({ nodes: 1 }, (cluster) =>
      Effect.gen(function* () {
        const metadata = { name: "mute", annotations: { "charthouse.dev/kubelet": "stopped" } }
        yield* begin(cluster, { apiVersion: "v1", kind: "Node", metadata })
        yield* pass(cluster, 59_999)
        expect([isKnownLost(cluster, "mute"), taintTexts(cluster, "mute")]).toEqual([
          false,
          ["node.kubernetes.io/not-ready:NoSchedule"]
        ])
        yield* pass(cluster, 1)
        expect(conditionText(cluster, "mute", "Ready")).toBe(
          "Unknown NodeStatusNeverUpdated: Kubelet never posted node status."
        )
      })
    ))

  it("has Pods that count as unready at once, of which an event tells, and that nobody replaces yet", () =>
    inCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* rolledOut(cluster)
        yield* silence(cluster, "node-2")
        yield* pass(cluster, 50_000)
        expect(podsOn(cluster, "node-2").map(isPodReady)).toEqual([false, false])
        const status = cluster.view.get(resources.deployments, "default/web")?.status
        expect([status?.readyReplicas, status?.replicas]).toEqual([4, 6])
        for (const pod of podsOn(cluster, "node-2")) {
          const events = yield* cluster.events(pod.metadata)
          expect(events.filter(({ type }) => type === "Warning")).toMatchObject([
            { reason: "NodeNotReady", message: "Node is not ready", source: { component: "node-controller" } }
          ])
        }
      })
    ))
})

describe("Pods on a lost node", () => {
  it.each<{ readonly why: string; readonly podSpec: object; readonly seconds: number | "never" }>([
    { why: "what every Pod tolerates", podSpec: {}, seconds: 300 },
    { why: "its own patience", podSpec: tolerating(47), seconds: 47 },
    { why: "no patience", podSpec: tolerating(0), seconds: 0 },
    { why: "patience without end", podSpec: tolerating(), seconds: "never" }
  ])("are asked to go after $seconds s: $why", ({ podSpec, seconds }) =>
    inCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* rolledOut(cluster, { podSpec })
        const going = () => podsOn(cluster, "node-2").map(isTerminating)
        yield* silence(cluster, "node-2")
        yield* pass(cluster, seconds === 0 ? 49_999 : 50_000)
        if (seconds === "never") {
          yield* pass(cluster, 86_400_000)
          return expect(going()).toEqual([false, false])
        }
        yield* pass(cluster, Math.max(0, seconds * 1000 - 1))
        expect(going()).toEqual([false, false])
        yield* pass(cluster, 1)
        expect(going()).toEqual([true, true])
      })
    )
  )

  it("with different patience go one after the other", () =>
    inCluster({ nodes: 1 }, (cluster) =>
      Effect.gen(function* () {
        for (const seconds of [30, 90, 61]) {
          const name = `p${seconds}`
          yield* begin(cluster, aManifest({ name, replicas: 1, podSpec: tolerating(seconds) }))
          yield* Effect.orDie(cluster.rollout(name))
        }
        yield* silence(cluster, "node-1")
        yield* cluster.until(() => isKnownLost(cluster, "node-1"))
        const going = () => podsOn(cluster, "node-1").filter(isTerminating).length
        const seen: Array<number> = []
        for (const millis of [30_000, 30_999, 1, 28_999, 1]) {
          yield* pass(cluster, millis)
          seen.push(going())
        }
        expect(seen).toEqual([1, 1, 2, 2, 3])
      })
    ))

  it("say why they go, are replaced at once, and stay Terminating as long as nobody can say that they stopped", () =>
    inCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* rolledOut(cluster)
        const old = podsOn(cluster, "node-2")
        yield* silence(cluster, "node-2")
        yield* pass(cluster, 370_000)
        for (const { metadata } of old) {
          const key = `default/${metadata.name}`
          const target = conditionOf(
            cluster.view.get(resources.pods, key)?.status.conditions,
            "DisruptionTarget"
          )
          expect([target?.status, target?.reason, target?.message]).toEqual([
            "True",
            "DeletionByTaintManager",
            "Taint manager: deleting due to NoExecute taint"
          ])
          expect(eventTexts(yield* cluster.events(metadata))).toContain(
            `TaintManagerEviction: Marking for deletion Pod ${key}`
          )
        }
        expect(readyCount(cluster)).toBe(6)
        yield* pass(cluster, 86_400_000)
        expect(podsOn(cluster, "node-2").map(objectKeyOf)).toEqual(old.map(objectKeyOf))
      })
    ))

  it("go when the node is back", () =>
    inCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* rolledOut(cluster)
        yield* silence(cluster, "node-2")
        yield* pass(cluster, 400_000)
        expect(podsOn(cluster, "node-2").map(isTerminating)).toEqual([true, true])
        const reasons: Array<string | undefined> = []
        cluster.onChange(({ type, object }) => {
          if (type !== "DELETED" || object.kind !== "Pod") return
          const { status } = object as Pod
          reasons.push(conditionOf(status.conditions, "DisruptionTarget")?.reason)
        })
        yield* restore(cluster, "node-2")
        yield* pass(cluster, 30_000)
        expect(podsOn(cluster, "node-2")).toEqual([])
        expect(reasons).toEqual(["DeletionByTaintManager", "DeletionByTaintManager"])
        expect(taintTexts(cluster, "node-2")).toEqual([])
      })
    ))

  it("that had not begun when it fell silent are not begun when it is back: they only go", () =>
    inCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* rolledOut(cluster)
        yield* change(cluster, aManifest({ replicas: 6, version: "v2" }))
        yield* pass(cluster, 100)
        yield* silence(cluster, "node-2")
        const begun = podsOn(cluster, "node-2").filter((pod) => !isPodReady(pod) && !isTerminating(pod))
        expect(begun.length).toBeGreaterThan(0)
        yield* pass(cluster, 400_000)
        expect(podsOn(cluster, "node-2").every(isTerminating)).toBe(true)
        const events: Array<string> = []
        cluster.onChange(({ type, object }) => {
          if (type === "DELETED" || object.kind !== "Event") return
          const { reason, involvedObject } = toCompleteEvent(object)
          if (begun.some(({ metadata }) => metadata.name === involvedObject.name)) events.push(reason)
        })
        yield* restore(cluster, "node-2")
        yield* pass(cluster, 30_000)
        expect(podsOn(cluster, "node-2")).toEqual([])
        expect(events).toEqual([])
      })
    ))

  it("go when somebody forces them", () =>
    inCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* rolledOut(cluster)
        yield* silence(cluster, "node-2")
        yield* pass(cluster, 400_000)
        for (const pod of podsOn(cluster, "node-2")) {
          const ref = { resource: resources.pods, key: objectKeyOf(pod) }
          yield* Effect.orDie(cluster.delete(ref, { gracePeriodSeconds: 0 }))
        }
        expect(podsOn(cluster, "node-2")).toEqual([])
      })
    ))

  it("hold up a Recreate rollout, which goes on when they are gone", () =>
    inCluster({}, (cluster) =>
      Effect.gen(function* () {
        const spec = { strategy: { type: "Recreate" } }
        yield* rolledOut(cluster, { spec })
        yield* silence(cluster, "node-2")
        yield* pass(cluster, 60_000)
        yield* change(cluster, aManifest({ replicas: 6, version: "v2", spec }))
        yield* pass(cluster, 400_000)
        const pods = () => [...cluster.view.all(resources.pods)]
        expect(pods().map(isTerminating)).toEqual([true, true])
        yield* Effect.orDie(cluster.delete({ resource: resources.nodes, key: "node-2" }))
        yield* pass(cluster, 39_999)
        expect(pods()).toHaveLength(2)
        yield* pass(cluster, 30_000)
        expect(pods().map(isPodReady)).toEqual(Array(6).fill(true))
      })
    ))

  it("of a node that comes back in time stay, serve again, and are told that they do", () =>
    inCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* rolledOut(cluster)
        const before = podsOn(cluster, "node-1")
        yield* silence(cluster, "node-1")
        yield* pass(cluster, 349_999)
        expect(podsOn(cluster, "node-1").map(isPodReady)).toEqual([false, false])
        yield* restore(cluster, "node-1")
        yield* pass(cluster, 600_000)
        expect(podsOn(cluster, "node-1").map(objectKeyOf)).toEqual(before.map(objectKeyOf))
        expect(podsOn(cluster, "node-1").map(isPodReady)).toEqual([true, true])
        expect(nodeOf(cluster, "node-1")?.spec.taints).toBeUndefined()
        for (const pod of before) {
          const evictions = (yield* cluster.events(pod.metadata)).filter(
            ({ reason }) => reason === "TaintManagerEviction"
          )
          expect(evictions.map(({ message }) => message)).toEqual([
            `Cancelling deletion of Pod ${objectKeyOf(pod)}`
          ])
        }
        const events = eventTexts(yield* cluster.events(nodeOf(cluster, "node-1")?.metadata))
        expect(events).toContain("NodeReady: Node node-1 status is now: NodeReady")
      })
    ))
})

describe("a taint set by hand", () => {
  const broken = { key: "broken", value: "yes", effect: "NoExecute" }

  it("drives away at once what does not tolerate it, and the node takes nothing new", () =>
    inCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* rolledOut(cluster)
        yield* setTaints(cluster, "node-3", [broken])
        yield* pass(cluster, 30_000)
        expect(podsOn(cluster, "node-3")).toEqual([])
        expect(readyCount(cluster)).toBe(6)
        expect(taintTexts(cluster, "node-3")).toEqual(["broken:NoExecute"])
      })
    ))

  it("gives those that tolerate it for a time that time, from when it was set or they came", () =>
    inCluster({ nodes: 1 }, (cluster) =>
      Effect.gen(function* () {
        const podSpec = tolerating(41, "broken")
        yield* rolledOut(cluster, { replicas: 2, podSpec })
        const first = podsOn(cluster, "node-1").map(objectKeyOf)
        const left = () => podsOn(cluster, "node-1").filter((pod) => first.includes(objectKeyOf(pod))).length
        yield* setTaints(cluster, "node-1", [broken])
        yield* pass(cluster, 40_999)
        expect(podsOn(cluster, "node-1").map(isTerminating)).toEqual([false, false])
        yield* pass(cluster, 10_000)
        expect(left()).toBe(0)
        // Their successors came after that, and have as long.
        const second = podsOn(cluster, "node-1").map(objectKeyOf)
        const stay = () =>
          podsOn(cluster, "node-1").filter((pod) => second.includes(objectKeyOf(pod)) && !isTerminating(pod))
            .length
        yield* pass(cluster, 30_000)
        expect(stay()).toBe(2)
        yield* pass(cluster, 10_000)
        expect(stay()).toBe(0)
      })
    ))

  it("that is taken off again in time drives nobody away", () =>
    inCluster({ nodes: 1 }, (cluster) =>
      Effect.gen(function* () {
        const podSpec = tolerating(41, "broken")
        yield* rolledOut(cluster, { replicas: 2, podSpec })
        const before = podsOn(cluster, "node-1").map(objectKeyOf)
        yield* setTaints(cluster, "node-1", [broken])
        yield* pass(cluster, 40_000)
        yield* setTaints(cluster, "node-1", [])
        yield* pass(cluster, 600_000)
        expect(podsOn(cluster, "node-1").map(objectKeyOf)).toEqual(before)
      })
    ))

  it("that only keeps Pods off drives nobody away", () =>
    inCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* rolledOut(cluster)
        const before = podsOn(cluster, "node-3").map(objectKeyOf)
        yield* setTaints(cluster, "node-3", [{ ...broken, effect: "NoSchedule" }])
        yield* pass(cluster, 600_000)
        expect(podsOn(cluster, "node-3").map(objectKeyOf)).toEqual(before)
      })
    ))
})
