interface Ways {
  readonly begin: () => number
  /** The moment before or after, and the next one before or after at which there is a mark. */
  readonly next: (direction: 1 | -1) => number | undefined
  readonly nextThing: (direction: 1 | -1) => number | undefined
}

/** Where a key moves the moment to, with `moment` undefined for the end; undefined for a key that moves nothing. */
export const movedBy = (
  { key, shiftKey }: Pick<KeyboardEvent, "key" | "shiftKey">,
  { begin, next, nextThing }: Ways
): { readonly moment: number | undefined } | undefined => {
  switch (key) {
    case "ArrowLeft":
      return { moment: (shiftKey ? nextThing(-1) : next(-1)) ?? begin() }
    case "ArrowRight":
      return { moment: shiftKey ? nextThing(1) : next(1) }
    case "PageUp":
      return { moment: nextThing(-1) ?? begin() }
    case "PageDown":
      return { moment: nextThing(1) }
    case "Home":
      return { moment: begin() }
    case "End":
      return { moment: undefined }
    default:
      return undefined
  }
}

/** Arrows go from mark to mark, down to the marks below and up to those above, and at last back to the cursor. */
export const hearSigns = (event: KeyboardEvent, drawing: Element | null): void => {
  const from = event.target instanceof Element ? event.target.closest("[data-sign]") : null
  if (from === null || drawing === null) return
  const row = [...(from.parentElement?.querySelectorAll("[data-sign]") ?? [])]
  const rows = rowsOf(drawing)
  const index = rows.findIndex((it) => it.contains(from))
  if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
    focus(row[row.indexOf(from) + (event.key === "ArrowLeft" ? -1 : 1)])
  } else if (event.key === "ArrowDown") focus(nearestIn(rows[index + 1], from))
  else if (event.key === "ArrowUp") {
    focus(nearestIn(rows[index - 1], from) ?? drawing.querySelector("[role=slider]") ?? undefined)
  } else return
  event.preventDefault()
  event.stopPropagation()
}

/** From the cursor to the mark that is nearest to it in the first row. */
export const enterSigns = (drawing: Element | null): void => {
  const cursor = drawing?.querySelector("[role=slider]")
  if (drawing === null || cursor === null || cursor === undefined) return
  focus(nearestIn(rowsOf(drawing)[0], cursor))
}

const rowsOf = (drawing: Element): ReadonlyArray<Element> => [...drawing.querySelectorAll(".signs")]

const nearestIn = (row: Element | undefined, to: Element): Element | undefined => {
  const middle = (element: Element): number => {
    const { left, width } = element.getBoundingClientRect()
    return left + width / 2
  }
  const x = middle(to)
  const signs = [...(row?.querySelectorAll("[data-sign]") ?? [])]
  const far = signs.map((sign) => Math.abs(middle(sign) - x))
  return signs[far.indexOf(Math.min(...far))]
}

const focus = (element: Element | undefined): void => {
  if (element instanceof SVGElement) element.focus({ preventScroll: true })
}
