import { podLayers } from "./layout/podLayers.ts"
import { layerAttributes, layerLabels } from "./plotView.tsx"
import type { PodLayer } from "./layout/podLayers.ts"
import type { TimelineLayout } from "./layout/timelineLayout.ts"
import type { VNode } from "preact"

interface LegendEntry {
  readonly text: string
  readonly symbol: VNode
  readonly isShown: (layout: TimelineLayout) => boolean
}

const box = { x: 0, y: 1, width: 22, height: 10 }
const isDrawn =
  (name: string) =>
  ({ plots }: TimelineLayout): boolean =>
    plots.some(({ layers, lines }) =>
      [
        ...layers.map(({ layer }) => layer),
        ...lines.flatMap(({ line, path }) => (path === "" ? [] : line))
      ].some((it) => it === name)
    )
const isAlwaysShown = (): boolean => true

const area = (layer: PodLayer): LegendEntry => ({
  text: layerLabels[layer],
  symbol: <rect {...layerAttributes(layer)} {...box} />,
  isShown: isDrawn(layer)
})
const line = (name: string, text: string): LegendEntry => ({
  text,
  symbol: <path class={`line ${name}`} d="M0,6h22" />,
  isShown: isDrawn(name)
})

interface LegendPoint {
  readonly kind: "condition" | "event" | "note"
  readonly isBad: boolean
  readonly path: string
  readonly text: string
}

const point = ({ kind, isBad, path, text }: LegendPoint): LegendEntry => ({
  text,
  symbol: (
    <g class={`markers ${kind}`}>
      <g class="marker" data-bad={isBad} transform="translate(11,6)">
        <path d={path} />
      </g>
    </g>
  ),
  isShown: ({ plots, noteMarkers }) =>
    kind === "note"
      ? noteMarkers.some((it) => it.isBad === isBad)
      : plots.some((plot) =>
          ((kind === "condition" ? plot.conditions : plot.events)?.markers ?? []).some(
            (it) => it.isBad === isBad
          )
        )
})

const circle = "M-2.7,0a2.7,2.7 0 1 0 5.4,0a2.7,2.7 0 1 0 -5.4,0"
const largeCircle = "M-5,0a5,5 0 1 0 10,0a5,5 0 1 0 -10,0"
const diamond = "M0,-6L3.5,0L0,6L-3.5,0Z"
const triangle = "M0,-5L5,4H-5Z"

const legendEntries: ReadonlyArray<LegendEntry> = [
  ...podLayers.map(area),
  line("available", "available"),
  line("desired", "desired"),
  line("floor", "floor"),
  line("ceiling", "ceiling"),
  point({ kind: "condition", isBad: false, path: diamond, text: "a condition changed" }),
  point({ kind: "condition", isBad: true, path: triangle, text: "a condition says no" }),
  point({ kind: "event", isBad: false, path: circle, text: "events" }),
  point({ kind: "event", isBad: true, path: triangle, text: "warnings" }),
  point({ kind: "note", isBad: false, path: largeCircle, text: "a step of the story" }),
  point({ kind: "note", isBad: true, path: triangle, text: "a failure" }),
  {
    text: "a fault",
    symbol: <rect class="band" {...box} />,
    isShown: ({ bands }) => bands.length > 0
  },
  {
    text: "what happens next: available, with other seeds",
    symbol: (
      <g class="future">
        <rect class="seeds" {...box} />
        <path class="line available" d="M0,6h22" />
      </g>
    ),
    isShown: ({ plots }) => plots.some(({ future }) => future !== undefined)
  },
  {
    text: "time that is cut short",
    symbol: (
      <g class="cut">
        <path class="edge" d="M7,11l4,-10M12,11l4,-10" />
      </g>
    ),
    isShown: ({ scale }) => scale.cuts.length > 0
  },
  {
    text: "the moment that is shown",
    symbol: (
      <g class="cursor">
        <line x1="11" x2="11" y1="0" y2="12" />
        <path d="M6,0h10l-5,6z" />
      </g>
    ),
    isShown: isAlwaysShown
  }
]

interface LegendProps {
  readonly layout: TimelineLayout
  readonly isOpen: boolean
}

export const LegendView = ({ layout, isOpen }: LegendProps) => (
  <ul class="legend" aria-label="Legend of the timeline" data-open={isOpen}>
    {legendEntries
      .filter(({ isShown }) => isShown(layout))
      .map(({ text, symbol }) => (
        <li key={text}>
          <svg viewBox="0 0 22 12" width="22" height="12" aria-hidden="true">
            {symbol}
          </svg>
          {text}
        </li>
      ))}
  </ul>
)
