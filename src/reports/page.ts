import { markup, written } from "./markup.ts"
import type { Markup } from "./markup.ts"

/** A whole page in one file: nothing is fetched, nothing runs, and it can be read when printed. */
export const page = (options: {
  readonly title: string
  readonly version: string
  readonly body: ReadonlyArray<Markup>
}): string => {
  const { title, version, body } = options
  return written(markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="generator" content="charthouse ${version}">
<title>${title}</title>
${style}
</head>
<body>
${patterns}
<main>
${body}
</main>
<footer>charthouse ${version}. All times are virtual; the same seed gives the same page.</footer>
</body>
</html>
`)
}

/**
 * Colours that people who see few colours can tell apart, each with a pattern or a dash of its own beside it.
 *
 * Source: Okabe and Ito, "Color Universal Design", the palette of eight.
 */
const style = markup`<style>
:root {
  --paper: #fff; --ink: #1b1f24; --dim: #59636e; --rule: #d5dae0; --panel: #f6f8fa;
  --new: #0072b2; --old: #e69f00; --stopping: #9aa3ad; --fault: #cc79a7; --bad: #b3400f; --good: #00694c;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14171c; --ink: #e6e9ed; --dim: #9ba5b0; --rule: #3a424c; --panel: #1d2229;
    --new: #56b4e9; --old: #e69f00; --stopping: #6d7681; --fault: #cc79a7; --bad: #ff8a5c; --good: #3ecf9f;
  }
}
@media print {
  :root {
    --paper: #fff; --ink: #000; --dim: #444; --rule: #bbb; --panel: #fff;
    --new: #0072b2; --old: #e69f00; --stopping: #9aa3ad; --fault: #cc79a7; --bad: #b3400f; --good: #00694c;
  }
  * { print-color-adjust: exact; }
  figure, tr, pre { break-inside: avoid; }
  h2 { break-after: avoid; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 1040px; margin: 0 auto; padding: 24px 20px 8px; }
footer { max-width: 1040px; margin: 0 auto; padding: 8px 20px 24px; color: var(--dim); font-size: 13px; }
h1 { font-size: 24px; line-height: 1.25; margin: 0 0 4px; overflow-wrap: anywhere; }
h2 { font-size: 17px; margin: 32px 0 8px; overflow-wrap: anywhere; }
p { margin: 4px 0 12px; overflow-wrap: anywhere; }
.lead { color: var(--dim); }
.outcome { font-weight: 600; }
.passed, .good { color: var(--good); }
.failed, .unsettled, .bad { color: var(--bad); }
code, pre, .what { font: 13px/1.5 ui-monospace, "DejaVu Sans Mono", monospace; unicode-bidi: isolate; }
pre { background: var(--panel); border: 1px solid var(--rule); border-radius: 4px; padding: 10px 12px;
  margin: 8px 0 12px; white-space: pre-wrap; overflow-wrap: anywhere; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 14px; }
th, td { text-align: left; vertical-align: top; padding: 4px 14px 4px 0; border-bottom: 1px solid var(--rule);
  unicode-bidi: isolate; white-space: nowrap; }
th { font-weight: 600; color: var(--dim); white-space: nowrap; }
th.what { font: inherit; font-weight: 600; }
td.number { width: 1%; }
td.number, th.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
td.what { white-space: normal; overflow-wrap: anywhere; min-width: 12em; }
tr.Warning td { color: var(--bad); }
figure { margin: 8px 0 16px; }
figure svg { display: block; min-width: 640px; width: 100%; height: auto; }
figcaption { display: flex; flex-wrap: wrap; gap: 2px 18px; color: var(--dim); font-size: 13px; margin-top: 4px; }
figcaption span { display: inline-flex; align-items: center; gap: 6px; }
figcaption svg { display: inline; min-width: 0; width: 22px; height: 12px; flex: none; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 4px 18px; margin: 8px 0; }
dt { color: var(--dim); }
dd { margin: 0; overflow-wrap: anywhere; }
ul.advice { padding-left: 20px; }
ul.advice li { margin: 6px 0; }
svg text { fill: var(--dim); font: 12px system-ui, sans-serif; }
svg .axis line { stroke: var(--rule); }
svg .pods-new { fill: var(--new); fill-opacity: .75; }
svg .pods-old { fill: url(#old); }
svg .pods-stopping { fill: url(#stopping); }
svg .available { fill: none; stroke: var(--ink); stroke-width: 2.5; stroke-linejoin: round; }
svg .desired { fill: none; stroke: var(--dim); stroke-width: 1; }
svg .floor { stroke: var(--bad); stroke-width: 1.5; stroke-dasharray: 7 4; }
svg .ceiling { stroke: var(--fault); stroke-width: 1.5; stroke-dasharray: 2 3; }
svg .endpoints { fill: none; stroke: var(--old); stroke-width: 2; stroke-dasharray: 6 3; }
svg .answering { fill: none; stroke: var(--new); stroke-width: 2.5; }
svg .cut { fill: none; stroke: var(--paper); stroke-width: 3; }
svg .band { fill: var(--fault); fill-opacity: .14; }
svg .fault { fill: var(--fault); }
svg .fault-text { fill: var(--ink); }
svg .step line { stroke: var(--dim); stroke-dasharray: 1 3; }
svg .step circle { fill: var(--paper); stroke: var(--ink); }
svg .step text { fill: var(--ink); font-size: 11px; }
svg .step.failed circle { fill: var(--bad); stroke: var(--bad); }
svg .step.failed text { fill: var(--paper); font-weight: 700; }
svg .broken { stroke: var(--bad); stroke-width: 2; fill: var(--bad); }
svg .event-Normal { fill: var(--dim); }
svg .event-Warning { fill: var(--bad); }
svg .spread { stroke: var(--new); stroke-width: 2; }
svg .span { stroke: var(--new); stroke-width: 6; }
svg .deadline { stroke: var(--bad); stroke-width: 1.5; stroke-dasharray: 7 4; }
</style>`

/** What tells old Pods and stopping ones from the others without any colour. */
const patterns = markup`<svg width="0" height="0" style="position:absolute" aria-hidden="true"><defs>
<pattern id="old" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
<rect width="7" height="7" style="fill:var(--old);fill-opacity:.35"/><rect width="3" height="7" style="fill:var(--old)"/></pattern>
<pattern id="stopping" width="5" height="5" patternUnits="userSpaceOnUse">
<rect width="5" height="5" style="fill:var(--stopping);fill-opacity:.2"/><circle cx="2.5" cy="2.5" r="1.2" style="fill:var(--stopping)"/></pattern>
</defs></svg>`

/** What the signs of a drawing mean, each shown beside its words. */
export const legend = (signs: ReadonlyArray<LegendSign>): Markup =>
  markup`<figcaption>${signs.map(
    ({ className, shape, text }) =>
      markup`<span><svg viewBox="0 0 22 12" aria-hidden="true">${signOf(className, shape)}</svg>${text}</span>`
  )}</figcaption>`

interface LegendSign {
  readonly className: string
  readonly shape: "area" | "line" | "point"
  readonly text: string
}

const signOf = (className: string, shape: LegendSign["shape"]): Markup => {
  if (shape === "area") return markup`<rect class="${className}" x="0" y="1" width="22" height="10"/>`
  if (shape === "line") return markup`<line class="${className}" x1="0" x2="22" y1="6" y2="6"/>`
  return markup`<path class="${className}" d="M11,1l6,10h-12z"/>`
}

/** A table that can be wider than the page; columns of numbers stand to the right. */
export const table = (
  columns: ReadonlyArray<{ readonly title: string; readonly kind?: "number" | "what" }>,
  rows: ReadonlyArray<{ readonly className?: string; readonly cells: ReadonlyArray<string | number> }>
): Markup => markup`<div class="wide"><table>
<thead><tr>${columns.map(({ title, kind = "" }) => markup`<th class="${kind}">${title}</th>`)}</tr></thead>
<tbody>${rows.map(
  ({ className = "", cells }) => markup`
<tr class="${className}">${cells.map((cell, index) => markup`<td class="${columns[index]?.kind ?? ""}">${cell}</td>`)}</tr>`
)}
</tbody></table></div>`
