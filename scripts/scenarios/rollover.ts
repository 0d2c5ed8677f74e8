// A third version comes while the second is being rolled out: nobody waits for the second to finish.
import { openCluster } from "charthouse"
import { expect, podsByVersion, say, theEnd, watchPods, web } from "./story.ts"

await using cluster = await openCluster()
const { seen, beginAnew } = watchPods(cluster)

await cluster.apply(web("1.0"))
await cluster.rollout("web")
say(cluster, "web 1.0 runs.")

beginAnew()
await cluster.apply(web("2.0"))
await cluster.advance("1s")
const midway = await podsByVersion(cluster)
say(
  cluster,
  `A second into the next rollout there are ${midway["1.0"]} Pods of 1.0 and ${midway["2.0"]} of 2.0.`
)
expect("Pods of both versions", (midway["1.0"] ?? 0) > 0 && (midway["2.0"] ?? 0) > 0)

await cluster.apply(web("3.0"))
say(cluster, "Now 3.0 is applied. The Pods of 2.0 are on their way out before all of them have come.")
await cluster.advance("1s")
const after = await podsByVersion(cluster)
say(
  cluster,
  `A second later there are ${after["1.0"]} of 1.0, ${after["2.0"] ?? 0} of 2.0 and ${after["3.0"]} of 3.0.`
)
expect("fewer Pods of 2.0 than before", (after["2.0"] ?? 0) < (midway["2.0"] ?? 0))

const { outcome } = await cluster.rollout("web")
const versions = await podsByVersion(cluster)
say(cluster, `3.0 is rolled out; at least ${seen.readyFewest} Pods were ready at any time.`)
expect("the rollout to complete", outcome === "complete")
expect("five Pods of 3.0 and no others", versions["3.0"] === 5 && Object.keys(versions).length === 1)
expect("never fewer than 4 ready Pods", seen.readyFewest >= 4)
theEnd(cluster)
