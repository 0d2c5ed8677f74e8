import { describe, expect, it } from "vitest"
import { historySentences } from "../../../src/page/object/rolloutHistory.ts"
import { openCluster } from "../../../src/cluster/openCluster.ts"
import { parseRecording } from "../../../src/page/source/pageSource.ts"
import { ownRevisions } from "../../../src/page/object/undoRevisions.ts"
import { ownedPods, replicaSetsOf } from "../../../src/page/history/fleet.ts"
import type { OpenCluster } from "../../../src/cluster/openCluster.ts"
import type { PageAddress } from "../../../src/page/pageAddress.ts"

const web = (image: string) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "default" },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: "web" } },
    template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "app", image }] } }
  }
})
const address: PageAddress = { kind: "Deployment", namespace: "default", name: "web" }

const database: PageAddress = { kind: "StatefulSet", namespace: "default", name: "db" }
const db = (image: string) => ({
  ...web(image),
  kind: "StatefulSet",
  metadata: { name: "db", namespace: "default" }
})

const sentencesOf = async (cluster: OpenCluster, of = address): Promise<ReadonlyArray<string>> => {
  const opened = parseRecording(await cluster.recording())
  if (!("history" in opened)) throw new Error("the recording cannot be opened")
  const { history } = opened
  const fleet = history.fleetAt(undefined)
  const versions = history.versionsOf(of, undefined)
  const workload = versions.at(-1)
  if (workload === undefined) throw new Error(`${of.name} is not recorded`)
  return historySentences({
    versions,
    revisions: ownRevisions(workload, fleet),
    pods: [workload, ...replicaSetsOf(workload, fleet)].flatMap((it) => ownedPods(it, fleet)),
    nodes: new Map(),
    rows: history.series.trackOf(of)?.rows ?? []
  })
}

describe("what only the past of a rollout tells", () => {
  it("is which revision was the last that worked, while the present one is in trouble", async () => {
    await using cluster = await openCluster({ record: true, nodes: 2 })
    await cluster.apply(web("web:1"))
    await cluster.advance("1m")
    expect(await sentencesOf(cluster)).toEqual([])
    await cluster.fault({ fault: "pullFails", image: "web:*", error: "manifest unknown" })
    await cluster.apply(web("web:2"))
    await cluster.advance("1m")
    await cluster.apply(web("web:3"))
    await cluster.advance("1m")
    expect(await sentencesOf(cluster)).toEqual(["Revision 3 was never complete; the last one that was is 1."])
  })

  it("is which revision of a StatefulSet was the last that worked", async () => {
    await using cluster = await openCluster({ record: true, nodes: 2 })
    await cluster.apply(db("db:1"))
    await cluster.advance("1m")
    expect(await sentencesOf(cluster, database)).toEqual([])
    await cluster.fault({ fault: "pullFails", image: "db:2", error: "manifest unknown" })
    await cluster.apply(db("db:2"))
    await cluster.advance("1m")
    expect(await sentencesOf(cluster, database)).toEqual([
      "Revision 2 was never complete; the last one that was is 1."
    ])
  })

  it("is how often Pods that crash and come back have moved the deadline", async () => {
    const crash = { after: "20s", code: 1, times: "forever" } as const
    await using cluster = await openCluster({
      record: true,
      nodes: 2,
      behaviours: [{ name: "crashing", match: { image: "web:1" }, exit: crash }]
    })
    const slow = web("web:1")
    await cluster.apply({ ...slow, spec: { ...slow.spec, minReadySeconds: 30 } })
    await cluster.advance("15m")
    const [sentence = ""] = await sentencesOf(cluster)
    expect(sentence).toMatch(
      /^Pods that become ready between their crashes have moved the deadline \d+ times: it may never come\.$/u
    )
  })
})
