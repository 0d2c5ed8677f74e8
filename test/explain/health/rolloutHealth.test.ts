import { describe, expect, it } from "vitest"
import { openCluster } from "../../../src/cluster/openCluster.ts"
import { deploymentManifest } from "../../builders.ts"
import { storyTextOf, verdictPlaces } from "./verdictPlaces.ts"
import type { OpenCluster } from "../../../src/cluster/openCluster.ts"
import type { WorkloadHealth } from "../../../src/explain/health/healthLeads.ts"

const web = (version: string, options: { readonly replicas?: number; readonly spec?: object } = {}) =>
  deploymentManifest({ replicas: 4, version, ...options })

const broken = { name: "broken", match: { image: "*:broken" }, pull: { failures: "forever" } } as const
const crashing = {
  name: "crashing",
  match: { image: "*:crashing" },
  exit: { after: "30s", code: 137, reason: "OOMKilled", times: "forever" }
} as const
const leaking = {
  name: "leaking",
  match: { image: "*:leaking" },
  exit: { after: "20m", code: 137, reason: "OOMKilled", times: "forever" }
} as const
const neverReady = { name: "mute", match: { image: "*:mute" }, ready: "1h" } as const
const stubborn = { name: "stubborn", match: { image: "*:stubborn" }, terminate: "1h" } as const
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
    why: "Pods serve for a while between one crash and the next",
    play: async (cluster) => {
      await cluster.create(web("leaking"))
      await cluster.advance("70m")
    },
    is: {
      health: "ok",
      progress: "complete",
      lead: "complete",
      cause: "4 Pods are ready and have crashed 3 times or more: OOMKilled"
    }
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
    why: "a lost node is the root even when its Pods are evicted, and new ones find no other node",
    play: async (cluster) => {
      await cluster.create(deploymentManifest({ replicas: 4, ...onNode3 }))
      await cluster.advance("1m")
      await cluster.fault({ fault: "nodeLost", node: "node-3" })
      await cluster.advance("8m")
    },
    is: {
      health: "down",
      progress: "idle",
      lead: "down",
      cause: "node-3 is lost, with 4 Pods; 4 Pods find no node"
    }
  },
  {
    why: "a lost node leaves fewer Pods than its floor",
    play: async (cluster) => {
      await cluster.create(web("v1", { replicas: 6 }))
      await cluster.advance("1m")
      await cluster.fault({ fault: "nodeLost", node: "node-3" })
      await cluster.advance("2m")
    },
    is: { health: "degraded", progress: "idle", lead: "degraded", cause: "node-3 is lost, with 2 Pods" }
  },
  {
    why: "it waits for itself: its new Pods need the ports of the old ones",
    play: async (cluster) => {
      const onPort = (version: string) =>
        deploymentManifest({
          replicas: 3,
          version,
          container: { ports: [{ containerPort: 80, hostPort: 8080 }] },
          spec: { strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } }
        })
      await cluster.create(onPort("v1"))
      await cluster.advance("1m")
      await cluster.apply(onPort("v2"))
      await cluster.advance("1m")
    },
    is: {
      health: "ok",
      progress: "blocked",
      lead: "blocked",
      cause: expect.stringMatching(/^This rollout waits for itself: hostPort 8080 keeps/) as string
    }
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
      cause: "2 new Pods do not become ready, and its deadline has passed"
    }
  },
  {
    why: "its deadline has passed, and all its old Pods serve while a new one never becomes ready",
    play: async (cluster) => {
      await cluster.create(web("v1", { replicas: 3 }))
      await cluster.advance("1m")
      await cluster.apply(web("mute", { replicas: 3, spec: { progressDeadlineSeconds: 60 } }))
      await cluster.advance("2m")
    },
    is: {
      health: "ok",
      progress: "blocked",
      lead: "blocked",
      cause: "1 new Pod does not become ready, and its deadline has passed"
    }
  },
  {
    why: "a new template waits for an old Pod that stops for long",
    play: async (cluster) => {
      const recreated = (version: string) =>
        deploymentManifest({
          replicas: 1,
          version,
          podSpec: { terminationGracePeriodSeconds: 3600 },
          spec: { strategy: { type: "Recreate" }, progressDeadlineSeconds: 60 }
        })
      await cluster.create(recreated("stubborn"))
      await cluster.advance("1m")
      await cluster.apply(recreated("v2"))
      await cluster.advance("30s")
    },
    is: {
      health: "down",
      progress: "rolling out",
      lead: "down",
      cause: undefined
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
  it.each(rows)("are the same in all places when $why", async ({ play, is }) => {
    const behaviours = [broken, crashing, leaking, neverReady, stubborn]
    await using cluster = await openCluster({ behaviours, nodes: 3, record: true })
    await play(cluster)
    const { health, texts, figures, story } = await verdictPlaces(cluster, "deployment/web")
    expect(health).toEqual(is)
    expect(figures?.card).toBe(figures?.lane)
    expect(texts).toEqual({ explain: texts.explain, card: texts.explain, "get rollout": texts.explain })
    const storyText = storyTextOf(health)
    if (storyText !== undefined) expect(story).toContain(storyText)
  })
})
