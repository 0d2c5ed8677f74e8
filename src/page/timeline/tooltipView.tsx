import type { TooltipContent } from "./markersView.tsx"

/** In pixels, as in the style sheet. */
const tooltipWidth = 380

/** The tooltip is below the marker, within the drawing's `width`. */
export const TooltipView = ({
  content: { x, y, lines },
  width
}: {
  readonly content: TooltipContent
  readonly width: number
}) => {
  const left = Math.max(0, Math.min(x - 24, width - Math.min(tooltipWidth, width)))
  return (
    <div
      class="tooltip"
      role="tooltip"
      data-testid="tooltip"
      style={{ left: `${left}px`, top: `${y + 14}px` }}
    >
      {lines.map((line, index) => (
        <p key={`${index} ${line}`}>{line}</p>
      ))}
    </div>
  )
}
