import { drawingOf } from "./drawings.ts"
import { light, placeOfLit } from "./chart.ts"
import { useEffect, useRef, useState } from "preact/hooks"
import { useWorld } from "../world.ts"
import { sentenceOf } from "../source/connection.ts"
import type { Lit } from "./chart.ts"

const zooms = [0.4, 0.55, 0.7, 0.85, 1, 1.25]

/** A statechart with what is active lit, brought into sight. */
export const ChartView = ({ lit }: { readonly lit: Lit }) => {
  const { header } = useWorld().history.get()
  const frame = useRef<HTMLDivElement>(null)
  const [drawing, setDrawing] = useState<SVGSVGElement>()
  const [problem, setProblem] = useState<string>()
  const [zoom, setZoom] = useState(2)

  useEffect(() => {
    let isWanted = true
    setDrawing(undefined)
    setProblem(undefined)
    drawingOf(lit.chart, header).then(
      (svg) => isWanted && setDrawing(svg),
      (error: unknown) => isWanted && setProblem(sentenceOf(error))
    )
    return () => {
      isWanted = false
    }
  }, [lit.chart, header])

  useEffect(() => {
    if (drawing !== undefined) frame.current?.replaceChildren(drawing)
  }, [drawing])

  useEffect(() => {
    if (drawing === undefined) return
    const scale = zooms[zoom] ?? 1
    const { width, height } = drawing.viewBox.baseVal
    drawing.setAttribute("width", String(width * scale))
    drawing.setAttribute("height", String(height * scale))
  }, [drawing, zoom])

  useEffect(() => {
    if (drawing === undefined || frame.current === null) return
    light(drawing, lit)
    bringIntoSight(frame.current, placeOfLit(drawing, lit))
  }, [drawing, lit, zoom])

  return (
    <section class="chart" aria-label={`The statechart ${lit.chart}`} data-chart={lit.chart}>
      <p class="lit" data-testid="active">
        {lit.states.map((path) => (
          <code key={path} data-active={path}>
            {path}
          </code>
        ))}
      </p>
      {problem !== undefined && <p class="problem">{problem}</p>}
      <div class="zoom">
        <button type="button" aria-label="Smaller" onClick={() => setZoom(Math.max(0, zoom - 1))}>
          −
        </button>
        <button
          type="button"
          aria-label="Larger"
          onClick={() => setZoom(Math.min(zooms.length - 1, zoom + 1))}
        >
          +
        </button>
      </div>
      <div class="frame" ref={frame} tabIndex={0} />
    </section>
  )
}

/** Scrolls only where what is lit is not in sight already. */
const bringIntoSight = (frame: HTMLElement, place: DOMRect | undefined): void => {
  if (place === undefined) return
  const box = frame.getBoundingClientRect()
  // What lies under a scroll bar is not seen.
  const [right, bottom] = [box.left + frame.clientWidth, box.top + frame.clientHeight]
  const isSeen =
    place.top >= box.top && place.bottom <= bottom && place.left >= box.left && place.right <= right
  if (isSeen) return
  frame.scrollBy({
    top: place.top - box.top - Math.max(16, (box.height - place.height) / 2),
    left: place.left - box.left - Math.max(16, (box.width - place.width) / 2)
  })
}
