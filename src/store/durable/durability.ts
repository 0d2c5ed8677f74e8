/** What a write survives once it is answered: see README.md for each level, word for word. */
export const durabilityLevels = ["full", "process", "off"] as const

export type DurabilityLevel = (typeof durabilityLevels)[number]
