import type { Header } from "../../recording/entry.ts"

const drawn = new Map<string, Promise<SVGSVGElement>>()

/**
 * A chart as it was drawn, as nodes of its own: out of the recording, the document or the server, in this order.
 * Rejects with a sentence where there is none.
 */
export const drawingOf = async (chart: string, header: Header | undefined): Promise<SVGSVGElement> => {
  const own = header !== undefined && Object.hasOwn(header.charts, chart) ? header.charts[chart] : undefined
  const key = own === undefined ? chart : `${header?.id ?? ""} ${chart}`
  const known =
    drawn.get(key) ??
    (own === undefined ? given(chart) : Promise.resolve().then(() => cleaned(parsed(own, chart))))
  drawn.set(key, known)
  try {
    return document.importNode(await known, true)
  } catch (error) {
    drawn.delete(key)
    throw error
  }
}

/** A chart of the build: it lies in the document, or on the server that the page came from. */
const given = async (chart: string): Promise<SVGSVGElement> => {
  const template = document.querySelector<HTMLTemplateElement>(`template[data-chart="${CSS.escape(chart)}"]`)
  const inDocument = template?.content.querySelector("svg")
  if (inDocument instanceof SVGSVGElement) return withoutSheet(inDocument)
  const response = location.protocol.startsWith("http")
    ? await fetch(`/charthouse/charts/${encodeURIComponent(chart)}.svg`).catch(() => undefined)
    : undefined
  if (response?.ok !== true) throw new Error(`No drawing of the chart ${JSON.stringify(chart)} is here.`)
  return parsed(await response.text(), chart)
}

const parsed = (text: string, chart: string): SVGSVGElement => {
  // The page's own sheet has the same rules, and its policy lets no other in.
  const plain = text.replaceAll(/<style>[^<]*<\/style>/g, "")
  const { documentElement } = new DOMParser().parseFromString(plain, "image/svg+xml")
  if (!(documentElement instanceof SVGSVGElement)) {
    throw new Error(`The chart ${JSON.stringify(chart)} cannot be read.`)
  }
  return documentElement
}

const withoutSheet = (svg: SVGSVGElement): SVGSVGElement => {
  for (const sheet of svg.querySelectorAll("style")) sheet.remove()
  return svg
}

const elements: ReadonlySet<string> = new Set(
  "svg g path rect line polyline polygon circle ellipse text tspan title desc defs marker".split(" ")
)

/** Nothing that would do something, lead anywhere or fetch anything. */
const attributes: ReadonlySet<string> = new Set(
  (
    "xmlns viewBox role class id d points x y x1 y1 x2 y2 cx cy dx dy r rx ry width height transform " +
    "opacity fill stroke"
  ).split(" ")
)
const attributeFamilies = /^(data|aria|text|font|fill|stroke|marker|dominant)-[a-z-]+$/
const isHarmless = (name: string): boolean => attributes.has(name) || attributeFamilies.test(name)

/** A recording may come from anybody: of a drawing in it only what draws is taken. */
const cleaned = (svg: SVGSVGElement): SVGSVGElement => {
  for (const element of svg.querySelectorAll("*")) {
    if (!elements.has(element.localName)) element.remove()
  }
  for (const element of [svg, ...svg.querySelectorAll("*")]) {
    for (const name of element.getAttributeNames()) {
      const isElsewhere = /url\(\s*['"]?[^#'"\s]/i.test(element.getAttribute(name) ?? "")
      if (!isHarmless(name) || isElsewhere) element.removeAttribute(name)
    }
  }
  return svg
}
