import { beforeAll, describe, expect, it } from "vitest"
import { openWorkloads } from "../../../../scripts/screenshots/workloads.ts"
import { parseRecording } from "../../../recording/recordedCluster.ts"
import { seriesOf } from "../../clusterEntries.ts"
import type { PageAddress } from "../../../../src/page/pageAddress.ts"
import type { TimelineSeries } from "../../../../src/page/timeline/series/timelineSeries.ts"
import type { TrackRow } from "../../../../src/page/timeline/series/workloadTrack.ts"

describe("the rows of workloads other than Deployments", () => {
  let series: TimelineSeries

  beforeAll(async () => {
    await using cluster = await openWorkloads()
    const { entries } = parseRecording(await cluster.recording())
    series = seriesOf(entries.filter((entry) => entry.type === "object"))
  })

  const rowsOf = (kind: PageAddress["kind"], name: string): ReadonlyArray<TrackRow> =>
    series.trackOf({ kind, namespace: "default", name })?.rows ?? []

  it.each([
    { kind: "StatefulSet", name: "db", available: 2, bounds: [2, 3, 3], revisions: ["2", "1"] },
    // The Pod that is stopping counts no more, although the status counts it as long as it is ready.
    { kind: "DaemonSet", name: "agent", available: 3, bounds: [3, 4, 4], revisions: ["2", "1"] },
    { kind: "HorizontalPodAutoscaler", name: "web", available: 6, bounds: [2, 6, 6], revisions: [] }
  ] as const)("have the size of a $kind, its bounds and revisions", ({ kind, name, ...row }) => {
    const last = rowsOf(kind, name).at(-1)
    expect({
      available: last?.available,
      bounds: [last?.floor, last?.desired, last?.ceiling],
      revisions: last?.byRevision.map(({ revision }) => revision)
    }).toEqual(row)
    if (row.revisions.length > 0) expect(last?.byRevision[0]?.uid).toBe(last?.newRevisionUid)
  })

  it("count the Pods of a Job as long as it runs, and those of the Jobs of a CronJob together", () => {
    const counts = (rows: ReadonlyArray<TrackRow>) =>
      rows.map(({ byRevision, desired }) => {
        const ready = byRevision.reduce((sum, pods) => sum + pods.ready, 0)
        return `${ready} of ${desired}`
      })
    const ofImport = counts(rowsOf("Job", "import"))
    expect(ofImport).toContain("2 of 2")
    expect(ofImport.at(-1)).toBe("0 of 0")
    const ofReport = counts(rowsOf("CronJob", "report"))
    const starts = ofReport.filter((text, index) => text === "1 of 1" && ofReport[index - 1] !== text)
    expect(starts).toHaveLength(4)
    expect(ofReport.at(-1)).toBe("0 of 0")
  })

  it("are those of the CronJob for each of its Jobs, which have no lane of their own", () => {
    const names = series.tracks().map(({ kind, name }) => `${kind} ${name}`)
    expect(names).not.toContainEqual(expect.stringMatching(/^Job report-/u))
    expect(names).toContain("CronJob report")
  })

  it("mark a failed Job as bad, and not the limit of an autoscaler", () => {
    const conditions = (kind: PageAddress["kind"], name: string) =>
      (series.trackOf({ kind, namespace: "default", name })?.events ?? [])
        .filter(({ kind }) => kind === "condition")
        .map(({ text, isBad }) => `${text.split(":")[0] ?? ""}${isBad ? " (bad)" : ""}`)
    expect(conditions("Job", "import")).toContain("Failed is True (bad)")
    expect(conditions("HorizontalPodAutoscaler", "web")).toContain("ScalingLimited is True")
  })

  it("stay the same when earlier entries are forgotten", () => {
    const before = series.tracks().map(({ rows }) => rows.at(-1))
    series.forgetBefore(Math.max(...before.map((row) => row?.number ?? 0)))
    expect(series.tracks().map(({ rows }) => rows.at(-1))).toEqual(before)
  })
})
