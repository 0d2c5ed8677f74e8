/** Of the cluster's clock, and of writes to its store. */
export const defaultStoryLimits = { millis: 3_600_000, writes: 100_000 }
