import { escapeControls } from "../domain/escapeControls.ts"

/** Rows with their columns below each other, three spaces apart, as kubectl prints tables. */
export const tableLines = (table: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
  // As wide as what is printed of them.
  const rows = table.map((row) => row.map(escapeControls))
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? "").length))
  )
  return rows.map((row) =>
    row
      .map((text, column) => text.padEnd(widths[column] ?? 0))
      .join("   ")
      .trimEnd()
  )
}
