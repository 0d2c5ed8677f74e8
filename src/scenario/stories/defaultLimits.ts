export const defaultStoryLimits = { millis: 3_600_000, writes: 100_000 }
