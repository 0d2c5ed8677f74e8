// A node falls silent in the middle of a rollout. Its Pods are given up after five minutes and made
// anew elsewhere.
import { openCluster, resources } from "charthouse"
import { expect, podsByVersion, say, theEnd, web } from "./story.ts"

await using cluster = await openCluster({ nodes: 3 })
const podsOn = async (node: string) =>
  (await cluster.list(resources.pods)).items.filter(({ spec }) => spec.nodeName === node)

await cluster.apply(web("1.0", { replicas: 9 }))
await cluster.rollout("web")
say(cluster, "web 1.0 runs with nine Pods on three nodes.")

await cluster.apply(web("2.0", { replicas: 9 }))
await cluster.advance("1s")
await cluster.setKubelet("node-2", "stopped")
say(
  cluster,
  `A second into the rollout node-2 falls silent, with ${(await podsOn("node-2")).length} Pods on it.`
)

await cluster.advance("1m")
const node = await cluster.get({ resource: resources.nodes, name: "node-2" })
const ready = node.status.conditions?.find(({ type }) => type === "Ready")
say(cluster, `A minute later the node's condition Ready is ${ready?.status}: ${ready?.message}`)
expect("the node not to be ready", ready?.status === "Unknown")

const { outcome } = await cluster.rollout("web")
const versions = await podsByVersion(cluster)
say(cluster, "The Pods of node-2 were evicted and made anew on the other nodes, and the rollout is complete.")
expect("the rollout to complete", outcome === "complete")
expect("nine Pods of 2.0 that count", versions["2.0"] === 9 && Object.keys(versions).length === 1)

const left = await podsOn("node-2")
say(
  cluster,
  `On node-2 ${left.length} Pods are still terminating: nobody there can say that they have stopped.`
)
expect(
  "only terminating Pods on node-2",
  left.every(({ metadata }) => metadata.deletionTimestamp !== undefined)
)
expect("some Pods to be stuck there", left.length > 0)

await cluster.setKubelet("node-2", "running")
await cluster.advance("1m")
say(cluster, `node-2 is back, and ${(await podsOn("node-2")).length} Pods are left on it.`)
expect("no Pods to be left on node-2", (await podsOn("node-2")).length === 0)
theEnd(cluster)
