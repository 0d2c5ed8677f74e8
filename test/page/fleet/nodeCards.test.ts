import { describe, expect, it } from "vitest"
import { changedWorkloads, healthByName } from "../../../src/page/moment/changedWorkloads.ts"
import { fleetHealth } from "../../../src/page/fleet/fleetHealth.ts"
import { nodeCards } from "../../../src/page/fleet/nodeCards.ts"
import { openCluster } from "../../../src/cluster/openCluster.ts"
import { parseRecording } from "../../../src/page/source/pageSource.ts"
import type { ClusterHistory } from "../../../src/page/history/clusterHistory.ts"
import type { Fleet } from "../../../src/page/history/fleet.ts"

const app = (name: string, replicas: number) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name, namespace: "default" },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: "app", image: "app:1" }] } }
  }
})

const historyOfLostNode = async (): Promise<ClusterHistory> => {
  await using cluster = await openCluster({ record: true, nodes: 2 })
  await cluster.apply(app("web", 2))
  await cluster.apply(app("idle", 0))
  await cluster.advance("1m")
  await cluster.fault({ fault: "nodeLost", node: "node-1" })
  await cluster.advance("1m")
  await cluster.apply(app("web", 3))
  await cluster.advance("100ms")
  const opened = parseRecording(await cluster.recording())
  if (!("history" in opened)) throw new Error("the recording cannot be opened")
  return opened.history
}

const cardsOf = (fleet: Fleet) =>
  nodeCards(fleet).map(({ name, state, figures }) => `${name} ${state}: ${figures}`)

describe("the Pods by node", () => {
  it("stand with the lost node first, whose Pods nothing is known of", async () => {
    const history = await historyOfLostNode()
    const read = history.distantFleetAt
    expect(cardsOf(read(undefined))).toEqual(["node-1 lost: 1 Pod", "node-2 ready: 2 Pods, 1 ready"])
    const beforeNumber = history.faults[0]?.beganNumber ?? 0
    expect(cardsOf(read(beforeNumber - 1))).toEqual(["node-1 ready: 1 Pod", "node-2 ready: 1 Pod"])
    // Back again: the reader goes both ways.
    expect(cardsOf(read(undefined))).toEqual(["node-1 lost: 1 Pod", "node-2 ready: 2 Pods, 1 ready"])
    const [before, after] = [beforeNumber - 1, undefined].map((at) => healthByName(fleetHealth(read(at))))
    expect(changedWorkloads(before ?? new Map(), after ?? new Map())).toEqual(["Deployment default/web"])
  })
})
