import XMLBuilder from "fast-xml-builder"

/** An XML element, as the builder takes it where the order of what is inside counts. */
export type Markup = Readonly<Record<string, unknown>>

type Attributes = Readonly<Record<string, string | number | undefined>>

export const element = (
  name: string,
  attributes: Attributes,
  inside: ReadonlyArray<Markup | string> = []
): Markup => {
  const given = Object.entries(attributes).flatMap(([key, value]): ReadonlyArray<[string, string]> =>
    value === undefined ? [] : [[`@${key}`, legible(String(value))]]
  )
  const content = inside.map((it) => (typeof it === "string" ? { "#text": legible(it) } : it))
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

/** XML has no place for most control characters and for half pairs. */
const legible = (text: string): string =>
  // eslint-disable-next-line no-control-regex
  text.replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu, "\ufffd")
