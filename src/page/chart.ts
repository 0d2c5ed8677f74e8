import type { TakenTransition } from "../inspect/why/step.ts"

/** What of a chart is lit. */
export interface Lit {
  readonly chart: string
  readonly states: ReadonlyArray<string>
  readonly taken: ReadonlyArray<TakenTransition>
}

const drawn = new Map<string, Promise<SVGSVGElement>>()

/** A chart as the build has drawn it, as nodes of its own. Rejects with a sentence where there is none. */
export const drawingOf = async (chart: string): Promise<SVGSVGElement> => {
  const known = drawn.get(chart) ?? load(chart)
  drawn.set(chart, known)
  try {
    return document.importNode(await known, true)
  } catch (error) {
    drawn.delete(chart)
    throw error
  }
}

const load = async (chart: string): Promise<SVGSVGElement> => {
  const response = await fetch(`/charthouse/charts/${encodeURIComponent(chart)}.svg`)
  if (!response.ok) throw new Error(`No drawing of the chart ${JSON.stringify(chart)} is here.`)
  // The page's own sheet has the same rules, and lets no other in.
  const text = (await response.text()).replace(/<style>[^<]*<\/style>/, "")
  const parsed = new DOMParser().parseFromString(text, "image/svg+xml")
  const root = parsed.documentElement
  if (!(root instanceof SVGSVGElement)) throw new Error(`The chart ${JSON.stringify(chart)} cannot be read.`)
  return root
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
  { source, target, guard }: TakenTransition
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
