import { TakenTransitions } from "./smallChartView.tsx"
import { highlightChart, highlightBox } from "./chartHighlight.ts"
import { useChartFrame } from "./useChartFrame.ts"
import { useDrawing } from "./useDrawing.ts"
import { useEffect, useRef, useState } from "preact/hooks"
import type { ChartHighlight } from "./foldChart.ts"
import type { Step } from "../../../explain/steps/step.ts"

interface ChartProps {
  readonly highlight: ChartHighlight
  readonly step: Step | undefined
}

export const ChartView = ({ highlight, step }: ChartProps) => {
  const frame = useRef<HTMLDivElement>(null)
  const { svg, problem } = useDrawing(highlight.chart)
  const [isFull, setFull] = useState(false)
  const { zoomBy, fit, center, onPointerDown, onWheel, onKeyDown } = useChartFrame(frame, svg)

  useEffect(() => {
    if (svg !== undefined) frame.current?.replaceChildren(svg)
  }, [svg])

  useEffect(() => {
    if (svg === undefined) return
    highlightChart(svg, highlight)
    center(highlightBox(svg, highlight))
  }, [svg, highlight, isFull, center])

  useEffect(() => {
    if (!isFull) return
    document.body.dataset["chart"] = "full"
    frame.current?.focus()
    const close = (event: KeyboardEvent): void => {
      // The palette and the help lie above the chart, and close first.
      if (event.key !== "Escape" || document.querySelector("[role=dialog]") !== null) return
      event.stopPropagation()
      setFull(false)
    }
    window.addEventListener("keydown", close, { capture: true })
    return () => {
      window.removeEventListener("keydown", close, { capture: true })
      delete document.body.dataset["chart"]
    }
  }, [isFull])

  return (
    <section
      class="chart"
      aria-label={`The statechart ${highlight.chart}`}
      data-chart={highlight.chart}
      data-full={isFull}
    >
      <p class="active-states" data-testid="active">
        {highlight.states.map((path) => (
          <code key={path} data-active={path}>
            {path}
          </code>
        ))}
      </p>
      {/* Otherwise the small chart shows them. */}
      {isFull && step !== undefined && <TakenTransitions step={step} />}
      {problem !== undefined && <p class="problem">{problem}</p>}
      <div class="zoom" role="group" aria-label="Zoom of the chart">
        <button type="button" aria-label="Smaller" onClick={() => zoomBy(1 / zoomStep)}>
          −
        </button>
        <button type="button" aria-label="Larger" onClick={() => zoomBy(zoomStep)}>
          +
        </button>
        <button type="button" onClick={fit}>
          Fit
        </button>
        <button type="button" aria-pressed={isFull} onClick={() => setFull(!isFull)}>
          {isFull ? "Close (Escape)" : "Full screen"}
        </button>
      </div>
      <div
        class="frame"
        ref={frame}
        tabIndex={0}
        role="group"
        aria-label="Drawing of the chart: arrow keys move it, + and - zoom, 0 fits it"
        onPointerDown={onPointerDown}
        onWheel={onWheel}
        onKeyDown={onKeyDown}
      />
    </section>
  )
}

const zoomStep = 1.25
