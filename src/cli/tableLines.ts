/** Rows with their columns below each other, three spaces apart, as kubectl prints tables. */
export const tableLines = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
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

export const linesText = (lines: ReadonlyArray<string>): string => lines.map((line) => `${line}\n`).join("")
