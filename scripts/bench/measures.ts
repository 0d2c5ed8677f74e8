import { clusterMeasures } from "./clusters.ts"
import { compactionMeasures } from "./compaction.ts"
import { crowdedMeasures } from "./crowded.ts"
import { durableMeasures } from "./durable.ts"
import { exploredMeasures } from "./explored.ts"
import { inspectedMeasures } from "./inspected.ts"
import { loadedMeasures } from "./loaded.ts"
import { recordedMeasures } from "./recorded.ts"
import { pageMeasures } from "./page.ts"
import { podMeasures } from "./podCost.ts"
import { servedMeasures } from "./served.ts"
import { schedulerMeasures } from "./scheduler.ts"
import { snapshotMeasures } from "./snapshots.ts"
import { steeredMeasures } from "./steered.ts"
import { steeredRolloutMeasures } from "./steeredRollouts.ts"
import { storyMeasures } from "./stories.ts"
import { workloadMeasures } from "./workloads.ts"
import type { Measure } from "./measure.ts"

/**
 * In the order of the table. The library is loaded only while it is measured: a loaded module takes no time to load.
 */
export const measures: ReadonlyArray<Measure> = [
  ...clusterMeasures,
  ...podMeasures,
  ...schedulerMeasures,
  ...workloadMeasures,
  ...inspectedMeasures,
  ...recordedMeasures,
  ...exploredMeasures,
  ...snapshotMeasures,
  ...storyMeasures,
  ...servedMeasures,
  ...loadedMeasures,
  ...steeredMeasures,
  ...steeredRolloutMeasures,
  ...durableMeasures,
  ...compactionMeasures,
  ...crowdedMeasures,
  ...pageMeasures
]
