import { escapeControls } from "../../kubernetes/meta/text/escapeControls.ts"

export const tableLines = (table: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
  // Escaping changes the widths.
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
