import { markup } from "./markup.ts"
import type { HtmlMarkup } from "./markup.ts"

/** A `number` column is aligned right, a `what` column wraps. */
export const htmlTable = (
  columns: ReadonlyArray<{ readonly title: string; readonly kind?: "number" | "what" }>,
  rows: ReadonlyArray<{ readonly className?: string; readonly cells: ReadonlyArray<string | number> }>
): HtmlMarkup => markup`<div class="wide"><table>
<thead><tr>${columns.map(({ title, kind = "" }) => markup`<th class="${kind}">${title}</th>`)}</tr></thead>
<tbody>${rows.map(
  ({ className = "", cells }) => markup`
<tr class="${className}">${cells.map((cell, index) => markup`<td class="${columns[index]?.kind ?? ""}">${cell}</td>`)}</tr>`
)}
</tbody></table></div>`
