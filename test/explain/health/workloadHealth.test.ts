import { describe, expect, it } from "vitest"
import { everyWorkload } from "../../controllers/workloads/everyWorkload.ts"
import { openCluster } from "../../../src/cluster/openCluster.ts"
import { resources } from "../../../src/kubernetes/meta/kinds.ts"
import { storyTextOf, verdictPlaces } from "./verdictPlaces.ts"
import type { OpenCluster } from "../../../src/cluster/openCluster.ts"
import type { WorkloadHealth } from "../../../src/explain/health/healthLeads.ts"

const broken = { name: "broken", match: { image: "*:broken" }, pull: { failures: "forever" } } as const
const lingering = { name: "lingering", match: { image: "app:lingering" }, terminate: "20s" }
const failing = { name: "failing", match: { image: "broken:*" }, exit: { after: "2s", code: 3 } }

const workloadNamed = (name: string): (typeof everyWorkload)[number] => {
  const workload = everyWorkload.find(({ metadata }) => metadata.name === name)
  if (workload === undefined) throw new Error(`there is no ${name}`)
  return workload
}
const db = workloadNamed("db")
const sums = workloadNamed("sums")
const imagePatch = (image: string) => ({
  spec: { template: { spec: { containers: [{ name: "app", image }] } } }
})
const brokenImage = imagePatch("app:broken")
const [lingeringImage, otherImage] = [imagePatch("app:lingering"), imagePatch("app:2")]
const autoscaler = (name: string, maxReplicas: number) => ({
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: { name },
  spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "StatefulSet", name }, minReplicas: 1, maxReplicas }
})
const okHealth = (progress: WorkloadHealth["progress"], cause?: unknown) => ({
  health: "ok",
  progress,
  lead: progress,
  cause
})

