import { markup } from "./markup.ts"
import type { Markup } from "./markup.ts"
import type { Plot } from "./plot.ts"

/** Everything that stands for something in a drawing, by its class, with how it is shown beside its words. */
const shapes = {
  "pods-new": "area",
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

type Sign = keyof typeof shapes

/** What the signs of a drawing mean, each shown beside its words; those without words are left out. */
export const legend = (words: Partial<Readonly<Record<Sign, string | undefined>>>): Markup =>
  markup`<figcaption>${signs.map((sign) => {
    const text = words[sign]
    return text === undefined
      ? undefined
      : markup`<span><svg viewBox="0 0 22 12" aria-hidden="true">${shown(sign)}</svg>${text}</span>`
  })}</figcaption>`

const signs = Object.keys(shapes) as ReadonlyArray<Sign>

const shown = (sign: Sign): Markup => {
  switch (shapes[sign]) {
    case "area":
      return markup`<rect class="${sign}" x="0" y="1" width="22" height="10"/>`
    case "line":
      return markup`<line class="${sign}" x1="0" x2="22" y1="6" y2="6"/>`
    case "point":
      return markup`<path class="${sign}" d="M11,1l6,10h-12z"/>`
  }
}

/** A Deployment's Pods on each other: those of the present template, older ones, and those that are stopping. */
export const podAreas: Plot["areas"] = [
  { className: "pods-new", valueOf: ({ updated = 0 }) => updated },
  { className: "pods-old", valueOf: ({ old = 0 }) => old },
  { className: "pods-stopping", valueOf: ({ terminating = 0 }) => terminating }
]

export const podWords = {
  "pods-new": "Pods of the present template",
  "pods-old": "older Pods",
  "pods-stopping": "stopping",
  available: "available"
} as const

/** What tells old Pods and stopping ones from the others without any colour. */
export const patterns = markup`<svg class="patterns" width="0" height="0" aria-hidden="true"><defs>
<pattern id="report-old" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
<rect class="old-ground" width="7" height="7"/><rect class="old-stripe" width="3" height="7"/></pattern>
<pattern id="report-stopping" width="5" height="5" patternUnits="userSpaceOnUse">
<rect class="stopping-ground" width="5" height="5"/><circle class="stopping-dot" cx="2.5" cy="2.5" r="1.2"/></pattern>
</defs></svg>`
