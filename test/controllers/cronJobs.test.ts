import { describe, expect, it } from "vitest"
import { openCluster } from "../../src/cluster/openCluster.ts"
import type { CronJob } from "../../src/kubernetes/batch/cronJobs/cronJobTypes.ts"
import type { Manifest } from "../../src/kubernetes/meta/objects.ts"
import type { OpenCluster } from "../../src/cluster/openCluster.ts"

const cronJob = (fields: string) => `apiVersion: batch/v1
kind: CronJob
metadata: { name: nightly }
spec:
  ${fields}
  jobTemplate:
    spec:
      template:
        spec: { restartPolicy: Never, containers: [{ name: backup, image: "backup:1" }] }
`
const withCluster = async (startMillis: number, play: (cluster: OpenCluster) => Promise<void>) => {
  const cluster = await openCluster({ startMillis, nodes: 1 })
  try {
    await play(cluster)
  } finally {
    await cluster.close()
  }
}
const jobNames = async (cluster: OpenCluster) =>
  (await cluster.list("jobs.batch")).items.map(
    ({ metadata }) => metadata.annotations?.["batch.kubernetes.io/cronjob-scheduled-timestamp"]
  )
const reasonsOf = async (cluster: OpenCluster) =>
  new Set(
    (await cluster.list("events")).items
      .filter(({ involvedObject }) => involvedObject?.kind === "CronJob")
      .map(({ reason }) => reason)
  )

