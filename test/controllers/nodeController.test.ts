import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { conditionOf } from "../../src/kubernetes/meta/conditions.ts"
import { isPodReady } from "../../src/kubernetes/pods/podState.ts"
import { isTerminating } from "../../src/kubernetes/meta/deletion.ts"
import { objectKeyOf } from "../../src/kubernetes/meta/objects.ts"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
import { makeCluster } from "../../src/cluster/cluster.ts"
import {
  deploymentManifest,
  createObject,
  replaceSpec,
  eventTexts,
  withCluster,
  advanceMillis
} from "../cluster/testCluster.ts"
import { normalizeEvent } from "../../src/kubernetes/meta/normalizeEvent.ts"
import type { ClusterOptions } from "../../src/cluster/clusterOptions.ts"
import type { Draft, Node, Pod } from "../../src/kubernetes/meta/objects.ts"
import type { ClusterService } from "../cluster/testCluster.ts"

const podsOn = ({ view }: ClusterService, node: string) => view.nodePods.on(node)
const nodeOf = ({ view }: ClusterService, node: string) => view.get(resources.nodes, node)
const conditionText = (cluster: ClusterService, node: string, type: string): string => {
  const condition = conditionOf(nodeOf(cluster, node)?.status.conditions, type)
  return `${condition?.status} ${condition?.reason}: ${condition?.message}`
}
const isUnreachable = (cluster: ClusterService, node: string): boolean =>
  conditionOf(nodeOf(cluster, node)?.status.conditions, "Ready")?.status === "Unknown"
const taintTexts = (cluster: ClusterService, node: string): ReadonlyArray<string> =>
  (nodeOf(cluster, node)?.spec.taints ?? []).map(({ key, effect }) => `${key}:${effect}`)
const setKubelet = (state: "running" | "stopped") => (cluster: ClusterService, node: string) =>
  Effect.orDie(cluster.setKubelet(node, state))
const [stopKubelet, startKubelet] = [setKubelet("stopped"), setKubelet("running")]
const readyCount = ({ view }: ClusterService): number | undefined =>
  view.get(resources.deployments, "default/web")?.status.readyReplicas

const rollOut = (cluster: ClusterService, options: Parameters<typeof deploymentManifest>[0] = {}) =>
  Effect.gen(function* () {
    yield* createObject(cluster, deploymentManifest({ replicas: 6, ...options }))
    yield* Effect.orDie(cluster.rollout("web"))
    yield* advanceMillis(cluster, 10_000 - (cluster.nowMillis() % 10_000))
  })

