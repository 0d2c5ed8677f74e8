import type { StepTransition } from "../../explain/steps/step.ts"

/** What of a chart is lit. */
export interface Lit {
  readonly chart: string
  readonly states: ReadonlyArray<string>
  readonly taken: ReadonlyArray<StepTransition>
}

/** Lights the states that are active, with those around them, and the arrows that were taken last. */
export const light = (svg: SVGSVGElement, { chart, states, taken }: Lit): void => {
  const active = new Set(states.flatMap((path) => around(chart, path)))
  for (const group of svg.querySelectorAll("[data-state]")) {
    group.classList.toggle("active", active.has(group.getAttribute("data-state") ?? ""))
  }
  const arrows = new Set(taken.flatMap((transition) => arrowsOf(svg, chart, transition)))
  for (const arrow of svg.querySelectorAll("[data-transition]")) {
    arrow.classList.toggle("taken", arrows.has(arrow))
  }
}

const idOf = (chart: string, path: string): string => (path === "" ? chart : `${chart}.${path}`)

const around = (chart: string, path: string): ReadonlyArray<string> => {
  const names = path.split(".")
  return [chart, ...names.map((_, index) => idOf(chart, names.slice(0, index + 1).join(".")))]
}

const arrowsOf = (
  svg: SVGSVGElement,
  chart: string,
  { source, target, guard }: StepTransition
): ReadonlyArray<Element> => {
  const goes = [...svg.querySelectorAll(`[data-source="${CSS.escape(idOf(chart, source))}"]`)].filter(
    (arrow) => target !== undefined && arrow.getAttribute("data-target") === idOf(chart, target)
  )
  const guarded = goes.filter((arrow) => (arrow.getAttribute("data-guard") ?? "") === (guard ?? ""))
  return guarded.length > 0 ? guarded : goes
}

/** Where the first of the active states that hold no other is drawn. */
export const placeOfLit = (svg: SVGSVGElement, { chart, states }: Lit): DOMRect | undefined => {
  const [first] = states
  if (first === undefined) return undefined
  return svg.querySelector(`[data-state="${CSS.escape(idOf(chart, first))}"]`)?.getBoundingClientRect()
}
