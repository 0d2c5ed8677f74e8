import { parseSvgTree } from "./svgTree.ts"
import type { RecordingHeader } from "../../../recording/entry.ts"
import type { SvgTree } from "./svgTree.ts"

const drawings = new Map<string, Promise<SVGSVGElement>>()

/** The drawing comes from the recording, else from the page, else from the server. */
export const loadDrawing = async (
  chart: string,
  header: RecordingHeader | undefined
): Promise<SVGSVGElement> => {
  const recordedSvg =
    header !== undefined && Object.hasOwn(header.charts, chart) ? header.charts[chart] : undefined
  const key = recordedSvg === undefined ? chart : `${header?.id ?? ""} ${chart}`
  const drawing =
    drawings.get(key) ??
    (recordedSvg === undefined
      ? loadBuiltIn(chart)
      : Promise.resolve().then(() => parseDrawing(recordedSvg, chart)))
  drawings.set(key, drawing)
  try {
    return document.importNode(await drawing, true)
  } catch (error) {
    drawings.delete(key)
    throw error
  }
}

const loadBuiltIn = async (chart: string): Promise<SVGSVGElement> => {
  const template = document.querySelector<HTMLTemplateElement>(`template[data-chart="${CSS.escape(chart)}"]`)
  const embeddedSvg = template?.content.querySelector("svg")
  if (embeddedSvg instanceof SVGSVGElement) return embeddedSvg
  const response = location.protocol.startsWith("http")
    ? await fetch(`/charthouse/charts/${encodeURIComponent(chart)}.svg`).catch(() => undefined)
    : undefined
  if (response?.ok !== true) throw new Error(`There is no drawing of the chart ${JSON.stringify(chart)}.`)
  return parseDrawing(await response.text(), chart)
}

const parseDrawing = (text: string, chart: string): SVGSVGElement => {
  const tree = svgTreeOrUndefined(text)
  const svg = tree === undefined ? undefined : toElement(tree)
  if (!(svg instanceof SVGSVGElement)) throw new Error(`The chart ${JSON.stringify(chart)} cannot be read.`)
  return svg
}

const svgTreeOrUndefined = (text: string): SvgTree | undefined => {
  try {
    return parseSvgTree(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

const toElement = ({ name, attributes, children }: SvgTree): Element => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name)
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value)
  for (const it of children) element.append(typeof it === "string" ? it : toElement(it))
  return element
}
