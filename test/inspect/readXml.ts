/** An element of a document that was read strictly: what is not well-formed throws. */
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
 * Source: W3C, Extensible Markup Language 1.0, as far as no document type, comment or CDATA section is there.
 */
export const readXml = (document: string): XmlElement => {
  const top: Open = { name: "", attributes: new Map(), elements: [], text: "" }
  const open: Array<Open> = [top]
  piece.lastIndex = 0
  for (let at = 0; at < document.length; at = piece.lastIndex) {
    const found = piece.exec(document)
    if (found === null) throw new Error(`not well-formed: ${document.slice(at, at + 80)}`)
    const [, closed, begun, given = "", isEmpty, text] = found
    const inner = open.at(-1) ?? top
    if (text !== undefined) inner.text += plain(text)
    if (begun !== undefined) {
      const element: Open = { name: begun, attributes: attributesOf(given), elements: [], text: "" }
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

const attributesOf = (given: string): ReadonlyMap<string, string> => {
  const attributes = new Map<string, string>()
  for (const [, name = "", value = ""] of given.matchAll(/([\w:.-]+)="([^"]*)"/g)) {
    if (attributes.has(name)) throw new Error(`${name} is there twice`)
    attributes.set(name, plain(value))
  }
  return attributes
}

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" }

const plain = (text: string): string =>
  text.replaceAll(/&([^;\s]*);?/g, (whole, name: string) => {
    const char = entities[name]
    if (char === undefined || !whole.endsWith(";")) throw new Error(`${whole} stands for nothing`)
    return char
  })

/** An element and all within it. */
export const elementsIn = (element: XmlElement): ReadonlyArray<XmlElement> => [
  element,
  ...element.elements.flatMap(elementsIn)
]