const setTaints = (cluster: ClusterService, name: string, taints: Node["spec"]["taints"] & object) =>
  Effect.orDie(
    cluster.modify({ resource: resources.nodes, name }, (object) => {
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

describe("a node whose kubelet is stopped", () => {
  it.each<{ readonly nodes: ClusterOptions["nodes"] & object; readonly seconds: number }>([
    { nodes: { count: 3 }, seconds: 50 },
    { nodes: { lostAfterSeconds: 40 }, seconds: 40 },
    { nodes: { count: 3, lostAfterSeconds: 73.5 }, seconds: 73.5 }
  ])("becomes NotReady $seconds s after its last heartbeat", ({ nodes, seconds }) =>
    withCluster({ nodes }, (cluster) =>
      Effect.gen(function* () {
        yield* rollOut(cluster)
        yield* stopKubelet(cluster, "node-2")
        yield* advanceMillis(cluster, seconds * 1000 - 1)
        expect(isUnreachable(cluster, "node-2")).toBe(false)
        yield* advanceMillis(cluster, 1)
        expect(isUnreachable(cluster, "node-2")).toBe(true)
        expect(isUnreachable(cluster, "node-1")).toBe(false)
      })
    )
  )

  it.each([10, 0, -50, Number.NaN, Infinity])("cannot have a grace period of %d s", (lostAfterSeconds) =>
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

  it("has conditions, taints and an event for it", () =>
    withCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* rollOut(cluster)
        expect(conditionText(cluster, "node-2", "Ready")).toBe(
          "True KubeletReady: kubelet is posting ready status"
        )
        yield* stopKubelet(cluster, "node-2")
        yield* advanceMillis(cluster, 60_000)
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

  it("becomes NotReady after a minute without a first heartbeat", () =>
    withCluster({ nodes: 1 }, (cluster) =>
      Effect.gen(function* () {
        const metadata = { name: "mute", annotations: { "charthouse.dev/kubelet": "stopped" } }
        yield* createObject(cluster, { apiVersion: "v1", kind: "Node", metadata })
        yield* advanceMillis(cluster, 59_999)
        expect([isUnreachable(cluster, "mute"), taintTexts(cluster, "mute")]).toEqual([
          false,
          ["node.kubernetes.io/not-ready:NoSchedule"]
        ])
        yield* advanceMillis(cluster, 1)
        expect(conditionText(cluster, "mute", "Ready")).toBe(
          "Unknown NodeStatusNeverUpdated: Kubelet never posted node status."
        )
      })
    ))

  it("has unready Pods with a warning event, which are not replaced yet", () =>
    withCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* rollOut(cluster)
        yield* stopKubelet(cluster, "node-2")
        yield* advanceMillis(cluster, 50_000)
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

describe("Pods on an unreachable node", () => {
  it.each<{ readonly why: string; readonly podSpec: object; readonly seconds: number | "never" }>([
    { why: "default tolerations", podSpec: {}, seconds: 300 },
    { why: "a toleration for 47 s", podSpec: tolerating(47), seconds: 47 },
    { why: "a toleration for 0 s", podSpec: tolerating(0), seconds: 0 },
    { why: "a toleration without limit", podSpec: tolerating(), seconds: "never" }
  ])("are evicted after $seconds s: $why", ({ podSpec, seconds }) =>
    withCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* rollOut(cluster, { podSpec })
        const areTerminating = () => podsOn(cluster, "node-2").map(isTerminating)
        yield* stopKubelet(cluster, "node-2")
        yield* advanceMillis(cluster, seconds === 0 ? 49_999 : 50_000)
        if (seconds === "never") {
          yield* advanceMillis(cluster, 86_400_000)
          return expect(areTerminating()).toEqual([false, false])
        }
        yield* advanceMillis(cluster, Math.max(0, seconds * 1000 - 1))
        expect(areTerminating()).toEqual([false, false])
        yield* advanceMillis(cluster, 1)
        expect(areTerminating()).toEqual([true, true])
      })
    )
  )

  it("are evicted one after the other by their tolerationSeconds", () =>
    withCluster({ nodes: 1 }, (cluster) =>
      Effect.gen(function* () {
        for (const seconds of [30, 90, 61]) {
          const name = `p${seconds}`
          yield* createObject(
            cluster,
            deploymentManifest({ name, replicas: 1, podSpec: tolerating(seconds) })
          )
          yield* Effect.orDie(cluster.rollout(name))
        }
        yield* stopKubelet(cluster, "node-1")
        yield* cluster.until(() => isUnreachable(cluster, "node-1"))
        const areTerminating = () => podsOn(cluster, "node-1").filter(isTerminating).length
        const seen: Array<number> = []
        for (const millis of [30_000, 30_999, 1, 28_999, 1]) {
          yield* advanceMillis(cluster, millis)
          seen.push(areTerminating())
        }
        expect(seen).toEqual([1, 1, 2, 2, 3])
      })
    ))

  it("are marked as DisruptionTarget, replaced, and remain Terminating", () =>
    withCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* rollOut(cluster)
        const old = podsOn(cluster, "node-2")
        yield* stopKubelet(cluster, "node-2")
        yield* advanceMillis(cluster, 370_000)
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
        yield* advanceMillis(cluster, 86_400_000)
        expect(podsOn(cluster, "node-2").map(objectKeyOf)).toEqual(old.map(objectKeyOf))
      })
    ))

  it("are removed when the node is back", () =>
    withCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* rollOut(cluster)
        yield* stopKubelet(cluster, "node-2")
        yield* advanceMillis(cluster, 400_000)
        expect(podsOn(cluster, "node-2").map(isTerminating)).toEqual([true, true])
        const reasons: Array<string | undefined> = []
        cluster.onChange(({ type, object }) => {
          if (type !== "DELETED" || object.kind !== "Pod") return
          const { status } = object as Pod
          reasons.push(conditionOf(status.conditions, "DisruptionTarget")?.reason)
        })
        yield* startKubelet(cluster, "node-2")
        yield* advanceMillis(cluster, 30_000)
        expect(podsOn(cluster, "node-2")).toEqual([])
        expect(reasons).toEqual(["DeletionByTaintManager", "DeletionByTaintManager"])
        expect(taintTexts(cluster, "node-2")).toEqual([])
      })
    ))

  it("that had not started do not start when the node is back", () =>
    withCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* rollOut(cluster)
        yield* replaceSpec(cluster, deploymentManifest({ replicas: 6, version: "v2" }))
        yield* advanceMillis(cluster, 100)
        yield* stopKubelet(cluster, "node-2")
        const startingPods = podsOn(cluster, "node-2").filter(
          (pod) => !isPodReady(pod) && !isTerminating(pod)
        )
        expect(startingPods.length).toBeGreaterThan(0)
        yield* advanceMillis(cluster, 400_000)
        expect(podsOn(cluster, "node-2").every(isTerminating)).toBe(true)
        const events: Array<string> = []
        cluster.onChange(({ type, object }) => {
          if (type === "DELETED" || object.kind !== "Event") return
          const { reason, involvedObject } = normalizeEvent(object)
          if (startingPods.some(({ metadata }) => metadata.name === involvedObject.name)) events.push(reason)
        })
        yield* startKubelet(cluster, "node-2")
        yield* advanceMillis(cluster, 30_000)
        expect(podsOn(cluster, "node-2")).toEqual([])
        expect(events).toEqual([])
      })
    ))

  it("are removed by forced deletion", () =>
    withCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* rollOut(cluster)
        yield* stopKubelet(cluster, "node-2")
        yield* advanceMillis(cluster, 400_000)
        for (const pod of podsOn(cluster, "node-2")) {
          const address = { resource: resources.pods, name: pod.metadata.name }
          yield* Effect.orDie(cluster.delete(address, { gracePeriodSeconds: 0 }))
        }
        expect(podsOn(cluster, "node-2")).toEqual([])
      })
    ))

  it("delay a Recreate rollout until they are gone", () =>
    withCluster({}, (cluster) =>
      Effect.gen(function* () {
        const spec = { strategy: { type: "Recreate" } }
        yield* rollOut(cluster, { spec })
        yield* stopKubelet(cluster, "node-2")
        yield* advanceMillis(cluster, 60_000)
        yield* replaceSpec(cluster, deploymentManifest({ replicas: 6, version: "v2", spec }))
        yield* advanceMillis(cluster, 400_000)
        const pods = () => [...cluster.view.all(resources.pods)]
        expect(pods().map(isTerminating)).toEqual([true, true])
        yield* Effect.orDie(cluster.delete({ resource: resources.nodes, name: "node-2" }))
        yield* advanceMillis(cluster, 39_999)
        expect(pods()).toHaveLength(2)
        yield* advanceMillis(cluster, 30_000)
        expect(pods().map(isPodReady)).toEqual(Array(6).fill(true))
      })
    ))

  it("stay, become ready and get an event when the node is back in time", () =>
    withCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* rollOut(cluster)
        const before = podsOn(cluster, "node-1")
        yield* stopKubelet(cluster, "node-1")
        yield* advanceMillis(cluster, 349_999)
        expect(podsOn(cluster, "node-1").map(isPodReady)).toEqual([false, false])
        yield* startKubelet(cluster, "node-1")
        yield* advanceMillis(cluster, 600_000)
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

describe("a NoExecute taint set by hand", () => {
  const broken = { key: "broken", value: "yes", effect: "NoExecute" }

  it("evicts Pods without a toleration, and the node gets no new Pods", () =>
    withCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* rollOut(cluster)
        yield* setTaints(cluster, "node-3", [broken])
        yield* advanceMillis(cluster, 30_000)
        expect(podsOn(cluster, "node-3")).toEqual([])
        expect(readyCount(cluster)).toBe(6)
        expect(taintTexts(cluster, "node-3")).toEqual(["broken:NoExecute"])
      })
    ))

  it("evicts Pods after tolerationSeconds, counted from the taint or from their binding", () =>
    withCluster({ nodes: 1 }, (cluster) =>
      Effect.gen(function* () {
        const podSpec = tolerating(41, "broken")
        yield* rollOut(cluster, { replicas: 2, podSpec })
        const first = podsOn(cluster, "node-1").map(objectKeyOf)
        const left = () => podsOn(cluster, "node-1").filter((pod) => first.includes(objectKeyOf(pod))).length
        yield* setTaints(cluster, "node-1", [broken])
        yield* advanceMillis(cluster, 40_999)
        expect(podsOn(cluster, "node-1").map(isTerminating)).toEqual([false, false])
        yield* advanceMillis(cluster, 10_000)
        expect(left()).toBe(0)
        const second = podsOn(cluster, "node-1").map(objectKeyOf)
        const stay = () =>
          podsOn(cluster, "node-1").filter((pod) => second.includes(objectKeyOf(pod)) && !isTerminating(pod))
            .length
        yield* advanceMillis(cluster, 30_000)
        expect(stay()).toBe(2)
        yield* advanceMillis(cluster, 10_000)
        expect(stay()).toBe(0)
      })
    ))

  it("evicts no Pods when it is removed in time", () =>
    withCluster({ nodes: 1 }, (cluster) =>
      Effect.gen(function* () {
        const podSpec = tolerating(41, "broken")
        yield* rollOut(cluster, { replicas: 2, podSpec })
        const before = podsOn(cluster, "node-1").map(objectKeyOf)
        yield* setTaints(cluster, "node-1", [broken])
        yield* advanceMillis(cluster, 40_000)
        yield* setTaints(cluster, "node-1", [])
        yield* advanceMillis(cluster, 600_000)
        expect(podsOn(cluster, "node-1").map(objectKeyOf)).toEqual(before)
      })
    ))

  it("as NoSchedule evicts no Pods", () =>
    withCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* rollOut(cluster)
        const before = podsOn(cluster, "node-3").map(objectKeyOf)
        yield* setTaints(cluster, "node-3", [{ ...broken, effect: "NoSchedule" }])
        yield* advanceMillis(cluster, 600_000)
        expect(podsOn(cluster, "node-3").map(objectKeyOf)).toEqual(before)
      })
    ))
})
