/** What a write survives once it is answered; README.md describes each level. */
export const durabilityLevels = ["full", "process", "off"] as const

export type DurabilityLevel = (typeof durabilityLevels)[number]
