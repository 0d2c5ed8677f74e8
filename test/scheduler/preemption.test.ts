import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { openCluster } from "../../src/index.ts"
import { aManifest, budgetManifest, podManifest } from "../builders.ts"
import { conditionOf } from "../../src/kubernetes/meta/conditions.ts"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
import { advanceMillis, createObject, eventTexts, withCluster } from "../cluster/testCluster.ts"
import { compareTexts } from "../../src/kubernetes/meta/text/compareTexts.ts"
import type { Pod } from "../../src/kubernetes/meta/objects.ts"
import type { ClusterService } from "../cluster/testCluster.ts"

const priorityClass = (name: string, value: number, preemptionPolicy = "PreemptLowerPriority") =>
  aManifest("PriorityClass", { name }, { value, preemptionPolicy })

const aPodOf = (
  name: string,
  cpu: string,
  spec: object = {},
  labels: Readonly<Record<string, string>> = {}
) =>
  podManifest(
    name,
    {
      containers: [{ name: "app", image: "registry.example/app:v1", resources: { requests: { cpu } } }],
      ...spec
    },
    { labels }
  )

const podNamed = ({ view }: ClusterService, name: string): Pod | undefined =>
  view.get(resources.pods, `default/${name}`)
const placeOf = (cluster: ClusterService, name: string): string | undefined =>
  podNamed(cluster, name)?.spec.nodeName
const whyWaiting = (cluster: ClusterService, name: string): string | undefined =>
  conditionOf(podNamed(cluster, name)?.status.conditions, "PodScheduled")?.message
const eventsOf = (cluster: ClusterService, pod: Pod | undefined) =>
  Effect.map(cluster.events(pod?.metadata), eventTexts)

const high = { priorityClassName: "high" }
const low = { priorityClassName: "low" }
const classes = [priorityClass("high", 1000), priorityClass("low", -5), priorityClass("calm", 900, "Never")]

const inFullCluster = (
  nodes: number,
  manifests: ReadonlyArray<Parameters<typeof createObject>[1]>,
  body: (cluster: ClusterService) => Effect.Effect<void>
) =>
  withCluster({ nodes: { count: nodes, cpu: "2" } }, (cluster) =>
    Effect.gen(function* () {
      for (const manifest of [...classes, ...manifests]) {
        yield* createObject(cluster, manifest)
        yield* cluster.settle()
      }
      yield* body(cluster)
    })
  )

