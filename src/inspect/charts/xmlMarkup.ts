import XMLBuilder from "fast-xml-builder"
import { xmlText } from "../../drawing/xmlText.ts"

/** An element for fast-xml-parser's `XMLBuilder` with `preserveOrder`. */
export type XmlMarkup = Readonly<Record<string, unknown>>

type Attributes = Readonly<Record<string, string | number | undefined>>

export const xmlElement = (
  name: string,
  attributes: Attributes,
  children: ReadonlyArray<XmlMarkup | string> = []
): XmlMarkup => {
  const definedAttributes = Object.entries(attributes).flatMap(
    ([key, value]): ReadonlyArray<[string, string]> =>
      value === undefined ? [] : [[`@${key}`, xmlText(String(value))]]
  )
  const content = children.map((child) => (typeof child === "string" ? { "#text": xmlText(child) } : child))
  return {
    [name]: content,
    ...(definedAttributes.length === 0 ? {} : { ":@": Object.fromEntries(definedAttributes) })
  }
}

export const xmlDocumentText = (root: XmlMarkup): string => `${oneLineBuilder.build([root]).trim()}\n`

/** For documents without text content. */
export const xmlDocumentLines = (root: XmlMarkup): string => `${indentedBuilder.build([root]).trim()}\n`

const options = {
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: "@",
  textNodeName: "#text",
  suppressEmptyNode: true,
  suppressBooleanAttributes: false,
  maxNestedTags: 1000
}
const oneLineBuilder = new XMLBuilder(options)
const indentedBuilder = new XMLBuilder({ ...options, format: true })
