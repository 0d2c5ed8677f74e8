/**
 * Affects only the report and `#page`, which plays the recording in another tab. Marks differ in pattern or dash, for
 * readers who see few colours. Source: Okabe and Ito, "Color Universal Design", the palette of eight.
 */
export const reportStyles = `
#page:empty { display: none; }
#report {
  --new: light-dark(#0072b2, #56b4e9); --old: #e69f00; --gone: light-dark(#9aa3ad, #6d7681);
  --fault: #cc79a7; --bad: light-dark(#b3400f, #ff8a5c); --good: light-dark(#00694c, #3ecf9f);
  max-width: 1040px; width: 100%; margin: 0 auto; padding: 24px 20px; font: 15px/1.5 system-ui, sans-serif;
  .patterns { position: absolute; }
  h1 { font-size: 24px; line-height: 1.25; margin: 0 0 4px; overflow-wrap: anywhere; }
  h2 { font-size: 17px; margin: 32px 0 8px; overflow-wrap: anywhere; }
  p { margin: 4px 0 12px; overflow-wrap: anywhere; }
  footer { color: var(--soft); font-size: 13px; }
  .lead { color: var(--soft); }
  .outcome { font-weight: 600; }
  .passed, .good { color: var(--good); }
  .failed, .unsettled, .bad { color: var(--bad); }
  code, pre, .what { font: 13px/1.5 ui-monospace, "DejaVu Sans Mono", monospace; unicode-bidi: isolate; }
  pre { background: var(--panel); border: 1px solid var(--line); border-radius: 4px; padding: 10px 12px;
    margin: 8px 0 12px; white-space: pre-wrap; overflow-wrap: anywhere; }
  .wide { overflow-x: auto; }
  table { border-collapse: collapse; width: 100%; font-size: 14px; }
  th, td { text-align: left; vertical-align: top; padding: 4px 14px 4px 0; border-bottom: 1px solid var(--line);
    unicode-bidi: isolate; white-space: nowrap; }
  th { font-weight: 600; color: var(--soft); }
  th.what { font: inherit; font-weight: 600; }
  td.number { width: 1%; }
  td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
  td.what { white-space: normal; overflow-wrap: anywhere; min-width: 12em; }
  @media (max-width: 560px) {
    th, td { padding-right: 8px; }
    td:not(.number) { white-space: normal; }
  }
  tr.Warning td { color: var(--bad); }
  figure { margin: 8px 0 16px; }
  figure svg { display: block; min-width: 640px; width: 100%; height: auto; }
  figcaption { display: flex; flex-wrap: wrap; gap: 2px 18px; color: var(--soft); font-size: 13px; margin-top: 4px; }
  figcaption span { display: inline-flex; align-items: center; gap: 6px; }
  figcaption svg { display: inline; min-width: 0; width: 22px; height: 12px; flex: none; }
  dl { display: grid; grid-template-columns: max-content 1fr; gap: 4px 18px; margin: 8px 0; }
  dt { color: var(--soft); }
  dd { margin: 0; overflow-wrap: anywhere; }
  h1.verdict { border-left: 5px solid var(--good); padding-left: 14px; margin-bottom: 12px; }
  .remedy { font-size: 17px; padding-left: 19px; }
  h1.stuck { border-color: var(--bad); }
  h1.risky, h1.unknown { border-color: var(--old); }
  .beside { display: flex; flex-wrap: wrap; gap: 8px 28px; align-items: flex-start; }
  .beside > pre { flex: 1 1 340px; margin: 0; white-space: pre; overflow-x: auto; }
  .beside > div { flex: 1 1 300px; min-width: 0; }
  .diff span { display: block; }
  .added { color: var(--good); background: color-mix(in srgb, var(--good) 12%, transparent); }
  .removed { color: var(--bad); background: color-mix(in srgb, var(--bad) 12%, transparent); }
  .whole { user-select: all; }
  summary { color: var(--soft); cursor: pointer; margin: 8px 0; }
  ul.advice { padding-left: 20px; }
  ul.advice li { margin: 6px 0; }
  svg text { fill: var(--soft); font: 12px system-ui, sans-serif; }
  .axis line { stroke: var(--line); }
  .pods-new { fill: var(--new); fill-opacity: .75; }
  .pods-new-unready { fill: url(#report-new-unready); }
  .new-ground { fill: var(--new); fill-opacity: .16; }
  .new-stripe { stroke: var(--new); stroke-width: 1.6; }
  .pods-old-unready { fill: url(#report-old-unready); }
  .old-line { stroke: var(--old); stroke-width: 1.6; }
  .pods-old { fill: url(#report-old); }
  .old-ground { fill: var(--old); fill-opacity: .35; }
  .old-stripe { fill: var(--old); }
  .pods-stopping { fill: url(#report-stopping); }
  .stopping-ground { fill: var(--gone); fill-opacity: .2; }
  .stopping-dot { fill: var(--gone); }
  .available { fill: none; stroke: var(--ink); stroke-width: 2.5; stroke-linejoin: round; }
  .desired { fill: none; stroke: var(--soft); stroke-width: 1; }
  .floor { stroke: var(--bad); stroke-width: 1.5; stroke-dasharray: 7 4; }
  .ceiling { stroke: var(--fault); stroke-width: 1.5; stroke-dasharray: 2 3; }
  .endpoints { fill: none; stroke: var(--old); stroke-width: 2; stroke-dasharray: 6 3; }
  .answering { fill: none; stroke: var(--new); stroke-width: 2.5; }
  .cut { fill: none; stroke: var(--canvas); stroke-width: 3; }
  .band { fill: var(--fault); fill-opacity: .14; }
  .fault { fill: var(--fault); }
  .fault-text { fill: var(--ink); }
  .mark line { stroke: var(--soft); stroke-dasharray: 1 3; }
  .mark circle { fill: var(--canvas); stroke: var(--ink); }
  .mark text { fill: var(--ink); font-size: 11px; }
  .mark.failed circle { fill: var(--bad); stroke: var(--bad); }
  .mark.failed text { fill: var(--canvas); font-weight: 700; }
  .broken { stroke: var(--bad); stroke-width: 2; fill: var(--bad); }
  .event-Normal { fill: var(--soft); }
  .event-Warning { fill: var(--bad); }
  .spread { stroke: var(--new); stroke-width: 2; }
  .span { stroke: var(--new); stroke-width: 6; }
}
@media print {
  [data-tab="report"] #page { display: none; }
  #report { max-width: none; padding: 0; print-color-adjust: exact; }
  #report figure, #report tr, #report pre { break-inside: avoid; }
  #report h2 { break-after: avoid; }
}
`
