import { parser as parserOf } from "sax"

/** An element of a drawing, with nothing in it but what draws. */
export interface SvgTree {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly inside: ReadonlyArray<SvgTree | string>
}

const elements: ReadonlySet<string> = new Set("svg g title rect circle path text".split(" "))

/** None of them runs a script, leads anywhere or fetches anything, whatever its value. */
const attributes: ReadonlySet<string> = new Set(
  (
    "class role aria-label viewBox x y width height cx cy r rx d text-anchor " +
    "data-state data-signal data-transition data-source data-target data-event data-guard"
  ).split(" ")
)

/** Views and browsers go through a tree by recursion. */
const depthMax = 1000

/** Of entities only XML's own five. The published types do not know `strictEntities`. */
const options = { position: false, strictEntities: true }

interface OpenElement {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly inside: Array<SvgTree | string>
}

/**
 * Reads the text of a drawing. A recording may come from a stranger, and some browsers act on handlers while they parse
 * a document that is never shown, so that no parser of the browser is given the text. Of the tree only the elements and
 * attributes remain that `src/inspect/charts/svg.ts` draws with; any other element goes with all that is inside.
 *
 * Throws a `SyntaxError` where the text is not one SVG element in well-formed XML, or declares a document type, which
 * could define entities.
 */
export const svgTreeOf = (text: string): SvgTree => {
  const parser = parserOf(true, options)
  const open: Array<OpenElement> = []
  let root: SvgTree | undefined
  /** How many elements are open inside one that is left out, itself counted. */
  let leftOut = 0

  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a sax parser is no event target
  parser.onerror = (error) => {
    throw new SyntaxError(error.message.split("\n")[0])
  }
  parser.ondoctype = () => {
    throw new SyntaxError("A drawing declares no document type.")
  }
  parser.onopentag = (tag) => {
    if (open.length === 0 && root !== undefined) throw new SyntaxError("A drawing is one element.")
    if (open.length + leftOut >= depthMax) throw new SyntaxError("The elements are nested too deeply.")
    if (open.length === 0 && tag.name !== "svg") throw new SyntaxError("A drawing is an SVG element.")
    if (leftOut > 0 || !elements.has(tag.name)) {
      leftOut += 1
      return
    }
    const element = { name: tag.name, attributes: drawingOnly(tag.attributes), inside: [] }
    open.at(-1)?.inside.push(element)
    open.push(element)
  }
  parser.onclosetag = () => {
    if (leftOut > 0) {
      leftOut -= 1
      return
    }
    const element = open.pop()
    if (open.length === 0) root = element
  }
  const addText = (content: string): void => {
    if (leftOut === 0) open.at(-1)?.inside.push(content)
  }
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a sax parser is no event target
  parser.ontext = addText
  parser.oncdata = addText
  parser.write(text).close()
  if (root === undefined) throw new SyntaxError("A drawing is an SVG element.")
  return root
}

const drawingOnly = (given: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) =>
      attributes.has(name) && typeof value === "string" ? [[name, value]] : []
    )
  )
