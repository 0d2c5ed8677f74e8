// A rollout is paused when the first Pods of the new version are there; they are watched, and then it
// goes on.
import { openCluster, resources } from "charthouse"
import { expect, podsByVersion, say, theEnd, web } from "./story.ts"

await using cluster = await openCluster({ seed: 7 })
const deployment = { resource: resources.deployments, name: "web" }
const careful = { replicas: 8, strategy: { rollingUpdate: { maxSurge: 2, maxUnavailable: 0 } } }

await cluster.apply(web("1.0", careful))
await cluster.rollout("web")
say(cluster, "web 1.0 runs with eight Pods.")

await cluster.apply(web("2.0", careful))
await cluster.patch(deployment, { spec: { paused: true } })
await cluster.settle()
const canary = await podsByVersion(cluster)
say(
  cluster,
  `2.0 is applied and paused: ${canary["2.0"]} canaries of it run beside ${canary["1.0"]} Pods of 1.0.`
)
expect("eight Pods of 1.0 and two of 2.0", canary["1.0"] === 8 && canary["2.0"] === 2)

await cluster.advance("1h")
const later = await podsByVersion(cluster)
say(cluster, "An hour later nothing has moved, and no deadline has been missed.")
expect("the same Pods as an hour ago", later["1.0"] === 8 && later["2.0"] === 2)
const { status } = await cluster.get(deployment)
const progressing = status.conditions?.find(({ type }) => type === "Progressing")
expect("the condition to say that it is paused", progressing?.reason === "DeploymentPaused")

await cluster.patch(deployment, { spec: { paused: false } })
const { outcome } = await cluster.rollout("web")
const versions = await podsByVersion(cluster)
say(cluster, "Resumed for good, 2.0 is rolled out.")
expect("the rollout to complete", outcome === "complete")
expect("eight Pods of 2.0 and no others", versions["2.0"] === 8 && Object.keys(versions).length === 1)
theEnd(cluster)
