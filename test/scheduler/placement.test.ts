import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { podManifest } from "../builders.ts"
import { conditionOf } from "../../src/kubernetes/meta/conditions.ts"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
import {
  advanceMillis,
  createObject,
  deploymentManifest,
  eventTexts,
  replaceSpec,
  withCluster
} from "../cluster/testCluster.ts"
import type { Draft } from "../../src/kubernetes/meta/objects.ts"
import type { ClusterService } from "../cluster/testCluster.ts"

const hostname = "kubernetes.io/hostname"
const ofWeb = { labelSelector: { matchLabels: { app: "web" } } }
const required = "requiredDuringSchedulingIgnoredDuringExecution"
const preferred = "preferredDuringSchedulingIgnoredDuringExecution"
const apart = { affinity: { podAntiAffinity: { [required]: [{ ...ofWeb, topologyKey: hostname }] } } }
const spread = {
  topologySpreadConstraints: [
    { ...ofWeb, topologyKey: hostname, maxSkew: 1, whenUnsatisfiable: "DoNotSchedule" }
  ]
}

const podsOf = ({ view }: ClusterService) => [...view.all(resources.pods)]
const podsByNode = (cluster: ClusterService): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (const { spec } of podsOf(cluster)) {
    const name = spec.nodeName ?? "none"
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}
const waitingOf = (cluster: ClusterService) =>
  podsOf(cluster).filter(({ spec }) => spec.nodeName === undefined)
const whyWaiting = (cluster: ClusterService): ReadonlyArray<string | undefined> =>
  waitingOf(cluster).map(({ status }) => conditionOf(status.conditions, "PodScheduled")?.message)
const nodeOf = ({ view }: ClusterService, pod: string): string | undefined =>
  view.get(resources.pods, `default/${pod}`)?.spec.nodeName

describe("Pods with required anti-affinity", () => {
  it("go to nodes of their own, and the one too many waits until another goes", () =>
    withCluster({ nodes: 3 }, (cluster) =>
      Effect.gen(function* () {
        yield* createObject(cluster, deploymentManifest({ replicas: 4, podSpec: apart }))
        yield* advanceMillis(cluster, 60_000)
        expect(podsByNode(cluster)).toEqual({ "node-1": 1, "node-2": 1, "node-3": 1, none: 1 })
        expect(whyWaiting(cluster)).toEqual([
          "0/3 nodes are available: 3 node(s) didn't match pod anti-affinity rules. no new claims to " +
            "deallocate, preemption: 0/3 nodes are available: 3 No preemption victims found for incoming pod."
        ])
        yield* replaceSpec(cluster, deploymentManifest({ replicas: 3, podSpec: apart }))
        yield* advanceMillis(cluster, 60_000)
        expect(podsByNode(cluster)).toEqual({ "node-1": 1, "node-2": 1, "node-3": 1 })
      })
    ))

  it("move on when maxUnavailable lets an old Pod go first", () =>
    withCluster({ nodes: 3 }, (cluster) =>
      Effect.gen(function* () {
        const strategy = { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } }
        const web = { replicas: 3, podSpec: apart, spec: { strategy } }
        yield* createObject(cluster, deploymentManifest(web))
        expect((yield* cluster.rollout("web")).outcome).toBe("complete")
        yield* replaceSpec(cluster, deploymentManifest({ ...web, version: "v2" }))
        expect((yield* cluster.rollout("web")).outcome).toBe("complete")
        expect(podsByNode(cluster)).toEqual({ "node-1": 1, "node-2": 1, "node-3": 1 })
      })
    ))

  it("are not tried again by changes that do not concern them", () =>
    withCluster({ nodes: 1 }, (cluster) =>
      Effect.gen(function* () {
        yield* createObject(cluster, deploymentManifest({ replicas: 2, podSpec: apart }))
        yield* advanceMillis(cluster, 10_000)
        yield* createObject(cluster, podManifest("stranger"))
        yield* advanceMillis(cluster, 10_000)
        yield* Effect.orDie(cluster.delete({ resource: resources.pods, name: "stranger" }))
        yield* advanceMillis(cluster, 60_000)
        const [waiting] = waitingOf(cluster)
        const events = yield* cluster.events(waiting?.metadata)
        expect([eventTexts(events).length, events[0]?.count]).toEqual([1, 1])
      })
    ))
})

describe("a Pod with required affinity", () => {
  it("waits for the Pod that it wants to be near, and follows it", () =>
    withCluster({ nodes: 3 }, (cluster) =>
      Effect.gen(function* () {
        const near = { affinity: { podAffinity: { [required]: [{ ...ofWeb, topologyKey: hostname }] } } }
        yield* createObject(cluster, podManifest("follower", near))
        yield* advanceMillis(cluster, 10_000)
        expect(whyWaiting(cluster)).toEqual([
          expect.stringContaining("0/3 nodes are available: 3 node(s) didn't match pod affinity rules.")
        ])
        yield* createObject(
          cluster,
          podManifest("web", { nodeSelector: { [hostname]: "node-3" } }, { labels: { app: "web" } })
        )
        yield* cluster.settle()
        expect(nodeOf(cluster, "follower")).toBe("node-3")
      })
    ))
})

