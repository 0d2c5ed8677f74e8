import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { deploymentManifest, createObject, replaceSpec } from "../../../cluster/testCluster.ts"
import { entriesOf, seriesOf } from "../../clusterEntries.ts"
import { rolloutBounds } from "../../../../machines/strategies/strategies.ts"
import type { Deployment } from "../../../../src/kubernetes/meta/objects.ts"
import type { ClusterService } from "../../../cluster/testCluster.ts"
import type { ObjectEntry } from "../../../../src/recording/entry.ts"
import type { TrackRow } from "../../../../src/page/timeline/series/workloadTrack.ts"
import type { TimelineSeries, WorkloadTrack } from "../../../../src/page/timeline/series/timelineSeries.ts"

const web = { kind: "Deployment", namespace: "default", name: "web" } as const

const trackOf = (series: TimelineSeries): WorkloadTrack => {
  const track = series.trackOf(web)
  if (track === undefined) throw new Error("there is no web")
  return track
}

/** Rolls out a Deployment, then another image. */
const update = (spec: object, replicas = 10) =>
  entriesOf({ seed: 5 }, (cluster: ClusterService) =>
    Effect.gen(function* () {
      yield* createObject(cluster, deploymentManifest({ replicas, spec }))
      yield* cluster.settle()
      yield* replaceSpec(cluster, deploymentManifest({ replicas, version: "v2", spec }))
      yield* cluster.settle()
    })
  )

const sumOf = ({ byRevision }: TrackRow, what: "ready" | "notReady" | "terminating"): number =>
  byRevision.reduce((sum, pods) => sum + pods[what], 0)

const updates = [
  { why: "a rolling update", spec: {} },
  {
    why: "a rolling update with surge 30% and 2 unavailable",
    spec: { strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "30%", maxUnavailable: 2 } } }
  },
  { why: "Recreate", spec: { strategy: { type: "Recreate" } } },
  { why: "minReadySeconds of 7", spec: { minReadySeconds: 7 } }
]

describe("the rows of a timeline", () => {
  it.each(updates)("have the counts of the ledger at every instant: $why", async ({ spec }) => {
    const { entries, ledger } = await update(spec)
    const { rows } = trackOf(seriesOf(entries))
    const ledgerRows = ledger.of("default/web")?.rows() ?? []
    expect(ledgerRows.length).toBeGreaterThan(30)
    const lastAt = <A extends { readonly atMillis: number }>(all: ReadonlyArray<A>): ReadonlyMap<number, A> =>
      new Map(all.map((row) => [row.atMillis, row]))
    const rowsByTime = lastAt(rows)
    for (const [atMillis, row] of lastAt(ledgerRows)) {
      const own = rowsByTime.get(atMillis) ?? rows.findLast((it) => it.atMillis <= atMillis)
      if (own === undefined) throw new Error("there is no row")
      expect({
        atMillis,
        desired: own.desired,
        existing: sumOf(own, "ready") + sumOf(own, "notReady"),
        ready: sumOf(own, "ready"),
        available: own.available,
        updated: own.byRevision
          .filter(({ uid }) => uid === own.newRevisionUid)
          .reduce((sum, { ready, notReady }) => sum + ready + notReady, 0),
        terminating: sumOf(own, "terminating")
      }).toEqual({
        atMillis,
        desired: row.desired,
        existing: row.existing,
        ready: row.ready,
        available: row.available,
        updated: row.updated,
        terminating: row.terminating
      })
    }
  })

  it.each(updates)("have the floor and ceiling of the strategy: $why", async ({ spec }) => {
    const { entries } = await update(spec)
    const { rows } = trackOf(seriesOf(entries))
    const last = entries.findLast(({ resource }) => resource === "deployments")?.object as Deployment
    const { podsMax, availableMin } = rolloutBounds(last)
    expect(new Set(rows.map(({ floor }) => floor))).toEqual(new Set([availableMin]))
    expect(new Set(rows.map(({ ceiling }) => ceiling))).toEqual(new Set([podsMax]))
  })

  it("are the same if owners arrive after the objects they own", async () => {
    const { entries } = await update({})
    const existing = new Map<string, ObjectEntry>()
    for (const entry of entries) {
      const { uid } = entry.object.metadata
      if (entry.change === "DELETED") existing.delete(uid)
      else
        existing.set(uid, { ...entry, change: "ADDED", number: 9, atMillis: entries.at(-1)?.atMillis ?? 0 })
    }
    const initialObjects = [...existing.values()].filter(({ resource }) => resource !== "events")
    const rowsOf = (order: ReadonlyArray<ObjectEntry>): ReadonlyArray<TrackRow> =>
      trackOf(seriesOf(order, 9)).rows
    const rows = rowsOf(initialObjects)
    expect(rows).toHaveLength(1)
    expect(rows[0]).toMatchObject({ available: 10, desired: 10, byRevision: [{ revision: "2", ready: 10 }] })
    expect(rowsOf(initialObjects.toReversed())).toEqual(rows)
  })

  it("stay the same after earlier entries are forgotten", async () => {
    const { entries } = await update({})
    const [whole, cut] = [seriesOf(entries), seriesOf(entries)]
    const middle = Math.floor(entries.length / 2)
    cut.forgetBefore(middle)
    const { rows, events: happenings } = trackOf(whole)
    const ledgerRows = trackOf(cut)
    expect(ledgerRows.rows.slice(1)).toEqual(rows.filter(({ number }) => number > middle))
    expect(ledgerRows.rows[0]).toEqual(rows.findLast(({ number }) => number <= middle))
    expect(ledgerRows.events).toEqual(happenings.filter(({ number }) => number > middle))
    expect(cut.moments.length).toBeLessThan(whole.moments.length)
  })

  it("count Pods by ReplicaSet, for those that have Pods", async () => {
    const { entries } = await update({}, 60)
    const { rows } = trackOf(seriesOf(entries))
    expect(rows.length).toBeGreaterThan(300)
    expect(Math.max(...rows.map(({ byRevision }) => byRevision.length))).toBe(2)
    // Unchanged counts are the same object from row to row.
    const ledgerRows = rows.filter(({ byRevision }, index) =>
      byRevision.some((pods) => rows[index - 1]?.byRevision.includes(pods))
    )
    expect(ledgerRows.length).toBeGreaterThan(100)
  })
})

