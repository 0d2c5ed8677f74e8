import { stateId } from "./foldChart.ts"
import type { ChartHighlight } from "./foldChart.ts"
import type { StepTransition } from "../../../explain/steps/step.ts"

export const highlightChart = (svg: SVGSVGElement, { chart, states, transitions }: ChartHighlight): void => {
  const active = new Set(states.flatMap((path) => withAncestors(chart, path)))
  for (const group of svg.querySelectorAll("[data-state]")) {
    group.classList.toggle("active", active.has(group.getAttribute("data-state") ?? ""))
  }
  const arrows = new Set(transitions.flatMap((transition) => arrowsOf(svg, chart, transition)))
  for (const arrow of svg.querySelectorAll("[data-transition]")) {
    arrow.classList.toggle("taken", arrows.has(arrow))
  }
}

const withAncestors = (chart: string, path: string): ReadonlyArray<string> => {
  const names = path.split(".")
  return [chart, ...names.map((_, index) => stateId(chart, names.slice(0, index + 1).join(".")))]
}

const arrowsOf = (
  svg: SVGSVGElement,
  chart: string,
  { source, target, guard }: StepTransition
): ReadonlyArray<Element> => {
  const candidates = [
    ...svg.querySelectorAll(`[data-source="${CSS.escape(stateId(chart, source))}"]`)
  ].filter((arrow) => target !== undefined && arrow.getAttribute("data-target") === stateId(chart, target))
  const withGuard = candidates.filter((arrow) => (arrow.getAttribute("data-guard") ?? "") === (guard ?? ""))
  return withGuard.length > 0 ? withGuard : candidates
}

/** The box of the first active state, in screen coordinates. */
export const highlightBox = (svg: SVGSVGElement, { chart, states }: ChartHighlight): DOMRect | undefined => {
  const [firstState] = states
  if (firstState === undefined) return undefined
  return svg
    .querySelector(`[data-state="${CSS.escape(stateId(chart, firstState))}"]`)
    ?.getBoundingClientRect()
}
