import { median } from "./comparisons.ts"
import { singleLineMeasure } from "./measure.ts"
import { webManifest, openClusterFor } from "./fixtures.ts"
import type { OpenCluster } from "charthouse"
import type { Checkout } from "./checkout.ts"
import type { Measurement } from "./measure.ts"

const pods = 1000
const repetitions = 41

/** The time of a call on a settled cluster, warmed up. */
const medianMillis =
  (call: (cluster: OpenCluster) => Promise<unknown>) =>
  async (checkout: Checkout): Promise<Measurement> => {
    const cluster = await openClusterFor(checkout, pods)
    await cluster.create(webManifest(pods, "v1"))
    await cluster.rollout("web")
    await cluster.advance("1m")
    const millis: Array<number> = []
    for (let time = 0; time < repetitions; time += 1) {
      const startMillis = performance.now()
      const openedCluster = await call(cluster)
      millis.push(performance.now() - startMillis)
      if (openedCluster !== undefined) await (openedCluster as OpenCluster).close()
    }
    await cluster.close()
    return { value: median(millis), unit: "ms", bound: 10, note: "median, warm" }
  }

export const snapshotMeasures = [
  singleLineMeasure(
    "1,000 Pods: a snapshot",
    medianMillis(async (cluster) => void (await cluster.snapshot()))
  ),
  // A fork begins with a snapshot.
  singleLineMeasure(
    "1,000 Pods: a fork",
    medianMillis((cluster) => cluster.fork())
  )
]
