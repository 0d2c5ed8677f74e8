import { manifest, open } from "./worlds.ts"
import type { Measure } from "./measures.ts"
import type { OpenCluster } from "charthouse"

const pods = 1000
const times = 41

const median = (values: ReadonlyArray<number>): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0

/** How long something takes with a cluster whose Pods all run and of which nothing moves, once it has been warmed up. */
const medianMillis =
  (act: (cluster: OpenCluster) => Promise<unknown>): Measure["take"] =>
  async () => {
    const cluster = await open(pods)
    await cluster.create(manifest(pods, "v1"))
    await cluster.rollout("web")
    await cluster.advance("1m")
    const millis: Array<number> = []
    for (let time = 0; time < times; time += 1) {
      const begun = performance.now()
      const made = await act(cluster)
      millis.push(performance.now() - begun)
      if (made !== undefined) await (made as OpenCluster).close()
    }
    await cluster.close()
    return { value: median(millis), unit: "ms", bound: 10, note: "median, warm" }
  }

export const snapshotMeasures: Readonly<Record<string, Measure>> = {
  "1,000 Pods: a snapshot": { take: medianMillis(async (cluster) => void (await cluster.snapshot())) },
  // The snapshot that it begins with included.
  "1,000 Pods: a fork": { take: medianMillis((cluster) => cluster.fork()) }
}
