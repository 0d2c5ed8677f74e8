// A Deployment is deleted in the middle of a rollout and created again at once, while its old Pods
// still stop.
import { openCluster, resources } from "charthouse"
import { expect, podsByVersion, say, theEnd, web } from "./story.ts"

await using cluster = await openCluster()
const deployment = { resource: resources.deployments, name: "web" }

await cluster.apply(web("1.0"))
await cluster.rollout("web")
await cluster.apply(web("2.0"))
await cluster.advance("1s")
const first = await cluster.get(deployment)
say(cluster, "web 1.0 runs, and 2.0 is on its way.")

await cluster.delete(deployment)
say(cluster, "The Deployment is deleted, and its ReplicaSets and Pods are nobody's now.")
await cluster.apply(web("2.0"))
const second = await cluster.get(deployment)
say(
  cluster,
  "It is created again under the same name; it is another Deployment, which begins with revision 1."
)
expect("another uid", first.metadata.uid !== second.metadata.uid)

const { outcome, deployment: complete } = await cluster.rollout("web")
say(cluster, "The new Deployment is complete.")
expect("the rollout to complete", outcome === "complete")
expect("five available Pods", complete?.status.availableReplicas === 5)

await cluster.settle()
const versions = await podsByVersion(cluster)
const { items: replicaSets } = await cluster.list(resources.replicaSets)
const { items: pods } = await cluster.list(resources.pods)
say(cluster, `Of the first one nothing is left: ReplicaSets ${replicaSets.length}, Pods ${pods.length}.`)
expect("five Pods of 2.0 and no others", versions["2.0"] === 5 && pods.length === 5)
const owners = replicaSets.map(({ metadata }) => metadata.ownerReferences?.[0]?.uid)
expect("one ReplicaSet, of the second Deployment", owners.join() === second.metadata.uid)
theEnd(cluster)
