import { describe, expect, it } from "vitest"
import { makeClusterStory } from "../../../src/page/story/clusterStory.ts"
import { openCluster } from "../../../src/cluster/openCluster.ts"
import { parseRecording } from "../../../src/page/source/pageSource.ts"
import type { ClusterHistory } from "../../../src/page/history/clusterHistory.ts"

const web = (version: string, spec: object = {}) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "default" },
  spec: {
    replicas: 4,
    selector: { matchLabels: { app: "web" } },
    template: {
      metadata: { labels: { app: "web" } },
      spec: { containers: [{ name: "app", image: `registry.example/web:${version}` }] }
    },
    ...spec
  }
})

const historyOf = (text: string): ClusterHistory => {
  const opened = parseRecording(text)
  if (!("history" in opened)) throw new Error("the recording cannot be opened")
  return opened.history
}

const sentencesOf = (history: ClusterHistory): ReadonlyArray<string> => {
  const story = makeClusterStory(history, history.series.tracks())
  while (!story.readSlice(1)) continue
  return story.sentences().map(({ text }) => text)
}

describe("the story of a recording", () => {
  it("tells what was asked for, what came of it, and for how long", async () => {
    await using cluster = await openCluster({ record: true, nodes: 2 })
    await cluster.apply(web("1"))
    await cluster.advance("1m")
    await cluster.fault({
      fault: "pullFails",
      image: "registry.example/web:broken",
      error: "manifest unknown"
    })
    await cluster.apply(web("broken"))
    await cluster.advance("11m")
    await cluster.apply(web("1"))
    await cluster.advance("1m")
    const lost = await cluster.fault({ fault: "nodeLost", node: "node-2" })
    await cluster.advance("1m")
    await lost.end()
    await cluster.advance("1m")
    const history = historyOf(await cluster.recording())
    expect(sentencesOf(history)).toMatchInlineSnapshot(`
      [
        "it was created with 4 Pods of registry.example/web:1",
        "complete: 4 of 4 available after 1.6s",
        "images registry.example/web:broken cannot be pulled: manifest unknown",
        "its image changed from registry.example/web:1 to registry.example/web:broken",
        "blocked: 2 Pods cannot pull registry.example/web:broken",
        "its progress deadline passed: nothing is rolled back by itself",
        "its image went back to registry.example/web:1",
        "complete: 4 of 4 available after 1.4s",
        "node-2 is lost",
        "below its floor of 3 for 10s: 2 of 4 available at the fewest",
        "degraded: node-2 is lost, with 2 Pods",
        "over after 1m: node-2 is lost",
        "complete: 4 of 4 available after 10s",
      ]
    `)
  })

  it("does not say of a steered rollout that nothing is rolled back", async () => {
    await using cluster = await openCluster({ seed: 3, record: true })
    const annotations = { "charthouse.dev/strategy": "automaticRollback: { cannotStart: 20m }" }
    const steered = (version: string) => ({
      ...web(version),
      metadata: { name: "web", namespace: "default", annotations }
    })
    await cluster.apply(steered("1"))
    await cluster.rollout("web")
    await cluster.fault({ fault: "pullFails", image: "registry.example/web:broken" })
    await cluster.apply(steered("broken"))
    await cluster.advance("12m")
    const sentences = sentencesOf(historyOf(await cluster.recording()))
    expect(sentences.filter((text) => text.includes("deadline"))).toEqual(["its progress deadline passed"])
  })
})
