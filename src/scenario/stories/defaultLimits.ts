/** Limits of a story that sets none: time since its beginning, and number of writes. */
export const defaultStoryLimits = { millis: 3_600_000, writes: 100_000 }
