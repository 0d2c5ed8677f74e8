import { ShownTime } from "../moment/shownTime.tsx"
import type { countsReadout } from "./momentReadout.ts"
import type { TimelineNavigation } from "./timelineNavigation.ts"

interface HeaderProps {
  readonly title: string
  /** Undefined as long as there is no workload. */
  readonly readout: ReturnType<typeof countsReadout> | undefined
  readonly navigation: Pick<TimelineNavigation, "isWholeShown" | "showWhole" | "zoom">
  readonly isLegendOpen: boolean
  readonly toggleLegend: () => void
}

export const TimelineHeader = ({ title, readout, navigation, isLegendOpen, toggleLegend }: HeaderProps) => {
  const { isWholeShown, showWhole, zoom } = navigation
  return (
    <header>
      <h2 title={title}>{title}</h2>
      <p class="readout" data-testid="readout">
        <ShownTime /> {readout !== undefined && <b>{readout.counts}</b>}
        {readout?.revisions.map((text) => (
          <span key={text}>{text}</span>
        ))}
      </p>
      <div class="zoom" role="group" aria-label="Zoom">
        <button type="button" aria-label="Zoom out (-)" disabled={isWholeShown} onClick={() => zoom(2)}>
          −
        </button>
        <button type="button" aria-label="Zoom in (+)" onClick={() => zoom(1 / 2)}>
          +
        </button>
        {!isWholeShown && (
          <button type="button" onClick={showWhole}>
            all of it
          </button>
        )}
        <button type="button" aria-expanded={isLegendOpen} onClick={toggleLegend}>
          Legend
        </button>
      </div>
    </header>
  )
}
