/** What a write survives once it is answered; README.md describes each level. */
export const durabilityLevels = ["full", "process", "off"] as const

export type DurabilityLevel = (typeof durabilityLevels)[number]

/** Commits the changes of a log: soon after each, before an answer, and every second. */
export interface CommitSchedule {
  /** Makes all changes so far durable; throws if the directory cannot be written. */
  readonly commit: () => void
  /** All calls of one turn of the event loop share one commit. */
  readonly commitAtTurnEnd: () => Promise<void>
  /** Plans a commit. */
  readonly changeAdded: () => void
  readonly end: () => void
}
