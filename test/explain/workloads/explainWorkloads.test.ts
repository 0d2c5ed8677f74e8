import { describe, expect, it } from "vitest"
import { everyWorkload } from "../../controllers/workloads/everyWorkload.ts"
import { quotaManifest } from "../../builders.ts"
import { explainCronJob } from "../../../src/explain/workloads/explainCronJob.ts"
import { explainDaemonSet } from "../../../src/explain/workloads/explainDaemonSet.ts"
import { explainJob } from "../../../src/explain/workloads/explainJob.ts"
import { explainStatefulSet } from "../../../src/explain/workloads/explainStatefulSet.ts"
import { openCluster } from "../../../src/cluster/openCluster.ts"
import type { OpenCluster } from "../../../src/cluster/openCluster.ts"

const broken = { name: "broken", match: { image: "broken:*" }, exit: { after: "2s", code: 3 } }
const slow = { name: "slow", match: { image: "slow:*" }, exit: { after: "5m" } }
const forbidding = {
  apiVersion: "batch/v1",
  kind: "CronJob",
  metadata: { name: "minutely" },
  spec: {
    schedule: "* * * * *",
    concurrencyPolicy: "Forbid",
    jobTemplate: {
      spec: {
        template: { spec: { restartPolicy: "Never", containers: [{ name: "app", image: "slow:1" }] } }
      }
    }
  }
}
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
        expect.stringMatching(
          /^It creates its next Pod in \d+s: 10s after a first failure, and twice as long after each further one\.$/u
        )
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

  const held = "A Job that is due waits until the one that runs has ended (concurrencyPolicy: Forbid). "
  it.each([
    { why: "waits for the one that runs", beside: [], sentence: `${held}The next is due at ` },
    {
      why: "waits for none when its creation is refused",
      beside: [quotaManifest({ "count/jobs.batch": "0" })],
      sentence: "The next is due at "
    }
  ])("tells that a Job that is due $why", async ({ beside, sentence }) => {
    await using cluster = await openCluster({ behaviours: [slow] })
    for (const object of [...beside, forbidding]) await cluster.create(object)
    await cluster.advance("2m30s")
    const sentences = await sentencesOf(cluster, "CronJob", "minutely")
    expect(sentences.at(-1)?.startsWith(sentence)).toBe(true)
  })

  const job = (spec: object) => ({
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "job" },
    spec: {
      template: { spec: { restartPolicy: "Never", containers: [{ name: "app", image: "broken:1" }] } },
      ...spec
    }
  })
  it.each([
    {
      why: "that starts no Pods",
      spec: { parallelism: 0 },
      sentences: ["It starts no Pods: spec.parallelism is 0."]
    },
    {
      why: "with a deadline",
      spec: { activeDeadlineSeconds: 100, backoffLimit: 0, parallelism: 0 },
      sentences: [
        "It starts no Pods: spec.parallelism is 0.",
        "It fails if it has not succeeded in 1m35s (spec.activeDeadlineSeconds)."
      ]
    },
    {
      why: "of which each index waits for itself",
      spec: { completionMode: "Indexed", completions: 1, backoffLimitPerIndex: 3 },
      sentences: [
        expect.stringMatching(
          /^It creates its next Pod in \d+s: 10s after a first failure of an index, and twice /u
        )
      ]
    },
    {
      why: "of which a part is enough",
      spec: {
        completionMode: "Indexed",
        completions: 4,
        parallelism: 0,
        successPolicy: { rules: [{ succeededIndexes: "0-2", succeededCount: 1 }, { succeededIndexes: "3" }] }
      },
      sentences: [
        "It starts no Pods: spec.parallelism is 0.",
        "It succeeds as soon as 1 of the indexes 0-2 has succeeded (spec.successPolicy).",
        "It succeeds as soon as the indexes 3 have succeeded (spec.successPolicy)."
      ]
    }
  ])("tells what a Job waits for $why", async ({ spec, sentences }) => {
    await using cluster = await openCluster({ behaviours: [broken] })
    await cluster.create(job(spec))
    await cluster.advance("5s")
    const [, ...others] = await sentencesOf(cluster, "Job", "job")
    expect(others).toEqual(sentences)
  })

  it("tells that no controller has seen a workload", async () => {
    await using cluster = await openCluster({ controllers: ["*", "-statefulset", "-daemonset"] })
    for (const workload of everyWorkload.slice(0, 2)) await cluster.create(workload)
    await cluster.advance("1m")
    for (const [kind, name] of [
      ["StatefulSet", "db"],
      ["DaemonSet", "agent"]
    ] as const)
      expect(await sentencesOf(cluster, kind, name)).toContain(
        "Its controller has not seen it yet, or does not run."
      )
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