describe("a CronJob", () => {
  it("runs at the same hour before and after a change of the clock, and keeps the last three Jobs", () =>
    withCluster(Date.UTC(2026, 2, 26), async (cluster) => {
      const started = new Set<string>()
      cluster.onChange(({ resource, object }) => {
        if (resource === "jobs.batch") started.add(object.metadata.name)
      })
      await cluster.apply(cronJob('schedule: "30 3 * * *"\n  timeZone: Europe/Berlin'))
      await cluster.advance("120h")
      expect(started.size).toBe(5)
      expect(await jobNames(cluster)).toEqual([
        "2026-03-28T03:30:00+01:00",
        "2026-03-29T03:30:00+02:00",
        "2026-03-30T03:30:00+02:00"
      ])
    }))

  const rows = [
    {
      why: "Forbid waits for the Job that runs",
      policy: "Forbid",
      jobs: 1,
      reasons: ["SuccessfulCreate", "JobAlreadyActive"],
      active: [1]
    },
    { why: "Allow runs both", policy: "Allow", jobs: 3, reasons: ["SuccessfulCreate"], active: [1, 2, 3] },
    {
      why: "Replace deletes the Job that runs, and starts the next with the same write of the status",
      policy: "Replace",
      jobs: 1,
      reasons: ["SuccessfulCreate", "SuccessfulDelete"],
      active: [1, 1, 1]
    }
  ]
  it.each(rows)("follows its concurrencyPolicy: $why", ({ policy, jobs, reasons, active }) =>
    withCluster(Date.UTC(2026, 0, 1), async (cluster) => {
      const activeCounts: Array<number> = []
      cluster.onChange(({ resource, object, type }) => {
        if (resource !== "cronjobs.batch" || type !== "MODIFIED") return
        const { active: running = [] } = (object as CronJob).status
        activeCounts.push(running.length)
      })
      await cluster.apply(
        cronJob(`schedule: "* * * * *"\n  concurrencyPolicy: ${policy}`).replace(
          "restartPolicy: Never",
          "$&, nodeSelector: { disk: none }"
        )
      )
      await cluster.advance("3m30s")
      expect(await jobNames(cluster)).toHaveLength(jobs)
      expect(await reasonsOf(cluster)).toEqual(new Set(reasons))
      expect(activeCounts).toEqual(active)
    })
  )

  it("notes that it has deleted a Job, although the next one's name belongs to another, which it leaves alone", () =>
    withCluster(Date.UTC(2026, 0, 1), async (cluster) => {
      const pod = {
        restartPolicy: "Never",
        nodeSelector: { disk: "none" },
        containers: [{ name: "a", image: "a:1" }]
      }
      const spec = { template: { spec: pod } }
      const other = `nightly-${Date.UTC(2026, 0, 1) / 60_000 + 2}`
      await cluster.apply([
        { apiVersion: "batch/v1", kind: "Job", metadata: { name: other }, spec },
        {
          apiVersion: "batch/v1",
          kind: "CronJob",
          metadata: { name: "nightly" },
          spec: { schedule: "* * * * *", concurrencyPolicy: "Replace", jobTemplate: { spec } }
        }
      ])
      await cluster.advance("2m30s")
      const { status } = await cluster.get({ resource: "cronjobs.batch", name: "nightly" })
      expect(status).toEqual({ lastScheduleTime: "2026-01-01T00:01:00Z" })
      expect(await reasonsOf(cluster)).toEqual(new Set(["SuccessfulCreate", "SuccessfulDelete"]))
    }))

  it("starts nothing while it is suspended, and the last missed time when it is resumed", () =>
    withCluster(Date.UTC(2026, 0, 1), async (cluster) => {
      await cluster.apply(cronJob('schedule: "*/10 * * * *"\n  suspend: true'))
      await cluster.advance("1h5m")
      expect(await jobNames(cluster)).toEqual([])
      await cluster.apply(cronJob('schedule: "*/10 * * * *"\n  suspend: false'))
      await cluster.advance("10s")
      expect(await jobNames(cluster)).toEqual(["2026-01-01T01:00:00Z"])
    }))

  const missed = [
    { why: "a few", schedule: "*/10 * * * *", starts: ["2026-01-01T02:00:00Z"] },
    { why: "more than a hundred", schedule: "* * * * *", starts: ["2026-01-01T02:00:00Z"], isMany: true },
    {
      why: "many, of which startingDeadlineSeconds leave a few",
      schedule: "* * * * *",
      deadline: 200,
      starts: ["2026-01-01T02:00:00Z"]
    },
    { why: "none, since the first two times are no guide to the last", schedule: "0-9 0 * * *", starts: [] }
  ]
  it.each(missed)("starts the last of the times that it missed: $why", (row) =>
    withCluster(Date.UTC(2026, 0, 1), async (cluster) => {
      const { schedule, deadline = 7200, starts, isMany = false } = row
      const apply = (suspend: boolean) =>
        cluster.apply(
          cronJob(
            `schedule: "${schedule}"\n  startingDeadlineSeconds: ${deadline}\n  suspend: ${String(suspend)}`
          )
        )
      await apply(true)
      await cluster.advance("2h30s")
      await apply(false)
      await cluster.advance("1s")
      expect(await jobNames(cluster)).toEqual(starts)
      expect((await reasonsOf(cluster)).has("TooManyMissedTimes")).toBe(isMany)
    })
  )

  it("counts the times of @every from the last one, whatever wakes it in between", () =>
    withCluster(Date.UTC(2026, 0, 1), async (cluster) => {
      await cluster.apply(cronJob('schedule: "@every 1h"'))
      await cluster.advance("30m")
      await cluster.apply(cronJob('schedule: "@every 1h"\n  failedJobsHistoryLimit: 2'))
      await cluster.advance("35m")
      expect(await jobNames(cluster)).toEqual(["2026-01-01T01:00:00Z"])
    }))

  it("tells of a Job that it controls and did not start, as kubectl create job --from makes one", () =>
    withCluster(Date.UTC(2026, 0, 1), async (cluster) => {
      await cluster.apply(cronJob('schedule: "0 5 * * *"'))
      const { metadata, kind, apiVersion, spec } = await cluster.get({
        resource: "cronjobs.batch",
        name: "nightly"
      })
      const owner = { apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true }
      await cluster.create({
        apiVersion: "batch/v1",
        kind: "Job",
        metadata: { name: "by-hand", ownerReferences: [owner] },
        spec: spec.jobTemplate.spec
      } as Manifest)
      await cluster.advance("1m")
      const events = await cluster.events({ uid: metadata.uid })
      expect(events.map(({ reason, message }) => `${reason}: ${message}`)).toEqual([
        "UnexpectedJob: Saw a job that the controller did not create or forgot: by-hand"
      ])
    }))

  it("tells of a schedule whose day never comes", () =>
    withCluster(Date.UTC(2026, 0, 1), async (cluster) => {
      await cluster.apply(cronJob('schedule: "59 23 31 2 *"'))
      await cluster.advance("1m")
      const { metadata } = await cluster.get({ resource: "cronjobs.batch", name: "nightly" })
      const events = await cluster.events({ uid: metadata.uid })
      expect(events.map(({ reason, message }) => `${reason}: ${message}`)).toEqual([
        "InvalidSchedule: invalid schedule: 59 23 31 2 * : time difference between two schedules is less than 1 second"
      ])
    }))
})
