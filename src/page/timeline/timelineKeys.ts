import { backward, forward, latestMoment } from "../history/moment.ts"
import type { Moment, MomentOrLatest } from "../history/moment.ts"

interface MomentNavigation {
  readonly begin: () => Moment
  readonly next: (direction: 1 | -1) => Moment | undefined
  /** Stops at markers and at both ends of faults. */
  readonly nextMarked: (direction: 1 | -1) => Moment | undefined
}

export const momentForKey = (
  { key, shiftKey }: Pick<KeyboardEvent, "key" | "shiftKey">,
  { begin, next, nextMarked }: MomentNavigation
): { readonly moment: MomentOrLatest } | undefined => {
  switch (key) {
    case "ArrowLeft":
      return { moment: (shiftKey ? nextMarked(backward) : next(backward)) ?? begin() }
    case "ArrowRight":
      return { moment: shiftKey ? nextMarked(forward) : next(forward) }
    case "PageUp":
      return { moment: nextMarked(backward) ?? begin() }
    case "PageDown":
      return { moment: nextMarked(forward) }
    case "Home":
      return { moment: begin() }
    case "End":
      return { moment: latestMoment }
    default:
      return undefined
  }
}

/** Left and right move along a row of markers, up and down between rows and the cursor. */
export const moveBetweenMarkers = (event: KeyboardEvent, drawing: Element | null): void => {
  const origin = event.target instanceof Element ? event.target.closest("[data-marker]") : null
  if (origin === null || drawing === null) return
  const row = [...(origin.parentElement?.querySelectorAll("[data-marker]") ?? [])]
  const rows = markerRows(drawing)
  const index = rows.findIndex((it) => it.contains(origin))
  if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
    focus(row[row.indexOf(origin) + (event.key === "ArrowLeft" ? -1 : 1)])
  } else if (event.key === "ArrowDown") focus(nearestIn(rows[index + 1], origin))
  else if (event.key === "ArrowUp") {
    focus(nearestIn(rows[index - 1], origin) ?? drawing.querySelector("[role=slider]") ?? undefined)
  } else return
  event.preventDefault()
  event.stopPropagation()
}

export const focusNearestMarker = (drawing: Element | null): void => {
  const cursor = drawing?.querySelector("[role=slider]")
  if (drawing === null || cursor === null || cursor === undefined) return
  focus(nearestIn(markerRows(drawing)[0], cursor))
}

const markerRows = (drawing: Element): ReadonlyArray<Element> => [...drawing.querySelectorAll(".markers")]

const nearestIn = (row: Element | undefined, to: Element): Element | undefined => {
  const middle = (element: Element): number => {
    const { left, width } = element.getBoundingClientRect()
    return left + width / 2
  }
  const x = middle(to)
  const markers = [...(row?.querySelectorAll("[data-marker]") ?? [])]
  const distances = markers.map((marker) => Math.abs(middle(marker) - x))
  return markers[distances.indexOf(Math.min(...distances))]
}

const focus = (element: Element | undefined): void => {
  if (element instanceof SVGElement) element.focus({ preventScroll: true })
}