describe("a Pod of higher priority", () => {
  it("lets a Pod of lower priority leave the node, waits for its end, and is bound there", () =>
    inFullCluster(1, [aPodOf("web", "1500m")], (cluster) =>
      Effect.gen(function* () {
        const victim = podNamed(cluster, "web")
        yield* createObject(cluster, aPodOf("urgent", "1", high))
        yield* advanceMillis(cluster, 100)
        const urgent = podNamed(cluster, "urgent")
        expect(urgent?.status.nominatedNodeName).toBe("node-1")
        expect(whyWaiting(cluster, "urgent")).toBe("0/1 nodes are available: 1 Insufficient cpu.")
        expect(conditionOf(podNamed(cluster, "web")?.status.conditions, "DisruptionTarget")).toMatchObject({
          status: "True",
          reason: "PreemptionByScheduler",
          message: "default-scheduler: preempting to accommodate a higher priority pod"
        })
        expect(yield* eventsOf(cluster, victim)).toContain(
          `Preempted: Preempted by pod ${urgent?.metadata.uid} on node node-1`
        )
        yield* cluster.settle()
        expect([podNamed(cluster, "web"), placeOf(cluster, "urgent")]).toEqual([undefined, "node-1"])
        expect(podNamed(cluster, "urgent")?.status.nominatedNodeName).toBeUndefined()
      })
    ))

  it("takes as few and as unimportant Pods as it needs", () =>
    inFullCluster(
      1,
      [aPodOf("small", "500m"), aPodOf("lowest", "700m", low), aPodOf("other", "700m")],
      (cluster) =>
        Effect.gen(function* () {
          yield* createObject(cluster, aPodOf("urgent", "600m", high))
          yield* cluster.settle()
          expect(["small", "lowest", "other", "urgent"].map((name) => placeOf(cluster, name))).toEqual([
            "node-1",
            undefined,
            "node-1",
            "node-1"
          ])
        })
    ))

  it("goes where no disruption budget is violated, although the Pods there are more important", () =>
    inFullCluster(
      2,
      [
        aPodOf("guarded", "2", low, { app: "web" }),
        aPodOf("free", "2", {}, { app: "free" }),
        budgetManifest({ minAvailable: 1 })
      ],
      (cluster) =>
        Effect.gen(function* () {
          const node = placeOf(cluster, "free")
          yield* createObject(cluster, aPodOf("urgent", "1", high))
          yield* cluster.settle()
          expect(podNamed(cluster, "free")).toBeUndefined()
          expect(placeOf(cluster, "urgent")).toBe(node)
        })
    ))

  it("violates a budget where there is no other way", () =>
    inFullCluster(
      1,
      [aPodOf("guarded", "2", {}, { app: "web" }), budgetManifest({ minAvailable: 1 })],
      (cluster) =>
        Effect.gen(function* () {
          yield* createObject(cluster, aPodOf("urgent", "1", high))
          yield* cluster.settle()
          expect(placeOf(cluster, "urgent")).toBe("node-1")
        })
    ))

  it("makes room among Pods that keep it away, too", () =>
    inFullCluster(
      1,
      [
        aPodOf("hermit", "100m", {
          affinity: {
            podAntiAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: [
                { labelSelector: {}, topologyKey: "kubernetes.io/hostname" }
              ]
            }
          }
        })
      ],
      (cluster) =>
        Effect.gen(function* () {
          yield* createObject(cluster, aPodOf("urgent", "100m", high))
          yield* cluster.settle()
          expect([podNamed(cluster, "hermit"), placeOf(cluster, "urgent")]).toEqual([undefined, "node-1"])
        })
    ))

  it("does not take the node of another that waits for it", () =>
    inFullCluster(2, [aPodOf("a", "2"), aPodOf("b", "2")], (cluster) =>
      Effect.gen(function* () {
        yield* createObject(cluster, aPodOf("first", "2", high))
        yield* createObject(cluster, aPodOf("second", "2", high))
        yield* cluster.settle()
        expect(
          [placeOf(cluster, "first") ?? "", placeOf(cluster, "second") ?? ""].toSorted(compareTexts)
        ).toEqual(["node-1", "node-2"])
      })
    ))

  it("goes to its node in a fork of the cluster, too, that was made while it waited", async () => {
    await using cluster = await openCluster({ nodes: { count: 2, cpu: "2" } })
    for (const manifest of [...classes, aPodOf("a", "2"), aPodOf("b", "2")]) await cluster.apply(manifest)
    await cluster.settle()
    for (const name of ["first", "second"]) await cluster.apply(aPodOf(name, "2", high))
    await cluster.advance("100ms")
    await using fork = await cluster.fork()
    const places: Array<ReadonlyArray<string | undefined>> = []
    for (const each of [cluster, fork]) {
      await each.settle()
      const pods = await Promise.all(
        ["first", "second"].map((name) => each.get({ resource: "pods", name }) as Promise<Pod>)
      )
      places.push(pods.map(({ spec }) => spec.nodeName))
    }
    expect(places[0]?.toSorted()).toEqual(["node-1", "node-2"])
    expect(places[1]).toEqual(places[0])
  })

  it("comes first of all that were created at one instant", () =>
    inFullCluster(1, [], (cluster) =>
      Effect.gen(function* () {
        yield* createObject(cluster, aPodOf("plain", "1500m"))
        yield* createObject(cluster, aPodOf("urgent", "1500m", high))
        yield* cluster.settle()
        expect([placeOf(cluster, "plain"), placeOf(cluster, "urgent")]).toEqual([undefined, "node-1"])
        expect(podNamed(cluster, "plain")).toBeDefined()
      })
    ))
})

describe("a Pod that preempts nothing", () => {
  const sentence = (preemption: string): string =>
    `0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: ${preemption}`
  it.each([
    {
      why: "its priority is that of the Pods on the node",
      pod: aPodOf("new", "1"),
      message: sentence("0/1 nodes are available: 1 No preemption victims found for incoming pod.")
    },
    {
      why: "its class says so",
      pod: aPodOf("new", "1", { priorityClassName: "calm" }),
      message: sentence("not eligible due to preemptionPolicy=Never.")
    },
    {
      why: "the whole node is too small",
      pod: aPodOf("new", "3", high),
      message: sentence("0/1 nodes are available: 1 Preemption is not helpful for scheduling.")
    },
    {
      why: "the Pods of lower priority are too small",
      pod: aPodOf("new", "1900m", high),
      message: sentence("0/1 nodes are available: 1 Insufficient cpu.")
    }
  ])("says why: $why", ({ pod, message }) =>
    inFullCluster(1, [aPodOf("grave", "1", high), aPodOf("web", "900m")], (cluster) =>
      Effect.gen(function* () {
        yield* createObject(cluster, pod)
        yield* cluster.settle()
        expect(whyWaiting(cluster, "new")).toBe(message)
        expect(yield* eventsOf(cluster, podNamed(cluster, "new"))).toEqual([`FailedScheduling: ${message}`])
        expect(placeOf(cluster, "web")).toBe("node-1")
      })
    )
  )
})
