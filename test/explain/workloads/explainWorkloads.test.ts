import { describe, expect, it } from "vitest"
import { everyWorkload } from "../../controllers/workloads/everyWorkload.ts"
import { explainCronJob } from "../../../src/explain/workloads/explainCronJob.ts"
import { explainDaemonSet } from "../../../src/explain/workloads/explainDaemonSet.ts"
import { explainJob } from "../../../src/explain/workloads/explainJob.ts"
import { explainStatefulSet } from "../../../src/explain/workloads/explainStatefulSet.ts"
import { openCluster } from "../../../src/cluster/openCluster.ts"
import type { OpenCluster } from "../../../src/cluster/openCluster.ts"

const broken = { name: "broken", match: { image: "broken:*" }, exit: { after: "2s", code: 3 } }
const missing = { name: "missing", match: { image: "*:missing" }, pull: { failures: "forever" } } as const

const sentencesOf = async (
  cluster: OpenCluster,
  kind: string,
  name: string
): Promise<ReadonlyArray<string>> => {
  const { items: all } = await cluster.list("pods")
  const { items: nodes } = await cluster.list("nodes")
  const nowMillis = Number(cluster.now())
  const podsOf = (uid: string) => all.filter(({ metadata }) => metadata.ownerReferences?.[0]?.uid === uid)
  const read = (uid: string) => ({ pods: podsOf(uid), events: [], nodes, nowMillis })
  switch (kind) {
    case "StatefulSet": {
      const statefulSet = await cluster.get({ resource: "statefulsets.apps", name })
      return explainStatefulSet({ statefulSet, ...read(statefulSet.metadata.uid) }).sentences
    }
    case "DaemonSet": {
      const daemonSet = await cluster.get({ resource: "daemonsets.apps", name })
      return explainDaemonSet({ daemonSet, ...read(daemonSet.metadata.uid) }).sentences
    }
    case "Job": {
      const job = await cluster.get({ resource: "jobs.batch", name })
      return explainJob({ job, ...read(job.metadata.uid) }).sentences
    }
    default: {
      const cronJob = await cluster.get({ resource: "cronjobs.batch", name })
      const { items: jobs } = await cluster.list("jobs.batch")
      return explainCronJob({ cronJob, jobs, nowMillis }).sentences
    }
  }
}

const image = (container: string, value: string) => ({
  spec: { template: { spec: { containers: [{ name: container, image: value }] } } }
})

describe("the explanation of a workload", () => {
  const rows = [
    {
      why: "a StatefulSet whose first Pod is not available",
      after: "3s",
      kind: "StatefulSet",
      name: "db",
      sentences: [
        'StatefulSet "db" has 1 of 3 Pods, 1 is ready, 0 are available.',
        "1 Pod is ready, and counts as available after 5s of that (minReadySeconds), in 3s.",
        "db-1 is created once db-0 is available: podManagementPolicy is OrderedReady."
      ]
    },
    {
      why: "a StatefulSet that is complete",
      after: "1m",
      kind: "StatefulSet",
      name: "db",
      sentences: ['StatefulSet "db" has 3 of 3 Pods, 3 are ready, 3 are available.']
    },
    {
      why: "a DaemonSet that is complete",
      after: "1m",
      kind: "DaemonSet",
      name: "agent",
      sentences: [
        'DaemonSet "agent" has Pods on 3 of 3 nodes that fit, 3 are ready, 3 are available, 3 are of the present template.'
      ]
    },
    {
      why: "a Job that is complete",
      after: "1m",
      kind: "Job",
      name: "sums",
      sentences: ['Job "sums" is complete: 6 succeeded, 0 failed, 0 are active.']
    },
    {
      why: "a Job that replaces a failed Pod later",
      after: "10s",
      kind: "Job",
      name: "broken",
      sentences: [
        'Job "broken" wants 1 completion: 0 succeeded, 1 failed, 0 are active.',
        "It replaces a failed Pod 10s after the failure, and waits twice as long after each further one."
      ]
    },
    {
      why: "a Job that has failed",
      after: "10m",
      kind: "Job",
      name: "broken",
      sentences: [
        'Job "broken" wants 1 completion: 0 succeeded, 4 failed, 0 are active.',
        "It has failed: Job has reached the specified backoff limit."
      ]
    },
    {
      why: "a CronJob",
      after: "10s",
      kind: "CronJob",
      name: "minutely",
      sentences: [
        expect.stringContaining('CronJob "minutely" runs at * * * * *'),
        expect.stringContaining("The next is due at")
      ]
    }
  ]
  it.each(rows)("tells of $why", async ({ after, kind, name, sentences }) => {
    await using cluster = await openCluster({ behaviours: [broken] })
    for (const workload of everyWorkload) await cluster.create(workload)
    await cluster.advance(after)
    expect(await sentencesOf(cluster, kind, name)).toEqual(sentences)
  })

  it("tells of a finished Job that was resized", async () => {
    await using cluster = await openCluster({ behaviours: [broken] })
    for (const workload of everyWorkload.filter(({ metadata }) => metadata.name === "sums"))
      await cluster.create(workload)
    await cluster.advance("1m")
    const resized = { spec: { completions: 7, parallelism: 7 } }
    await cluster.patch({ resource: "jobs.batch", name: "sums" }, resized)
    await cluster.advance("1m")
    expect(await sentencesOf(cluster, "Job", "sums")).toEqual([
      'Job "sums" is complete: 6 succeeded, 0 failed, 0 are active.',
      "spec.completions is 7 since then: a finished Job starts no more Pods."
    ])
  })

  it("tells of a broken template, and that a corrected one does not reach its Pod", async () => {
    await using cluster = await openCluster({ behaviours: [missing] })
    for (const workload of everyWorkload.slice(0, 1)) await cluster.create(workload)
    await cluster.advance("1m")
    const change = async (value: string) => {
      await cluster.patch({ resource: "statefulsets.apps", name: "db" }, image("app", value))
      await cluster.advance("1m")
      return sentencesOf(cluster, "StatefulSet", "db")
    }
    const deleteIt =
      "If it never becomes ready, delete it, and the new Pod gets the present template: " +
      "`kubectl delete pod db-2 -n default`."
    expect(await change("db:missing")).toEqual([
      'StatefulSet "db" has 3 of 3 Pods, 2 are ready, 2 are available, 1 is of the update revision.',
      expect.stringContaining("cannot pull"),
      "It replaces its Pods one by one, from the highest ordinal down."
    ])
    expect(await change("db:2")).toEqual([
      'StatefulSet "db" has 3 of 3 Pods, 2 are ready, 2 are available, 0 are of the update revision.',
      expect.stringContaining("cannot pull"),
      expect.stringMatching(
        /^db-2 is of db-\w+, not of the update revision db-\w+, and is not ready: OrderedReady waits for it /
      ),
      deleteIt
    ])
    expect(await change("db:1")).toEqual([
      'StatefulSet "db" has 3 of 3 Pods, 2 are ready, 2 are available.',
      expect.stringContaining("cannot pull db:missing"),
      expect.stringMatching(
        /^Its template is back at db-\w+, but db-2 is of db-\w+ and is not ready: OrderedReady waits for it before /
      ),
      deleteIt
    ])
  })
})
