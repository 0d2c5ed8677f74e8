import { markup } from "./markup.ts"
import type { HtmlMarkup } from "./markup.ts"
import type { PodPlot } from "./plot.ts"

/** The shape of each mark in the legend, by CSS class. */
const shapes = {
  "pods-new": "area",
  "pods-new-unready": "area",
  "pods-old-unready": "area",
  "pods-old": "area",
  "pods-stopping": "area",
  available: "line",
  desired: "line",
  floor: "line",
  ceiling: "line",
  answering: "line",
  endpoints: "line",
  fault: "area",
  broken: "line",
  "event-Warning": "point"
} as const

type LegendMark = keyof typeof shapes

/** A mark that the drawing does not have needs no text. */
export type LegendTexts = Partial<Readonly<Record<LegendMark, string | undefined>>>

export const legend = (texts: LegendTexts): HtmlMarkup =>
  markup`<figcaption>${legendMarks.map((mark) => {
    const text = texts[mark]
    return text === undefined
      ? undefined
      : markup`<span><svg viewBox="0 0 22 12" aria-hidden="true">${markDrawing(mark)}</svg>${text}</span>`
  })}</figcaption>`

const legendMarks = Object.keys(shapes) as ReadonlyArray<LegendMark>

const markDrawing = (mark: LegendMark): HtmlMarkup => {
  switch (shapes[mark]) {
    case "area":
      return markup`<rect class="${mark}" x="0" y="1" width="22" height="10"/>`
    case "line":
      return markup`<line class="${mark}" x1="0" x2="22" y1="6" y2="6"/>`
    case "point":
      return markup`<path class="${mark}" d="M11,1l6,10h-12z"/>`
  }
}

const oldReady = ({ ready = 0, updatedReady = 0 }: PodPlot["points"][number]): number => ready - updatedReady

/** Stacked in this order: unready Pods in the middle, as in the page's timeline. */
export const podAreas: PodPlot["areas"] = [
  { className: "pods-new", valueOf: ({ updatedReady = 0 }) => updatedReady },
  { className: "pods-new-unready", valueOf: ({ updated = 0, updatedReady = 0 }) => updated - updatedReady },
  { className: "pods-old-unready", valueOf: (row) => (row["old"] ?? 0) - oldReady(row) },
  { className: "pods-old", valueOf: oldReady },
  { className: "pods-stopping", valueOf: ({ terminating = 0 }) => terminating }
]

export const podAreaTexts = {
  "pods-new": "new, ready",
  "pods-new-unready": "new, not ready",
  "pods-old-unready": "old, not ready",
  "pods-old": "old, ready",
  "pods-stopping": "stopping",
  available: "available"
} as const

export const patternDefinitions = markup`<svg class="patterns" width="0" height="0" aria-hidden="true"><defs>
<pattern id="report-old" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
<rect class="old-ground" width="7" height="7"/><rect class="old-stripe" width="3" height="7"/></pattern>
<pattern id="report-new-unready" width="6" height="6" patternUnits="userSpaceOnUse">
<rect class="new-ground" width="6" height="6"/><path class="new-stripe" d="M0,5h6"/></pattern>
<pattern id="report-old-unready" width="6" height="6" patternUnits="userSpaceOnUse">
<rect class="old-ground" width="6" height="6"/><path class="old-line" d="M0,5h6"/></pattern>
<pattern id="report-stopping" width="5" height="5" patternUnits="userSpaceOnUse">
<rect class="stopping-ground" width="5" height="5"/><circle class="stopping-dot" cx="2.5" cy="2.5" r="1.2"/></pattern>
</defs></svg>`
