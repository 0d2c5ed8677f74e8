/** An element of a well-formed document. */
export interface XmlElement {
  readonly name: string
  readonly attributes: ReadonlyMap<string, string>
  readonly elements: ReadonlyArray<XmlElement>
  readonly text: string
}

interface Open {
  readonly name: string
  readonly attributes: ReadonlyMap<string, string>
  readonly elements: Array<XmlElement>
  text: string
}

const piece = /<\?xml [^?]*\?>|<\/([\w:.-]+)\s*>|<([\w:.-]+)((?:\s+[\w:.-]+="[^"<]*")*)\s*(\/?)>|([^<]+)/y

/**
 * A strict parser without document types, comments and CDATA. Source: W3C, Extensible Markup Language 1.0.
 */
export const readXml = (document: string): XmlElement => {
  const top: Open = { name: "", attributes: new Map(), elements: [], text: "" }
  const open: Array<Open> = [top]
  piece.lastIndex = 0
  for (let at = 0; at < document.length; at = piece.lastIndex) {
    const found = piece.exec(document)
    if (found === null) throw new Error(`not well-formed: ${document.slice(at, at + 80)}`)
    const [, closed, opened, attributes = "", isEmpty, text] = found
    const inner = open.at(-1) ?? top
    if (text !== undefined) inner.text += withoutEntities(text)
    if (opened !== undefined) {
      const element: Open = { name: opened, attributes: attributesOf(attributes), elements: [], text: "" }
      inner.elements.push(element)
      if (isEmpty !== "/") open.push(element)
    }
    if (closed !== undefined && open.pop()?.name !== closed) throw new Error(`</${closed}> closes nothing`)
  }
  const [root, ...others] = top.elements
  if (root === undefined || others.length > 0 || open.length > 1 || top.text.trim() !== "") {
    throw new Error("a document has one element")
  }
  return root
}

const attributesOf = (markup: string): ReadonlyMap<string, string> => {
  const attributes = new Map<string, string>()
  for (const [, name = "", value = ""] of markup.matchAll(/([\w:.-]+)="([^"]*)"/g)) {
    if (attributes.has(name)) throw new Error(`${name} is there twice`)
    attributes.set(name, withoutEntities(value))
  }
  return attributes
}

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" }

const withoutEntities = (text: string): string =>
  text.replaceAll(/&([^;\s]*);?/g, (whole, name: string) => {
    const char = entities[name]
    if (char === undefined || !whole.endsWith(";")) throw new Error(`${whole} stands for nothing`)
    return char
  })

/** An element and all its descendants. */
export const elementsIn = (element: XmlElement): ReadonlyArray<XmlElement> => [
  element,
  ...element.elements.flatMap(elementsIn)
]
