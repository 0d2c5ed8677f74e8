import XMLBuilder from "fast-xml-builder"
import { escapeControls } from "../kubernetes/meta/text/escapeControls.ts"
import { xmlText } from "../drawing/xmlText.ts"

/** Names that begin with `@` are attributes, `#text` is the text of an element. */
export const buildXml = (content: object): string =>
  builder.build({ "?xml": { "@version": "1.0", "@encoding": "UTF-8" }, ...content })

const builder = new XMLBuilder({
  ignoreAttributes: false,
  attributeNamePrefix: "@",
  textNodeName: "#text",
  suppressEmptyNode: true,
  suppressBooleanAttributes: false,
  format: true
})

/** XML allows few control characters, and a terminal may show the report. */
export const xmlAttributeText = (text: string): string => xmlText(escapeControls(text))

export const xmlSeconds = (millis: number): string => (millis / 1000).toFixed(3)
