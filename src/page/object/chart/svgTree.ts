import { parser as parserOf } from "sax"

export interface SvgTree {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: ReadonlyArray<SvgTree | string>
}

const allowedElements: ReadonlySet<string> = new Set("svg g title rect circle path text".split(" "))

/** None of these runs a script, links or loads anything. */
const allowedAttributeNames: ReadonlySet<string> = new Set(
  (
    "class role aria-label viewBox x y width height cx cy r rx d text-anchor " +
    "data-state data-signal data-connector data-transition data-source data-target data-event data-guard"
  ).split(" ")
)

const depthMax = 1000

/** Of entities only XML's five predefined ones are read. The published types lack `strictEntities`. */
const parserOptions = { position: false, strictEntities: true }

interface OpenElement {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: Array<SvgTree | string>
}

/**
 * A recording may be untrusted, and some browsers run event handlers while they parse: no browser parser reads the
 * text. Throws a `SyntaxError` unless it is one SVG element without a document type, which could define entities.
 */
export const parseSvgTree = (text: string): SvgTree => {
  const isStrict = true
  const parser = parserOf(isStrict, parserOptions)
  const openElements: Array<OpenElement> = []
  let root: SvgTree | undefined
  /** The number of open elements inside a dropped one, itself included. */
  let droppedDepth = 0

  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a sax parser is no event target
  parser.onerror = (error) => {
    throw new SyntaxError(error.message.split("\n")[0])
  }
  parser.ondoctype = () => {
    throw new SyntaxError("A drawing declares no document type.")
  }
  parser.onopentag = (tag) => {
    if (openElements.length === 0 && root !== undefined) throw new SyntaxError("A drawing is one element.")
    if (openElements.length + droppedDepth >= depthMax)
      throw new SyntaxError("The elements are nested too deeply.")
    if (openElements.length === 0 && tag.name !== "svg") throw new SyntaxError("A drawing is an SVG element.")
    if (droppedDepth > 0 || !allowedElements.has(tag.name)) {
      droppedDepth += 1
      return
    }
    const element = { name: tag.name, attributes: allowedAttributes(tag.attributes), children: [] }
    openElements.at(-1)?.children.push(element)
    openElements.push(element)
  }
  parser.onclosetag = () => {
    if (droppedDepth > 0) {
      droppedDepth -= 1
      return
    }
    const element = openElements.pop()
    if (openElements.length === 0) root = element
  }
  const addText = (content: string): void => {
    if (droppedDepth === 0) openElements.at(-1)?.children.push(content)
  }
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a sax parser is no event target
  parser.ontext = addText
  parser.oncdata = addText
  parser.write(text).close()
  if (root === undefined) throw new SyntaxError("A drawing is an SVG element.")
  return root
}

const allowedAttributes = (
  tagAttributes: Readonly<Record<string, unknown>>
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(tagAttributes).flatMap(([name, value]) =>
      allowedAttributeNames.has(name) && typeof value === "string" ? [[name, value]] : []
    )
  )
