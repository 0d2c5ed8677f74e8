import { describe, expect, it } from "vitest"
import { readManifestObjects } from "../../../src/manifests/readManifests.ts"
import { startOrder } from "../../../src/plan/previous/previousDocuments.ts"
import { deploymentManifest } from "../../cluster/testCluster.ts"
import { planOf } from "../planManifests.ts"

describe("a paused Deployment before the rollout", () => {
  const paused = { replicas: 3, spec: { paused: true } }

  it("has its Pods", async () => {
    const { rollouts } = await planOf({ from: paused, next: { replicas: 3, version: "v2" } })
    expect(rollouts[0]).toMatchObject({ available: { fewest: 3 }, stuck: 0 })
  })

  it("stays as it is when it stays paused", async () => {
    const { rollouts } = await planOf({ from: paused, next: { ...paused, version: "v2" } })
    expect(rollouts[0]).toMatchObject({ available: { fewest: 3 }, pods: { most: 3 }, stuck: 1 })
  })
})

describe("objects that do not fit the running Pods", () => {
  const node = (spec: object) => ({ apiVersion: "v1", kind: "Node", metadata: { name: "a" }, spec })
  const cordonedAndTainted = { unschedulable: true, taints: [{ key: "gpu", effect: "NoSchedule" }] }
  const aNamed = (kind: string, spec: object, apiVersion = "v1") => ({
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
    /** The spec at first, when it differs. */
    readonly first: object | "nothing" | "the same"
  }> = [
    {
      why: "a ResourceQuota is created after the Pods",
      object: aNamed("ResourceQuota", { hard: { pods: "1" } }),
      first: "nothing"
    },
    {
      why: "a PodDisruptionBudget is created after the Pods",
      object: aNamed("PodDisruptionBudget", { minAvailable: 1 }, "policy/v1"),
      first: "nothing"
    },
    {
      why: "limits of a LimitRange are set after the Pods, but its defaults before",
      object: aNamed("LimitRange", {
        limits: [
          { type: "Pod", max },
          { type: "Container", max, default: max }
        ]
      }),
      first: { limits: [{ type: "Container", default: max }] }
    },
    { why: "a node with Pods is open at first", object: node(cordonedAndTainted), nodes: ["a"], first: {} },
    {
      why: "a node without Pods is created as it is",
      object: node(cordonedAndTainted),
      nodes: ["b"],
      first: "the same"
    },
    {
      why: "without known nodes a cordon is set after the Pods, and taints before",
      object: node(cordonedAndTainted),
      nodes: undefined,
      first: { taints: cordonedAndTainted.taints }
    },
    { why: "an open node is created as it is", object: node({}), nodes: ["a"], first: "the same" },
    {
      why: "a Deployment starts with its available Pods",
      object: deploymentManifest({ replicas: 5 }),
      available: 2,
      first: { replicas: 2 }
    },
    {
      why: "a Deployment with all Pods available is created as it is",
      object: deploymentManifest({ replicas: 5 }),
      available: 5,
      first: "the same"
    },
    {
      why: "a Deployment with surplus Pods is created as it is",
      object: deploymentManifest({ replicas: 5 }),
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
      unfinishedRevisions: [],
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

describe("ReplicaSets of a live cluster", () => {
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

  it("are created one after the other with their available Pods, then at full size with their Deployment", () => {
    const { documents } = readManifestObjects([
      replicaSet("stuck", 4),
      replicaSet("full", 3),
      replicaSet("coming", 2),
      owner("web"),
      owner("other")
    ])
    const { waves: turns, unfinishedWorkloads: last } = startOrder(documents, {
      nodes: [],
      available: {
        "ReplicaSet default/stuck": 1,
        "ReplicaSet default/full": 3,
        "ReplicaSet default/coming": 1,
        "Deployment default/other": 2
      },
      startingReplicaSets: ["ReplicaSet default/full", "ReplicaSet default/coming"],
      failingReplicaSets: [],
      unfinishedRevisions: []
    })
    expect(turns.map(named)).toEqual([
      // None of its ReplicaSets are known.
      ["other of 2"],
      ["stuck of 1"],
      ["full of 3"],
      ["coming of 1"],
      ["stuck of 4", "other of 5"]
    ])
    expect(named(last)).toEqual(["coming of 2", "web of 5"])
  })

  it("of files are created with everything else", () => {
    const { documents } = readManifestObjects([replicaSet("mine", 4), owner("web")])
    expect(startOrder(documents, undefined)).toEqual({ waves: [documents], unfinishedWorkloads: [] })
  })
})
