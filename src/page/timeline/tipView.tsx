import type { Told } from "./signsView.tsx"

const tipWidth = 380

/** What a mark is, beside it. Whoever hears the page is told the same by the mark itself. */
export const TipView = ({
  told: { x, y, lines },
  width
}: {
  readonly told: Told
  readonly width: number
}) => {
  const left = Math.max(0, Math.min(x - 24, width - Math.min(tipWidth, width)))
  return (
    <div class="tip" role="tooltip" data-testid="tip" style={{ left: `${left}px`, top: `${y + 14}px` }}>
      {lines.map((line, index) => (
        <p key={`${index} ${line}`}>{line}</p>
      ))}
    </div>
  )
}
