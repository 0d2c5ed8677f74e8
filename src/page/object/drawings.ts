import { svgTreeOf } from "./svgTree.ts"
import type { RecordingHeader } from "../../recording/entry.ts"
import type { SvgTree } from "./svgTree.ts"

const drawn = new Map<string, Promise<SVGSVGElement>>()

/**
 * A chart as it was drawn, as nodes of its own: out of the recording, the document or the server, in this order.
 * Rejects with a sentence where there is none.
 */
export const drawingOf = async (
  chart: string,
  header: RecordingHeader | undefined
): Promise<SVGSVGElement> => {
  const own = header !== undefined && Object.hasOwn(header.charts, chart) ? header.charts[chart] : undefined
  const key = own === undefined ? chart : `${header?.id ?? ""} ${chart}`
  const known =
    drawn.get(key) ?? (own === undefined ? given(chart) : Promise.resolve().then(() => nodesOf(own, chart)))
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
  if (inDocument instanceof SVGSVGElement) return inDocument
  const response = location.protocol.startsWith("http")
    ? await fetch(`/charthouse/charts/${encodeURIComponent(chart)}.svg`).catch(() => undefined)
    : undefined
  if (response?.ok !== true) throw new Error(`No drawing of the chart ${JSON.stringify(chart)} is here.`)
  return nodesOf(await response.text(), chart)
}

const nodesOf = (text: string, chart: string): SVGSVGElement => {
  const tree = svgTreeOrUndefined(text)
  const svg = tree === undefined ? undefined : nodeOf(tree)
  if (!(svg instanceof SVGSVGElement)) throw new Error(`The chart ${JSON.stringify(chart)} cannot be read.`)
  return svg
}

const svgTreeOrUndefined = (text: string): SvgTree | undefined => {
  try {
    return svgTreeOf(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

const nodeOf = ({ name, attributes, inside }: SvgTree): Element => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name)
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value)
  for (const it of inside) element.append(typeof it === "string" ? it : nodeOf(it))
  return element
}
