import { describe, expect, it } from "vitest"
import { readManifestObjects } from "../../src/manifests/readManifests.ts"
import { startOrder } from "../../src/plan/previous/previousDocuments.ts"
import { aManifest } from "../cluster/worlds.ts"
import { planOf } from "./planWorlds.ts"

describe("what runs before and is paused", () => {
  const paused = { replicas: 3, spec: { paused: true } }

  it("runs", async () => {
    const { rollouts } = await planOf({ from: paused, next: { replicas: 3, version: "v2" } })
    expect(rollouts[0]).toMatchObject({ available: { fewest: 3 }, stuck: 0 })
  })

  it("stays as it is where it stays paused", async () => {
    const { rollouts } = await planOf({ from: paused, next: { ...paused, version: "v2" } })
    expect(rollouts[0]).toMatchObject({ available: { fewest: 3 }, pods: { most: 3 }, stuck: 1 })
  })
})

describe("what came later than what runs comes after it", () => {
  const node = (spec: object) => ({ apiVersion: "v1", kind: "Node", metadata: { name: "a" }, spec })
  const unwanted = { unschedulable: true, taints: [{ key: "gpu", effect: "NoSchedule" }] }
  const within = (kind: string, spec: object, apiVersion = "v1") => ({
    apiVersion,
    kind,
    metadata: { name: "a" },
    spec
  })
  const max = { cpu: "2" }
  const rows: ReadonlyArray<{
    readonly why: string
    readonly object: object
    readonly nodes?: ReadonlyArray<string> | undefined
    readonly available?: number
    /** What it is at first, where it is there and something else. */
    readonly first: object | "nothing" | "the same"
  }> = [
    { why: "a quota", object: within("ResourceQuota", { hard: { pods: "1" } }), first: "nothing" },
    {
      why: "a budget",
      object: within("PodDisruptionBudget", { minAvailable: 1 }, "policy/v1"),
      first: "nothing"
    },
    {
      why: "bounds, but not what is filled in",
      object: within("LimitRange", {
        limits: [
          { type: "Pod", max },
          { type: "Container", max, default: max }
        ]
      }),
      first: { limits: [{ type: "Container", default: max }] }
    },
    { why: "a node that its Pods are on is open to them", object: node(unwanted), nodes: ["a"], first: {} },
    {
      why: "a node without any has not taken one, whatever kept it",
      object: node(unwanted),
      nodes: ["b"],
      first: "the same"
    },
    {
      why: "who cannot know where Pods are takes a cordon for a thing of today, and taints for what they are",
      object: node(unwanted),
      nodes: undefined,
      first: { taints: unwanted.taints }
    },
    { why: "an open node", object: node({}), nodes: ["a"], first: "the same" },
    {
      why: "those that are not available yet",
      object: aManifest({ replicas: 5 }),
      available: 2,
      first: { replicas: 2 }
    },
    { why: "all are", object: aManifest({ replicas: 5 }), available: 5, first: "the same" },
    {
      why: "more than are wanted stay no longer",
      object: aManifest({ replicas: 5 }),
      available: 7,
      first: "the same"
    }
  ]
  it.for(rows)("$why", ({ object, nodes, available, first }) => {
    const { documents } = readManifestObjects([object])
    const running = {
      nodes,
      startingReplicaSets: [],
      failingReplicaSets: [],
      available: available === undefined ? {} : { "Deployment default/web": available }
    }
    const [before = [], since = []] = startOrder(documents, running).waves
    const isSame = first === "the same"
    expect(before.map(({ draft }) => draft)).toMatchObject(
      first === "nothing" ? [] : isSame ? documents.map(({ draft }) => draft) : [{ spec: first }]
    )
    expect(since).toEqual(isSame ? [] : documents)
  })
})

describe("ReplicaSets that were read from a cluster", () => {
  const template = (labels: object) => ({
    metadata: { labels },
    spec: { containers: [{ name: "c", image: "web" }] }
  })
  const owner = (name: string) => ({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name },
    spec: { replicas: 5, selector: { matchLabels: { app: name } }, template: template({ app: name }) }
  })
  const replicaSet = (name: string, replicas: number) => {
    const labels = { app: "web", "pod-template-hash": name }
    return {
      apiVersion: "apps/v1",
      kind: "ReplicaSet",
      metadata: { name, labels },
      spec: { replicas, selector: { matchLabels: labels }, template: template(labels) }
    }
  }
  const named = (documents: ReadonlyArray<{ readonly draft: object }>): ReadonlyArray<string> =>
    documents.map(({ draft }) => {
      const { metadata, spec } = draft as {
        metadata: { name: string }
        spec: { replicas?: number }
      }
      return `${metadata.name} of ${spec.replicas}`
    })

  it("come one after the other with what they have, and then their Deployment with what is on its way", () => {
    const { documents } = readManifestObjects([
      replicaSet("stuck", 4),
      replicaSet("full", 3),
      replicaSet("coming", 2),
      owner("web"),
      owner("other")
    ])
    const { waves: turns, unawaited: last } = startOrder(documents, {
      nodes: [],
      available: {
        "ReplicaSet default/stuck": 1,
        "ReplicaSet default/full": 3,
        "ReplicaSet default/coming": 1,
        "Deployment default/other": 2
      },
      startingReplicaSets: ["ReplicaSet default/full", "ReplicaSet default/coming"],
      failingReplicaSets: []
    })
    expect(turns.map(named)).toEqual([
      // Nothing is known of its ReplicaSets.
      ["other of 2"],
      ["stuck of 1"],
      ["full of 3"],
      ["coming of 1"],
      ["stuck of 4", "other of 5"]
    ])
    expect(named(last)).toEqual(["coming of 2", "web of 5"])
  })

  it("of files are applied with everything else", () => {
    const { documents } = readManifestObjects([replicaSet("mine", 4), owner("web")])
    expect(startOrder(documents, undefined)).toEqual({ turns: [documents], last: [] })
  })
})