const rows: ReadonlyArray<{
  readonly why: string
  readonly of: string
  readonly play: (cluster: OpenCluster) => Promise<unknown>
  readonly is: object
}> = [
  {
    why: "a StatefulSet that starts in order",
    of: "sts/db",
    play: async (cluster) => {
      await cluster.create(db)
      await cluster.advance("9s")
    },
    is: okHealth("rolling out")
  },
  {
    why: "a StatefulSet that is complete",
    of: "sts/db",
    play: async (cluster) => {
      await cluster.create(db)
      await cluster.advance("1m")
    },
    is: okHealth("complete")
  },
  {
    why: "an update whose highest Pod cannot pull its image",
    of: "sts/db",
    play: async (cluster) => {
      await cluster.create(db)
      await cluster.advance("1m")
      await cluster.patch({ resource: resources.statefulSets, name: "db" }, brokenImage)
      await cluster.advance("1m")
    },
    is: okHealth("blocked", "1 Pod cannot pull app:broken")
  },
  {
    why: "an update whose broken Pod is of a template before the present one",
    of: "sts/db",
    play: async (cluster) => {
      await cluster.create(db)
      await cluster.advance("1m")
      await cluster.patch({ resource: resources.statefulSets, name: "db" }, brokenImage)
      await cluster.advance("1m")
      await cluster.apply(db)
      await cluster.advance("1m")
    },
    is: okHealth(
      "blocked",
      "1 Pod cannot pull app:broken; db-2 is not of the present template, and OrderedReady waits for it: delete it"
    )
  },
  {
    why: "a StatefulSet whose only Pod was deleted and starts again",
    of: "sts/db",
    play: async (cluster) => {
      await cluster.create({ ...db, spec: { ...db.spec, replicas: 1 } })
      await cluster.advance("1m")
      await cluster.delete({ resource: resources.pods, name: "db-0" })
      await cluster.advance("5s")
    },
    is: { health: "down", progress: "rolling out", lead: "down", cause: undefined }
  },
  {
    why: "a StatefulSet that has lost all its Pods while its controller is stopped",
    of: "sts/db",
    play: async (cluster) => {
      await cluster.create({ ...db, spec: { ...db.spec, replicas: 1 } })
      await cluster.advance("1m")
      await cluster.fault({ fault: "controllerStopped", controller: "statefulSet" })
      await cluster.delete({ resource: resources.pods, name: "db-0" })
      await cluster.advance("1m")
    },
    is: { health: "down", progress: "rolling out", lead: "down", cause: undefined }
  },
  {
    why: "a StatefulSet that was created while its controller is stopped",
    of: "sts/db",
    play: async (cluster) => {
      await cluster.fault({ fault: "controllerStopped", controller: "statefulSet" })
      await cluster.create(db)
      await cluster.advance("1s")
    },
    is: okHealth("rolling out")
  },
  {
    why: "a StatefulSet whose Pods a quota refuses",
    of: "sts/db",
    play: async (cluster) => {
      await cluster.apply(
        "{apiVersion: v1, kind: ResourceQuota, metadata: {name: few}, spec: {hard: {pods: 0}}}"
      )
      await cluster.create(db)
      await cluster.advance("10s")
    },
    is: {
      health: "down",
      progress: "blocked",
      lead: "down",
      cause: expect.stringMatching(/^a Pod was refused: create Pod db-0 .* exceeded quota: few/u) as unknown
    }
  },
  {
    why: "a DaemonSet of which a node is lost, which needs no Pod any more",
    of: "ds/agent",
    play: async (cluster) => {
      await cluster.create(workloadNamed("agent"))
      await cluster.advance("1m")
      await cluster.fault({ fault: "nodeLost", node: "node-2" })
      await cluster.advance("2m")
    },
    is: okHealth("complete", "node-2 is lost, with 1 Pod")
  },
  {
    why: "a DaemonSet whose Pods start",
    of: "ds/agent",
    play: async (cluster) => {
      await cluster.create(workloadNamed("agent"))
      await cluster.advance("1s")
    },
    is: okHealth("rolling out")
  },
  {
    why: "a DaemonSet of which a Pod stops",
    of: "ds/agent",
    play: async (cluster) => {
      await cluster.create(workloadNamed("agent"))
      await cluster.patch({ resource: resources.daemonSets, name: "agent" }, lingeringImage)
      await cluster.advance("1m")
      await cluster.patch({ resource: resources.daemonSets, name: "agent" }, otherImage)
      await cluster.advance("10s")
    },
    is: okHealth("rolling out")
  },
  {
    why: "a StatefulSet of which a Pod stops",
    of: "sts/db",
    play: async (cluster) => {
      await cluster.create(db)
      await cluster.patch({ resource: resources.statefulSets, name: "db" }, lingeringImage)
      await cluster.advance("1m")
      await cluster.patch({ resource: resources.statefulSets, name: "db" }, otherImage)
      await cluster.advance("10s")
    },
    is: okHealth("rolling out")
  },
  {
    why: "a Job that runs",
    of: "job/sums",
    play: async (cluster) => {
      await cluster.create(sums)
      await cluster.advance("1s")
    },
    is: okHealth("running")
  },
  {
    why: "a Job that has succeeded",
    of: "job/sums",
    play: async (cluster) => {
      await cluster.create(sums)
      await cluster.advance("1m")
    },
    is: okHealth("complete")
  },
  {
    why: "a Job that has failed",
    of: "job/broken",
    play: async (cluster) => {
      await cluster.create(workloadNamed("broken"))
      await cluster.advance("10m")
    },
    is: okHealth("failed", "Job has reached the specified backoff limit; 4 Pods failed: exit code 3")
  },
  {
    why: "a Job whose image cannot be pulled",
    of: "job/sums",
    play: async (cluster) => {
      await cluster.apply({ ...sums, spec: { ...sums.spec, ...brokenJob } })
      await cluster.advance("1m")
    },
    is: okHealth("blocked", "2 Pods cannot pull app:broken")
  },
  {
    why: "a CronJob between its times",
    of: "cj/minutely",
    play: async (cluster) => {
      await cluster.create(workloadNamed("minutely"))
      await cluster.advance("90s")
    },
    is: okHealth("idle")
  },
  {
    why: "a CronJob whose latest Job has failed",
    of: "cj/nightly",
    play: async (cluster) => {
      await cluster.create(nightly("* * * * *"))
      await cluster.advance("90s")
    },
    is: okHealth(
      "failed",
      expect.stringMatching(/^nightly-\d+: Job has reached the specified backoff limit; 1 Pod failed/u)
    )
  },
  {
    why: "a CronJob whose day never comes",
    of: "cj/nightly",
    play: (cluster) => cluster.create(nightly("0 0 30 2 *")),
    is: okHealth("blocked", "the schedule names a day that never comes")
  },
  {
    why: "an autoscaler whose target is not there",
    of: "hpa/db",
    play: async (cluster) => {
      await cluster.create(autoscaler("db", 3))
      await cluster.advance("1m")
    },
    is: okHealth("blocked", expect.stringContaining('statefulsets.apps "db" not found'))
  }
]

const brokenJob = {
  template: {
    metadata: { labels: { app: "sums" } },
    spec: { restartPolicy: "Never", containers: [{ name: "app", image: "app:broken" }] }
  }
}
const nightly = (schedule: string) => ({
  apiVersion: "batch/v1",
  kind: "CronJob",
  metadata: { name: "nightly" },
  spec: {
    schedule,
    jobTemplate: {
      spec: {
        backoffLimit: 0,
        template: {
          metadata: { labels: { app: "nightly" } },
          spec: { restartPolicy: "Never", containers: [{ name: "app", image: "broken:1" }] }
        }
      }
    }
  }
})

describe("the health of a workload", () => {
  it.each(rows)("is the same in all places of $why", async ({ of, play, is }) => {
    await using cluster = await openCluster({ behaviours: [broken, failing, lingering], record: true })
    await play(cluster)
    const { health, texts, figures, story } = await verdictPlaces(cluster, of)
    expect(health).toEqual(is)
    expect(figures?.card).toBe(figures?.lane)
    expect(texts.card).toBe(texts.explain)
    const storyText = storyTextOf(health)
    if (storyText !== undefined) expect(story).toContain(storyText)
  })
})