describe("Pods with DoNotSchedule", () => {
  it("are spread evenly, and wait when the emptiest node takes none", () =>
    withCluster({ nodes: 3 }, (cluster) =>
      Effect.gen(function* () {
        yield* Effect.orDie(
          cluster.modify(
            { resource: resources.nodes, name: "node-3" },
            (node) => ({ ...node, spec: { unschedulable: true } }) as Draft
          )
        )
        yield* createObject(cluster, deploymentManifest({ replicas: 4, podSpec: spread }))
        yield* advanceMillis(cluster, 60_000)
        expect(podsByNode(cluster)).toEqual({ "node-1": 1, "node-2": 1, none: 2 })
        expect(whyWaiting(cluster)[0]).toContain(
          "0/3 nodes are available: 1 node(s) were unschedulable, 2 node(s) didn't match pod topology spread constraints."
        )
        yield* Effect.orDie(
          cluster.modify(
            { resource: resources.nodes, name: "node-3" },
            (node) => ({ ...node, spec: {} }) as Draft
          )
        )
        expect((yield* cluster.rollout("web")).outcome).toBe("complete")
        expect(Object.values(podsByNode(cluster)).toSorted((a, b) => a - b)).toEqual([1, 1, 2])
      })
    ))
})

describe("a host port", () => {
  it("is free again when its Pod is gone", () =>
    withCluster({ nodes: 1 }, (cluster) =>
      Effect.gen(function* () {
        const ports = [{ containerPort: 80, hostPort: 80 }]
        const spec = { containers: [{ name: "app", image: "registry.example/app:v1", ports }] }
        yield* createObject(cluster, podManifest("first", spec))
        yield* createObject(cluster, podManifest("second", spec))
        yield* cluster.settle()
        expect(whyWaiting(cluster)[0]).toContain(
          "0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports."
        )
        yield* Effect.orDie(cluster.delete({ resource: resources.pods, name: "first" }))
        yield* cluster.settle()
        expect(nodeOf(cluster, "second")).toBe("node-1")
      })
    ))
})

describe("a preference", () => {
  const term = { ...ofWeb, topologyKey: hostname }
  const labels = { app: "web" }
  it.each([
    {
      why: "for a node's label",
      podSpec: {
        affinity: {
          nodeAffinity: {
            [preferred]: [
              {
                weight: 5,
                preference: { matchExpressions: [{ key: hostname, operator: "In", values: ["node-3"] }] }
              }
            ]
          }
        }
      },
      node: "node-3"
    },
    {
      why: "for the node of another Pod",
      podSpec: { affinity: { podAffinity: { [preferred]: [{ weight: 5, podAffinityTerm: term }] } } },
      node: "node-2"
    },
    {
      why: "against the node of another Pod, though it has the fewest",
      podSpec: { affinity: { podAntiAffinity: { [preferred]: [{ weight: 5, podAffinityTerm: term }] } } },
      node: "node-1"
    },
    {
      why: "for an even spread",
      podSpec: {
        topologySpreadConstraints: [
          { ...ofWeb, topologyKey: hostname, maxSkew: 1, whenUnsatisfiable: "ScheduleAnyway" }
        ]
      },
      node: "node-1"
    }
  ])("decides among nodes that all fit: $why", ({ podSpec, node }) =>
    withCluster({ nodes: 3, seed: 2 }, (cluster) =>
      Effect.gen(function* () {
        const on = (name: string) => ({ nodeSelector: { [hostname]: name } })
        yield* createObject(cluster, podManifest("web", on("node-2"), { labels }))
        for (const [name, host] of [
          ["x1", "node-1"],
          ["x2", "node-1"],
          ["x3", "node-3"],
          ["x4", "node-3"],
          ["x5", "node-3"]
        ] as const)
          yield* createObject(cluster, podManifest(name, on(host)))
        yield* cluster.settle()
        yield* createObject(cluster, podManifest("new", podSpec, { labels }))
        yield* cluster.settle()
        expect(nodeOf(cluster, "new")).toBe(node)
      })
    )
  )

  it("of a taint makes nodes the last choice, and equal nodes are drawn by the seed", () => {
    const placesOf = (seed: number) => {
      const found: Array<string | undefined> = []
      return withCluster({ nodes: 4, seed }, (cluster) =>
        Effect.gen(function* () {
          const taints = [{ key: "old", effect: "PreferNoSchedule" }]
          yield* Effect.orDie(
            cluster.modify(
              { resource: resources.nodes, name: "node-1" },
              (node) => ({ ...node, spec: { taints } }) as Draft
            )
          )
          for (const name of ["a", "b", "c"]) {
            yield* createObject(cluster, podManifest(name))
            yield* cluster.settle()
            found.push(nodeOf(cluster, name))
          }
        })
      ).then(() => found)
    }
    return Promise.all([placesOf(1), placesOf(1), ...[2, 3, 4, 5].map(placesOf)]).then(
      ([first, same, ...others]) => {
        for (const places of [first, ...others])
          expect(new Set(places)).toEqual(new Set(["node-2", "node-3", "node-4"]))
        expect(same).toEqual(first)
        expect(new Set([first, ...others].map((places) => places.join())).size).toBeGreaterThan(1)
      }
    )
  })
})
