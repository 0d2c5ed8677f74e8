import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { openCluster } from "../../../src/cluster/openCluster.ts"
import { timestampOf } from "../../../src/kubernetes/meta/amounts/timestamps.ts"
import type { Manifest } from "../../../src/kubernetes/meta/objects.ts"
import type { Job } from "../../../src/kubernetes/batch/jobs/jobTypes.ts"
import type { OpenCluster } from "../../../src/cluster/openCluster.ts"

const aJob = (spec: object): Manifest =>
  ({
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "sums" },
    spec: {
      ...spec,
      template: { spec: { restartPolicy: "Never", containers: [{ name: "app", image: "app:1" }] } }
    }
  }) as Manifest

describe("a Job whose Pods change", () => {
  const startMillis = 1_767_225_600_000
  const address = { resource: "jobs.batch", name: "sums" } as const
  let cluster: OpenCluster

  beforeEach(async () => {
    cluster = await openCluster({ behaviour: "manual", nodes: 1, startMillis })
  })
  afterEach(() => cluster.close())

  const advanceTo = (millis: number): Promise<void> =>
    cluster.advance(startMillis + millis - cluster.now().getTime())
  const endPod = async (phase: "Succeeded" | "Failed"): Promise<void> => {
    const pods = (await cluster.list("pods")).items.filter((pod) => pod.status.phase === "Pending")
    const now = timestampOf(cluster.now().getTime())
    const state = { terminated: { exitCode: phase === "Failed" ? 1 : 0, startedAt: now, finishedAt: now } }
    await cluster.patch(
      { resource: "pods", name: pods[0]?.metadata.name ?? "" },
      {
        status: {
          phase,
          containerStatuses: [
            { name: "app", image: "app:1", imageID: "", ready: false, restartCount: 0, state }
          ]
        }
      },
      { status: true }
    )
  }
  const seen = async (): Promise<string> => {
    const {
      active = 0,
      succeeded = 0,
      failed = 0,
      conditions = []
    } = ((await cluster.get(address)) as Job).status
    const counts = `${active} active, ${succeeded} succeeded, ${failed} failed`
    return [counts, ...conditions.map(({ type }) => type)].join(" ")
  }
  const seenAt = async (...times: ReadonlyArray<number>): Promise<ReadonlyArray<string>> => {
    const texts: Array<string> = []
    for (const millis of times) {
      await advanceTo(millis)
      texts.push(await seen())
    }
    return texts
  }

  it("is complete a second after its last Pod has ended", async () => {
    await cluster.create(aJob({ completions: 1 }))
    await advanceTo(10_000)
    await endPod("Succeeded")
    expect(await seenAt(10_999, 11_000)).toEqual([
      "1 active, 0 succeeded, 0 failed",
      "0 active, 1 succeeded, 0 failed SuccessCriteriaMet Complete"
    ])
  })

  it("sees in one look what happens within a second of the first change", async () => {
    await cluster.create(aJob({ completions: 2, parallelism: 2 }))
    await advanceTo(10_000)
    await endPod("Succeeded")
    await advanceTo(10_700)
    await endPod("Succeeded")
    expect(await seenAt(10_999, 11_000)).toEqual([
      "2 active, 0 succeeded, 0 failed",
      "0 active, 2 succeeded, 0 failed SuccessCriteriaMet Complete"
    ])
  })

  it("creates the next Pod in the look that counts the one before", async () => {
    await cluster.create(aJob({ completions: 2 }))
    await advanceTo(10_000)
    await endPod("Succeeded")
    expect(await seenAt(10_999, 11_000)).toEqual([
      "1 active, 0 succeeded, 0 failed",
      "1 active, 1 succeeded, 0 failed"
    ])
  })

  it("replaces a failed Pod when its back-off ends, which begins with the Pod's end", async () => {
    await cluster.create(aJob({ completions: 1 }))
    await advanceTo(10_000)
    await endPod("Failed")
    expect(await seenAt(10_999, 11_000, 19_999, 20_000)).toEqual([
      "1 active, 0 succeeded, 0 failed",
      "0 active, 0 succeeded, 1 failed",
      "0 active, 0 succeeded, 1 failed",
      "1 active, 0 succeeded, 1 failed"
    ])
  })

  it("counts a failed Pod once, though the write that notes it is refused at first", async () => {
    await cluster.create(aJob({ completions: 1 }))
    await advanceTo(10_000)
    await cluster.fault({ fault: "writesRefused", of: "job", verb: "status", code: 409, times: 1 })
    await endPod("Failed")
    expect(await seenAt(11_999, 19_999, 20_000)).toEqual([
      "1 active, 0 succeeded, 0 failed",
      "0 active, 0 succeeded, 1 failed",
      "1 active, 0 succeeded, 1 failed"
    ])
  })

  it("waits for no further change when its spec changes, and then sees everything", async () => {
    await cluster.create(aJob({ completions: 3 }))
    await advanceTo(10_000)
    await endPod("Succeeded")
    await advanceTo(10_200)
    await cluster.patch(address, { spec: { parallelism: 2 } })
    expect(await seenAt(10_200)).toEqual(["2 active, 1 succeeded, 0 failed"])
  })

  it("counts the end of a Pod that it has adopted", async () => {
    const template = { metadata: { labels: { app: "sums" } } }
    const pod = { restartPolicy: "Never", containers: [{ name: "app", image: "app:1" }] }
    await cluster.create({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "stray", labels: { app: "sums" } },
      spec: pod
    } as Manifest)
    await cluster.create({
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name: "sums" },
      spec: {
        completions: 1,
        manualSelector: true,
        selector: { matchLabels: { app: "sums" } },
        template: { ...template, spec: pod }
      }
    } as Manifest)
    await advanceTo(10_000)
    expect((await cluster.list("pods")).items).toMatchObject([
      { metadata: { name: "stray", finalizers: ["batch.kubernetes.io/job-tracking"] } }
    ])
    await endPod("Succeeded")
    expect(await seenAt(11_000)).toEqual(["0 active, 1 succeeded, 0 failed SuccessCriteriaMet Complete"])
  })

  it("is not settled before it has seen what happened", async () => {
    await cluster.create(aJob({ completions: 1 }))
    await advanceTo(10_000)
    await endPod("Succeeded")
    expect(await cluster.settle("1m")).toBe(true)
    expect(cluster.now().getTime()).toBe(startMillis + 11_000)
    expect(await seen()).toBe("0 active, 1 succeeded, 0 failed SuccessCriteriaMet Complete")
  })

  it("is deleted by its time to live as soon as it is complete", async () => {
    await cluster.create(aJob({ completions: 1, ttlSecondsAfterFinished: 0 }))
    await advanceTo(10_000)
    await endPod("Succeeded")
    await advanceTo(11_000)
    expect((await cluster.list("jobs.batch")).items).toEqual([])
  })
})
