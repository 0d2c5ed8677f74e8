import { describe, expect, it } from "vitest"
import { historySentences } from "../../../src/page/object/rolloutHistory.ts"
import { openCluster } from "../../../src/cluster/openCluster.ts"
import { parseRecording } from "../../../src/page/source/pageSource.ts"
import type { Deployment } from "../../../src/kubernetes/meta/objects.ts"
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

const told = async (cluster: OpenCluster): Promise<ReadonlyArray<string>> => {
  const opened = parseRecording(await cluster.recording())
  if (!("history" in opened)) throw new Error("the recording cannot be opened")
  const { history } = opened
  const fleet = history.fleetAt(undefined)
  return historySentences({
    versions: history.versionsOf(address, undefined) as ReadonlyArray<Deployment>,
    replicaSets: [...fleet.replicaSets.values()],
    pods: [...fleet.pods.values()],
    nodes: new Map(),
    rows: history.series.trackOf(address)?.rows ?? []
  })
}

describe("what only the past of a rollout tells", () => {
  it("is which revision was the last that worked, while the present one is in trouble", async () => {
    await using cluster = await openCluster({ record: true, nodes: 2 })
    await cluster.apply(web("web:1"))
    await cluster.advance("1m")
    expect(await told(cluster)).toEqual([])
    await cluster.fault({ fault: "pullFails", image: "web:*", error: "manifest unknown" })
    await cluster.apply(web("web:2"))
    await cluster.advance("1m")
    await cluster.apply(web("web:3"))
    await cluster.advance("1m")
    expect(await told(cluster)).toEqual(["Revision 3 was never complete; the last one that was is 1."])
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
    const [sentence = ""] = await told(cluster)
    expect(sentence).toMatch(
      /^Pods that become ready between their crashes have moved the deadline \d+ times: it may never come\.$/u
    )
  })
})
