// With the strategy Recreate two versions never run side by side; the price is a time without any.
import { openCluster } from "charthouse"
import { expect, podsByVersion, say, theEnd, watchPods, web } from "./story.ts"

await using cluster = await openCluster()
const { seen, beginAnew } = watchPods(cluster)
const recreate = { replicas: 3, strategy: { type: "Recreate" } }

await cluster.apply(web("1.0", recreate))
await cluster.rollout("web")
say(cluster, "web 1.0 runs with three Pods.")

beginAnew()
await cluster.apply(web("2.0", recreate))
const begun = cluster.now()
const { outcome } = await cluster.rollout("web")
say(cluster, `web 2.0 runs, ${(cluster.now().getTime() - begun.getTime()) / 1000} seconds later.`)
expect("the rollout to complete", outcome === "complete")

say(cluster, `For a while ${seen.readyFewest} Pods were ready, and at no time were there two versions.`)
expect("a time without any ready Pod", seen.readyFewest === 0)
expect("no two versions at once, not even terminating", seen.versionsMost === 1)
expect("never more than 3 Pods", seen.podsMost === 3)
expect("three Pods of 2.0", (await podsByVersion(cluster))["2.0"] === 3)
theEnd(cluster)
