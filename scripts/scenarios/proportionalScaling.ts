// A Deployment grows while its rollout is stuck: both ReplicaSets grow, each by its share.
// The numbers are those of the Kubernetes documentation, "Proportional scaling".
import { openCluster, resources } from "charthouse"
import { expect, podsByVersion, say, theEnd, web } from "./story.ts"

await using cluster = await openCluster({
  behaviours: [{ name: "missing-image", match: { image: "*:broken" }, pull: { failures: "forever" } }]
})
const deployment = { resource: resources.deployments, name: "web" }
const shape = { replicas: 10, strategy: { rollingUpdate: { maxSurge: 3, maxUnavailable: 2 } } }

await cluster.apply(web("1.0", shape))
await cluster.rollout("web")
say(cluster, "web 1.0 runs with ten Pods.")

await cluster.apply(web("broken", shape))
await cluster.advance("30s")
const stuck = await podsByVersion(cluster)
say(
  cluster,
  `The next image cannot be pulled: ${stuck["1.0"]} old Pods are kept beside ${stuck["broken"]} new ones.`
)
expect("8 old and 5 new Pods", stuck["1.0"] === 8 && stuck["broken"] === 5)

await cluster.patch(deployment, { spec: { replicas: 15 } })
await cluster.advance("30s")
const grown = await podsByVersion(cluster)
say(cluster, `Scaled to fifteen, there are ${grown["1.0"]} old Pods and ${grown["broken"]} new ones.`)
expect(
  "3 of the 5 to be added to the old ReplicaSet, and 2 to the new",
  grown["1.0"] === 11 && grown["broken"] === 7
)

await cluster.apply(web("1.1", { ...shape, replicas: 15 }))
const { outcome } = await cluster.rollout("web")
const versions = await podsByVersion(cluster)
say(cluster, "A version that can be pulled is applied, and the rollout goes through.")
expect("the rollout to complete", outcome === "complete")
expect("fifteen Pods of 1.1 and no others", versions["1.1"] === 15 && Object.keys(versions).length === 1)
theEnd(cluster)
