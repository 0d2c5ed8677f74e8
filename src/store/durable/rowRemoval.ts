import type { LoggedChange, SharedRow } from "./changeRetention.ts"

/** The rows that a transaction removes, and the state after its commit. */
interface RowRemoval {
  readonly sequences: ReadonlyArray<number>
  readonly neededCountAfter: ReadonlyMap<SharedRow, number>
  /** Deletions whose rows stay as long as the object's earlier shared row. */
  readonly keptDeletions: ReadonlyArray<LoggedChange>
}

/** A row is removed with the last of its changes. Rows after `storedSequence` are not in the database yet. */
export const planRowRemoval = (unneeded: ReadonlyArray<LoggedChange>, storedSequence: number): RowRemoval => {
  const sequences: Array<number> = []
  const neededCountAfter = new Map<SharedRow, number>()
  const deletions: Array<LoggedChange> = []
  for (const change of unneeded) {
    const { sequence, sharedRow, isDeletion, earlierSharedRow } = change
    if (sequence > storedSequence) continue
    if (sharedRow !== undefined) {
      const neededCount = (neededCountAfter.get(sharedRow) ?? sharedRow.neededCount) - 1
      neededCountAfter.set(sharedRow, neededCount)
      if (neededCount === 0) sequences.push(sequence, ...sharedRow.deletions)
    } else if (isDeletion && earlierSharedRow !== undefined) deletions.push(change)
    else sequences.push(sequence)
  }
  const mustStay = ({ earlierSharedRow: row }: LoggedChange): boolean =>
    row !== undefined && (neededCountAfter.get(row) ?? row.neededCount) > 0
  for (const deletion of deletions) if (!mustStay(deletion)) sequences.push(deletion.sequence)
  return { sequences, neededCountAfter, keptDeletions: deletions.filter(mustStay) }
}

export const noteRemoval = ({ neededCountAfter, keptDeletions }: RowRemoval): void => {
  for (const [row, neededCount] of neededCountAfter) row.neededCount = neededCount
  for (const { earlierSharedRow, sequence } of keptDeletions) earlierSharedRow?.deletions.push(sequence)
}

/** The changes, if there are several, now share the row of the first. */
export const noteSharedRow = (changes: ReadonlyArray<{ readonly logged: LoggedChange }>): void => {
  const [first] = changes
  if (first === undefined || changes.length === 1) return
  const sharedRow: SharedRow = { neededCount: changes.length, deletions: [] }
  for (const { logged } of changes) {
    logged.sequence = first.logged.sequence
    logged.sharedRow = sharedRow
  }
}
