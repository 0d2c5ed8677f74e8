// A Deployment goes from one version to the next, and there are always enough Pods to answer.
import { openCluster, resources } from "charthouse"
import { expect, podsByVersion, say, theEnd, watchPods, web } from "./story.ts"

await using cluster = await openCluster()
const { seen, beginAnew } = watchPods(cluster)

await cluster.apply(web("1.0"))
await cluster.rollout("web")
say(cluster, "web 1.0 runs with five Pods.")

beginAnew()
await cluster.apply(web("2.0"))
const { outcome, message } = await cluster.rollout("web")
say(cluster, message)
expect("the rollout to complete", outcome === "complete")

// A quarter of five may be missing (rounded down: one), a quarter may be there beside them (rounded up: two).
say(
  cluster,
  `At any time at least ${seen.readyFewest} Pods were ready, and at most ${seen.podsMost} were there.`
)
expect("never fewer than 4 ready Pods", seen.readyFewest >= 4)
expect("never more than 7 Pods", seen.podsMost <= 7)

const versions = await podsByVersion(cluster)
expect("five Pods of 2.0 and no others", versions["2.0"] === 5 && Object.keys(versions).length === 1)

const { items } = await cluster.list(resources.replicaSets)
const sizes = items.map(({ spec }) => spec.replicas).sort((a, b) => a - b)
say(cluster, `Both ReplicaSets are kept, with ${sizes.join(" and ")} Pods, so that there is a way back.`)
expect("an empty ReplicaSet and one of five", sizes.join() === "0,5")
theEnd(cluster)
