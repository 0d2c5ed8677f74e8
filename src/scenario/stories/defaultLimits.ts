/** The time by the cluster's clock, and the writes to its store. */
export const defaultStoryLimits = { millis: 3_600_000, writes: 100_000 }
