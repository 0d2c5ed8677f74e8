import { clusterMeasures } from "./clusters.ts"
import { crowdedMeasures } from "./crowded.ts"
import { exploredMeasures } from "./explored.ts"
import { inspectedMeasures } from "./inspected.ts"
import { loadedMeasures } from "./loaded.ts"
import { recordedMeasures } from "./recorded.ts"
import { pageMeasures } from "./page.ts"
import { podMeasures } from "./podCost.ts"
import { servedMeasures } from "./served.ts"
import { snapshotMeasures } from "./snapshots.ts"
import { storyMeasures } from "./stories.ts"
import type { Measure } from "./measure.ts"

/**
 * Everything that is measured, in the order of the table. These modules load the library of the checkout, and packages
 * that it loads as well, only while they measure: what is loaded already would be loaded in no time.
 */
export const measures: ReadonlyArray<Measure> = [
  ...clusterMeasures,
  ...podMeasures,
  ...inspectedMeasures,
  ...recordedMeasures,
  ...exploredMeasures,
  ...snapshotMeasures,
  ...storyMeasures,
  ...servedMeasures,
  ...loadedMeasures,
  ...crowdedMeasures,
  ...pageMeasures
]
