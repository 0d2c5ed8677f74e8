/** What ends a story that says nothing of it: so much time since it began, or so many writes. */
export const limitDefaults = { millis: 3_600_000, writes: 100_000 }
