/** How long a story may last on the cluster's clock, and how often its store may be written. */
export const defaultStoryLimits = { millis: 3_600_000, writes: 100_000 }
