import { loadDrawing } from "./chartDrawings.ts"
import { highlightChart, highlightBox } from "./chartHighlight.ts"
import { useEffect, useRef, useState } from "preact/hooks"
import { usePageState } from "../pageState.ts"
import { errorText } from "../../kubernetes/meta/text/errorText.ts"
import type { ChartHighlight } from "./chartHighlight.ts"

const zoomFactors = [0.4, 0.55, 0.7, 0.85, 1, 1.25]

export const ChartView = ({ highlight }: { readonly highlight: ChartHighlight }) => {
  const { header } = usePageState().history.get()
  const frame = useRef<HTMLDivElement>(null)
  const [drawing, setDrawing] = useState<SVGSVGElement>()
  const [problem, setProblem] = useState<string>()
  const [zoomIndex, setZoomIndex] = useState(2)

  useEffect(() => {
    let isCurrent = true
    setDrawing(undefined)
    setProblem(undefined)
    loadDrawing(highlight.chart, header).then(
      (svg) => isCurrent && setDrawing(svg),
      (error: unknown) => isCurrent && setProblem(errorText(error))
    )
    return () => {
      isCurrent = false
    }
  }, [highlight.chart, header])

  useEffect(() => {
    if (drawing !== undefined) frame.current?.replaceChildren(drawing)
  }, [drawing])

  useEffect(() => {
    if (drawing === undefined) return
    const scale = zoomFactors[zoomIndex] ?? 1
    const { width, height } = drawing.viewBox.baseVal
    drawing.setAttribute("width", String(width * scale))
    drawing.setAttribute("height", String(height * scale))
  }, [drawing, zoomIndex])

  useEffect(() => {
    if (drawing === undefined || frame.current === null) return
    highlightChart(drawing, highlight)
    scrollIntoFrame(frame.current, highlightBox(drawing, highlight))
  }, [drawing, highlight, zoomIndex])

  return (
    <section class="chart" aria-label={`The statechart ${highlight.chart}`} data-chart={highlight.chart}>
      <p class="lit" data-testid="active">
        {highlight.states.map((path) => (
          <code key={path} data-active={path}>
            {path}
          </code>
        ))}
      </p>
      {problem !== undefined && <p class="problem">{problem}</p>}
      <div class="zoom">
        <button type="button" aria-label="Smaller" onClick={() => setZoomIndex(Math.max(0, zoomIndex - 1))}>
          −
        </button>
        <button
          type="button"
          aria-label="Larger"
          onClick={() => setZoomIndex(Math.min(zoomFactors.length - 1, zoomIndex + 1))}
        >
          +
        </button>
      </div>
      <div class="frame" ref={frame} tabIndex={0} />
    </section>
  )
}

const scrollIntoFrame = (frame: HTMLElement, target: DOMRect | undefined): void => {
  if (target === undefined) return
  const box = frame.getBoundingClientRect()
  // Excludes the scroll bars.
  const [right, bottom] = [box.left + frame.clientWidth, box.top + frame.clientHeight]
  const isVisible =
    target.top >= box.top && target.bottom <= bottom && target.left >= box.left && target.right <= right
  if (isVisible) return
  frame.scrollBy({
    top: target.top - box.top - Math.max(16, (box.height - target.height) / 2),
    left: target.left - box.left - Math.max(16, (box.width - target.width) / 2)
  })
}
