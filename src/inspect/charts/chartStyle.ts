/**
 * A page may override the colours and set the classes `active` and `taken`. `inner`: every second level of groups.
 * `moving`: ends by time alone. `said`: an action. `rim`: inner line of a final state. `head`: of an arrow.
 */
export const chartStyle = `
.charthouse-chart {
  --chart-canvas: #ffffff; --chart-ink: #1f2328; --chart-soft: #59636e; --chart-line: #8c959f;
  --chart-box: #ffffff; --chart-group: #f6f8fa; --chart-group-inner: #eef1f4; --chart-edge: #d1d9e0;
  --chart-signal: #ddf4ff; --chart-signal-line: #54aeff; --chart-said: #8250df;
  --chart-lit: #fff0b3; --chart-lit-line: #9a6700;
  font-family: "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", Arial, "DejaVu Sans", sans-serif;
  font-size: 11px; background: var(--chart-canvas);
}
@media (prefers-color-scheme: dark) {
  .charthouse-chart {
    --chart-canvas: #0d1117; --chart-ink: #e6edf3; --chart-soft: #9198a1; --chart-line: #6e7681;
    --chart-box: #0d1117; --chart-group: #151b23; --chart-group-inner: #1c232c; --chart-edge: #3d444d;
    --chart-signal: #121d2f; --chart-signal-line: #388bfd; --chart-said: #d2a8ff;
    --chart-lit: #3f3000; --chart-lit-line: #e3b341;
  }
}
.charthouse-chart text { fill: var(--chart-ink); }
.charthouse-chart .name { font-size: 13px; font-weight: 600; }
.charthouse-chart .about { fill: var(--chart-soft); }
.charthouse-chart .said { fill: var(--chart-said); }
.charthouse-chart .canvas { fill: var(--chart-canvas); }
.charthouse-chart .box { fill: var(--chart-box); stroke: var(--chart-line); }
.charthouse-chart .group { fill: var(--chart-group); stroke: var(--chart-edge); }
.charthouse-chart .inner { fill: var(--chart-group-inner); }
.charthouse-chart .moving { stroke-dasharray: 5 3; }
.charthouse-chart .rim { fill: none; }
.charthouse-chart .dot { fill: var(--chart-ink); }
.charthouse-chart .signal { fill: var(--chart-signal); stroke: var(--chart-signal-line); }
.charthouse-chart .connector { fill: none; stroke: var(--chart-edge); }
.charthouse-chart .arrow { fill: none; stroke: var(--chart-line); stroke-width: 1.2; }
.charthouse-chart .head { fill: var(--chart-line); }
.charthouse-chart .headings { pointer-events: none; }
.charthouse-chart .headings text { paint-order: stroke; stroke: var(--chart-group); stroke-width: 3px; }
.charthouse-chart .headings .on-inner text { stroke: var(--chart-group-inner); }
.charthouse-chart .active > .shape { fill: var(--chart-lit); stroke: var(--chart-lit-line); stroke-width: 2; }
.charthouse-chart .active > .group { fill: var(--chart-group); }
.charthouse-chart .active > .inner { fill: var(--chart-group-inner); }
.charthouse-chart .taken > .arrow { stroke: var(--chart-lit-line); stroke-width: 2.5; }
.charthouse-chart .taken > .head { fill: var(--chart-lit-line); }
.charthouse-chart .taken > text { font-weight: 600; }
`
