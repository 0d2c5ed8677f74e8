import { layers } from "./stacks.ts"
import { layerLook, layerWords } from "./plotView.tsx"
import type { Layer } from "./stacks.ts"
import type { Picture } from "./picture.ts"
import type { VNode } from "preact"

interface Entry {
  readonly words: string
  readonly sign: VNode
  readonly isThere: (picture: Picture) => boolean
}

const box = { x: 0, y: 1, width: 22, height: 10 }
const has =
  (wanted: string) =>
  ({ plots }: Picture): boolean =>
    plots.some(({ layers, lines }) =>
      [
        ...layers.map(({ layer }) => layer),
        ...lines.flatMap(({ line, path }) => (path === "" ? [] : line))
      ].some((it) => it === wanted)
    )
const always = (): boolean => true

const area = (layer: Layer): Entry => ({
  words: layerWords[layer],
  sign: <rect {...layerLook(layer)} {...box} />,
  isThere: has(layer)
})
const line = (name: string, words: string): Entry => ({
  words,
  sign: <path class={`line ${name}`} d="M0,6h22" />,
  isThere: has(name)
})
const point = (kind: string, isBad: boolean, path: string, words: string): Entry => ({
  words,
  sign: (
    <g class={`signs ${kind}`}>
      <g class="sign" data-bad={isBad} transform="translate(11,6)">
        <path d={path} />
      </g>
    </g>
  ),
  isThere: ({ plots, noteSigns }) =>
    kind === "note"
      ? noteSigns.some((it) => it.isBad === isBad)
      : plots.some((plot) =>
          ((kind === "condition" ? plot.conditions : plot.events)?.signs ?? []).some(
            (it) => it.isBad === isBad
          )
        )
})

const [circle, diamond, triangle] = [
  "M-2.7,0a2.7,2.7 0 1 0 5.4,0a2.7,2.7 0 1 0 -5.4,0",
  "M0,-6L3.5,0L0,6L-3.5,0Z",
  "M0,-5L5,4H-5Z"
]

const entries: ReadonlyArray<Entry> = [
  ...layers.map(area),
  line("available", "available"),
  line("desired", "desired"),
  line("floor", "floor"),
  line("ceiling", "ceiling"),
  point("condition", false, diamond, "a condition changed"),
  point("condition", true, triangle, "a condition says no"),
  point("event", false, circle, "events"),
  point("event", true, triangle, "warnings"),
  point("note", false, "M-5,0a5,5 0 1 0 10,0a5,5 0 1 0 -10,0", "a step of the story"),
  point("note", true, triangle, "a failure"),
  {
    words: "a fault",
    sign: <rect class="band" {...box} />,
    isThere: ({ bands }) => bands.length > 0
  },
  {
    words: "time that is cut short",
    sign: (
      <g class="cut">
        <path class="edge" d="M7,11l4,-10M12,11l4,-10" />
      </g>
    ),
    isThere: ({ scale }) => scale.cuts.length > 0
  },
  {
    words: "the moment that is shown",
    sign: (
      <g class="cursor">
        <line x1="11" x2="11" y1="0" y2="12" />
        <path d="M6,0h10l-5,6z" />
      </g>
    ),
    isThere: always
  }
]

interface LegendProps {
  readonly picture: Picture
  readonly isOpen: boolean
}

/** The signs that a drawing has, in words. On paper it is always there. */
export const LegendView = ({ picture, isOpen }: LegendProps) => (
  <ul class="legend" aria-label="What the timeline's signs mean" data-open={isOpen}>
    {entries
      .filter(({ isThere }) => isThere(picture))
      .map(({ words, sign }) => (
        <li key={words}>
          <svg viewBox="0 0 22 12" width="22" height="12" aria-hidden="true">
            {sign}
          </svg>
          {words}
        </li>
      ))}
  </ul>
)
