import type { LoggedChange, SharedRow } from "./changeRetention.ts"

/** What a transaction removes, and what is so once it is committed. */
interface RowRemoval {
  readonly sequences: ReadonlyArray<number>
  readonly neededAfter: ReadonlyMap<SharedRow, number>
  /** Deletions whose rows stay as long as the object's earlier shared row. */
  readonly keptDeletions: ReadonlyArray<LoggedChange>
}

/** A row is removed with the last of its changes. Rows after `storedSequence` are not in the database yet. */
export const planRowRemoval = (unneeded: ReadonlyArray<LoggedChange>, storedSequence: number): RowRemoval => {
  const sequences: Array<number> = []
  const neededAfter = new Map<SharedRow, number>()
  const deletions: Array<LoggedChange> = []
  for (const change of unneeded) {
    const { sequence, sharedRow, isDeletion, earlierSharedRow } = change
    if (sequence > storedSequence) continue
    if (sharedRow !== undefined) {
      const needed = (neededAfter.get(sharedRow) ?? sharedRow.needed) - 1
      neededAfter.set(sharedRow, needed)
      if (needed === 0) sequences.push(sequence, ...sharedRow.deletions)
    } else if (isDeletion && earlierSharedRow !== undefined) deletions.push(change)
    else sequences.push(sequence)
  }
  const mustStay = ({ earlierSharedRow: row }: LoggedChange): boolean =>
    row !== undefined && (neededAfter.get(row) ?? row.needed) > 0
  for (const deletion of deletions) if (!mustStay(deletion)) sequences.push(deletion.sequence)
  return { sequences, neededAfter, keptDeletions: deletions.filter(mustStay) }
}

export const noteRemoval = ({ neededAfter, keptDeletions }: RowRemoval): void => {
  for (const [row, needed] of neededAfter) row.needed = needed
  for (const { earlierSharedRow, sequence } of keptDeletions) earlierSharedRow?.deletions.push(sequence)
}

/** The changes, if there are several, now share the row of the first. */
export const noteSharedRow = (changes: ReadonlyArray<{ readonly logged: LoggedChange }>): void => {
  const [first] = changes
  if (first === undefined || changes.length === 1) return
  const sharedRow: SharedRow = { needed: changes.length, deletions: [] }
  for (const { logged } of changes) {
    logged.sequence = first.logged.sequence
    logged.sharedRow = sharedRow
  }
}
