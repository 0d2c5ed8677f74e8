/** HTML that needs no escaping. */
export interface HtmlMarkup {
  readonly [html]: string
}

const html: unique symbol = Symbol("markup")

/** Text is escaped, undefined is nothing. */
export type MarkupValue = HtmlMarkup | string | number | undefined | ReadonlyArray<MarkupValue>

export const markup = (parts: TemplateStringsArray, ...values: ReadonlyArray<MarkupValue>): HtmlMarkup => ({
  [html]: parts.reduce((text, part, index) => text + textOf(values[index - 1]) + part)
})

export const htmlTextOf = (value: HtmlMarkup): string => value[html]

const textOf = (value: MarkupValue): string => {
  if (value === undefined) return ""
  if (typeof value === "string") return escapeHtml(value)
  if (typeof value === "number") return String(value)
  return isMarkup(value) ? value[html] : value.map(textOf).join("")
}

const isMarkup = (value: HtmlMarkup | ReadonlyArray<MarkupValue>): value is HtmlMarkup => html in value

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

/**
 * Forbidden characters become U+FFFD. Source: HTML Living Standard, sections 13.1.3 (escaping) and 13.2.3.5 (control
 * characters).
 */
const escapeHtml = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/[^\t\n\r\u{20}-\u{7E}\u{A0}-\u{10FFFF}]/gu, "\u{FFFD}")
    .replaceAll(/[&<>"']/g, (char) => entities[char] ?? char)