describe("the events and conditions of a timeline", () => {
  const conditionsOf = async (spec: object): Promise<ReadonlyArray<string>> => {
    const { entries } = await update(spec, 3)
    return trackOf(seriesOf(entries))
      .events.filter(({ kind }) => kind === "condition")
      .map(({ text, isBad }) => `${isBad ? "!" : ""}${text.replace(/,.*/, "")}`)
  }

  it("include condition changes with their reasons; a Deployment that has just begun is not bad", async () => {
    expect(await conditionsOf({})).toEqual([
      "Progressing is True: NewReplicaSetCreated",
      "Available is False: MinimumReplicasUnavailable",
      "Progressing is True: ReplicaSetUpdated",
      "Available is True: MinimumReplicasAvailable",
      "Progressing is True: NewReplicaSetAvailable",
      "Progressing is True: NewReplicaSetCreated",
      "Progressing is True: ReplicaSetUpdated",
      "Progressing is True: NewReplicaSetAvailable"
    ])
  })

  it("mark the loss of availability as bad", async () => {
    const conditions = await conditionsOf({ strategy: { type: "Recreate" } })
    expect(conditions.filter((text) => text.startsWith("!"))).toEqual([
      "!Available is False: MinimumReplicasUnavailable"
    ])
  })

  it("include the events of the Deployment and of all that it owns, and no others", async () => {
    const { entries } = await entriesOf({ seed: 5 }, (cluster) =>
      Effect.gen(function* () {
        yield* createObject(cluster, deploymentManifest({ replicas: 2 }))
        yield* createObject(cluster, deploymentManifest({ name: "other", replicas: 1 }))
        yield* cluster.settle()
      })
    )
    const series = seriesOf(entries)
    const events = trackOf(series).events.filter(({ kind }) => kind === "event")
    expect(events.some(({ text }) => /ScalingReplicaSet, Deployment web: /.test(text))).toBe(true)
    expect(events.some(({ text }) => /SuccessfulCreate, ReplicaSet web-/.test(text))).toBe(true)
    expect(events.filter(({ text }) => /Started, Pod web-/.test(text))).toHaveLength(2)
    expect(events.filter(({ text }) => text.includes("other"))).toEqual([])
  })

  it("leave out everything before the recording began", async () => {
    const { entries } = await update({})
    expect(trackOf(seriesOf(entries, entries.length)).events).toEqual([])
  })

  it("are found by a Pod and by its container as well as by their Deployment", async () => {
    const { entries } = await update({})
    const series = seriesOf(entries)
    const pod = entries.findLast(({ resource }) => resource === "pods")?.object.metadata.name ?? ""
    const { uid } = trackOf(series)
    const uidOf = (kind: "Pod" | "Container" | "Node", name: string) =>
      series.trackOf({ kind, namespace: "default", name })?.uid
    expect(uidOf("Pod", pod)).toBe(uid)
    expect(uidOf("Container", `${pod}/app`)).toBe(uid)
    expect(uidOf("Node", "node-1")).toBeUndefined()
  })
})
