import XMLBuilder from "fast-xml-builder"
import { xmlText } from "../../drawing/xmlText.ts"

/** An XML element, as the builder takes it where the order of what is inside counts. */
export type Markup = Readonly<Record<string, unknown>>

type Attributes = Readonly<Record<string, string | number | undefined>>

export const element = (
  name: string,
  attributes: Attributes,
  inside: ReadonlyArray<Markup | string> = []
): Markup => {
  const given = Object.entries(attributes).flatMap(([key, value]): ReadonlyArray<[string, string]> =>
    value === undefined ? [] : [[`@${key}`, xmlText(String(value))]]
  )
  const content = inside.map((it) => (typeof it === "string" ? { "#text": xmlText(it) } : it))
  return { [name]: content, ...(given.length === 0 ? {} : { ":@": Object.fromEntries(given) }) }
}

/** A document in one line; every text and attribute is escaped. */
export const markupText = (root: Markup): string => `${inOneLine.build([root]).trim()}\n`

/** A line for each element, for documents without text of their own. */
export const markupLines = (root: Markup): string => `${inLines.build([root]).trim()}\n`

const options = {
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: "@",
  textNodeName: "#text",
  suppressEmptyNode: true,
  suppressBooleanAttributes: false,
  maxNestedTags: 1000
}
const inOneLine = new XMLBuilder(options)
const inLines = new XMLBuilder({ ...options, format: true })
