import { describe, expect, it } from "vitest"
import { openCluster } from "../../../src/cluster/openCluster.ts"
import { deploymentManifest } from "../../builders.ts"
import { nodesByName } from "../../../src/explain/objects/podProblems.ts"
import { resources } from "../../../src/kubernetes/meta/kinds.ts"
import { rolloutHealth } from "../../../src/explain/health/rolloutHealth.ts"
import type { OpenCluster } from "../../../src/cluster/openCluster.ts"
import type { WorkloadHealth } from "../../../src/explain/health/healthLeads.ts"

const healthIn = async (cluster: OpenCluster): Promise<WorkloadHealth> =>
  rolloutHealth({
    deployment: await cluster.get({ resource: resources.deployments, name: "web" }),
    replicaSets: (await cluster.list(resources.replicaSets)).items,
    pods: (await cluster.list(resources.pods)).items,
    nodes: nodesByName((await cluster.list(resources.nodes)).items),
    deadlock: undefined
  })

const web = (version: string, options: { readonly replicas?: number; readonly spec?: object } = {}) =>
  deploymentManifest({ replicas: 4, version, ...options })

const broken = { name: "broken", match: { image: "*:broken" }, pull: { failures: "forever" } } as const
const crashing = {
  name: "crashing",
  match: { image: "*:crashing" },
  exit: { after: "30s", code: 137, reason: "OOMKilled", times: "forever" }
} as const
const neverReady = { name: "mute", match: { image: "*:mute" }, ready: "1h" } as const
const onNode3 = { podSpec: { nodeSelector: { "kubernetes.io/hostname": "node-3" } } }

const rows: ReadonlyArray<{
  readonly why: string
  readonly play: (cluster: OpenCluster) => Promise<unknown>
  readonly is: WorkloadHealth
}> = [
  {
    why: "a first rollout whose Pods start is no outage",
    play: async (cluster) => {
      await cluster.create(web("v1"))
      await cluster.advance("500ms")
    },
    is: { health: "ok", progress: "rolling out", lead: "rolling out", cause: undefined }
  },
  {
    why: "all Pods of the template serve",
    play: async (cluster) => {
      await cluster.create(web("v1"))
      await cluster.advance("1m")
    },
    is: { health: "ok", progress: "complete", lead: "complete", cause: undefined }
  },
  {
    why: "no Pod is wanted",
    play: async (cluster) => {
      await cluster.create(web("v1", { replicas: 0 }))
      await cluster.advance("1m")
    },
    is: { health: "ok", progress: "idle", lead: "idle", cause: undefined }
  },
  {
    why: "a bad image stops a rollout long before its deadline, and the old Pods serve",
    play: async (cluster) => {
      await cluster.create(web("v1"))
      await cluster.advance("1m")
      await cluster.apply(web("broken"))
      await cluster.advance("1m")
    },
    is: {
      health: "ok",
      progress: "blocked",
      lead: "blocked",
      cause: "2 Pods cannot pull registry.example/app:broken"
    }
  },
  {
    why: "every Pod of a finished rollout crashes: nothing is rolled out, and nothing serves",
    play: async (cluster) => {
      await cluster.create(web("crashing"))
      await cluster.advance("5m")
    },
    is: { health: "down", progress: "idle", lead: "down", cause: "4 Pods crash: OOMKilled" }
  },
  {
    why: "a lost node is the root of what its Pods lack",
    play: async (cluster) => {
      await cluster.create(deploymentManifest({ replicas: 4, ...onNode3 }))
      await cluster.advance("1m")
      await cluster.fault({ fault: "nodeLost", node: "node-3" })
      await cluster.advance("2m")
    },
    is: { health: "down", progress: "idle", lead: "down", cause: "node-3 is lost, with 4 Pods" }
  },
  {
    why: "it is paused in the middle of a rollout",
    play: async (cluster) => {
      await cluster.create(web("v1"))
      await cluster.advance("1m")
      await cluster.apply(web("v2", { spec: { paused: true } }))
      await cluster.advance("1m")
    },
    is: { health: "ok", progress: "paused", lead: "paused", cause: undefined }
  },
  {
    why: "its Pods find no node",
    play: async (cluster) => {
      await cluster.create(deploymentManifest({ replicas: 4, podSpec: { nodeSelector: { disk: "none" } } }))
      await cluster.advance("1m")
    },
    is: { health: "down", progress: "blocked", lead: "down", cause: "4 Pods find no node" }
  },
  {
    why: "its deadline has passed and no container says why",
    play: async (cluster) => {
      await cluster.create(web("v1"))
      await cluster.advance("1m")
      await cluster.apply(web("mute", { spec: { progressDeadlineSeconds: 60 } }))
      await cluster.advance("2m")
    },
    is: {
      health: "ok",
      progress: "blocked",
      lead: "blocked",
      cause: "1 Pod not available, and its deadline has passed"
    }
  },
  {
    why: "an admission refuses its Pods",
    play: async (cluster) => {
      await cluster.create(web("v1"))
      await cluster.advance("1m")
      await cluster.fault({ fault: "quotaExhausted", namespace: "default" })
      await cluster.apply(web("v2"))
      await cluster.advance("1m")
    },
    is: {
      health: "ok",
      progress: "blocked",
      lead: "blocked",
      cause: expect.stringMatching(/^a Pod or ReplicaSet was refused: pods "web-.*exceeded quota/) as string
    }
  }
]

describe("the health and progress of a rollout", () => {
  it.each(rows)("when $why", async ({ play, is }) => {
    await using cluster = await openCluster({ behaviours: [broken, crashing, neverReady], nodes: 3 })
    await play(cluster)
    expect(await healthIn(cluster)).toEqual(is)
  })
})
