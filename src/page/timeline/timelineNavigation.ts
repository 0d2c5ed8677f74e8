import { centeredSpan, zoomedSpan } from "./layout/zoom.ts"
import { endMillisWithForecast } from "./layout/timelineLayout.ts"
import { latestMoment } from "../history/moment.ts"
import { momentForKey } from "./timelineKeys.ts"
import { nextMarkedMoment } from "./momentReadout.ts"
import type { ClusterHistory } from "../history/clusterHistory.ts"
import type { Moment, MomentOrLatest } from "../history/moment.ts"
import type { TimelineLayout, TimelineLayoutOptions, ZoomSpan } from "./layout/timelineLayout.ts"
import type { ShowMoment } from "./markersView.tsx"
import type { WorkloadTrack } from "./series/timelineSeries.ts"

/** How the user moves to another moment, and to another part of the time. */
export interface TimelineNavigation {
  readonly isWholeShown: boolean
  readonly showWhole: () => void
  /** Above 1 to zoom out; around the shown moment, unless a time is given. */
  readonly zoom: (factor: number, aroundMillis?: number) => void
  /** Shows the moment that is drawn at a horizontal position of the drawing. */
  readonly goToX: (x: number) => void
  /** Whether the key moves or zooms. */
  readonly handleKey: (event: KeyboardEvent) => boolean
}

interface NavigationOptions extends Pick<TimelineLayoutOptions, "endMillis" | "forecast"> {
  readonly history: ClusterHistory
  readonly layout: TimelineLayout
  /** Those whose Events are stops. */
  readonly tracks: ReadonlyArray<WorkloadTrack>
  readonly shown: { readonly moment: Moment; readonly millis: number }
  readonly showMoment: ShowMoment
  /** Undefined while the whole time is drawn. */
  readonly span: ZoomSpan | undefined
  readonly setSpan: (span: ZoomSpan | undefined) => void
}

export const timelineNavigation = (options: NavigationOptions): TimelineNavigation => {
  const { history, layout, tracks, shown, showMoment, span, setSpan, endMillis, forecast } = options
  const goTo = (moment: MomentOrLatest): void => {
    if (moment === latestMoment || moment >= history.endNumber) return showMoment(latestMoment)
    showMoment(moment)
    const millis = history.millisAt(moment)
    if (span !== undefined && (millis < span.fromMillis || millis > span.toMillis))
      setSpan(centeredSpan(span, millis))
  }
  const zoom = (factor: number, aroundMillis = shown.millis): void => {
    const whole = [history.beginMillis, endMillisWithForecast({ endMillis, forecast })] as const
    setSpan(zoomedSpan({ scale: layout.scale, factor, aroundMillis, whole }))
  }
  return {
    isWholeShown: span === undefined,
    showWhole: () => setSpan(undefined),
    zoom,
    goToX: (x) => {
      if (x >= layout.right - 1 && span === undefined) return goTo(latestMoment)
      // Positions are rounded: half a pixel more includes the change that is pointed at.
      goTo(history.momentAt(layout.scale.millisAt(x + 0.5)))
    },
    handleKey: (event) => {
      const target = momentForKey(event, {
        begin: () => history.beginNumber,
        next: (direction) => history.nextMoment(shown.moment, direction),
        nextMarked: (direction) => nextMarkedMoment(history, tracks, shown.moment, direction)
      })
      if (target !== undefined) goTo(target.moment)
      else if (event.key === "+" || event.key === "=") zoom(1 / 2)
      else if (event.key === "-") zoom(2)
      else if (event.key === "0") setSpan(undefined)
      else return false
      return true
    }
  }
}
