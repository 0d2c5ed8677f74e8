/** A piece of a page that may stand there as it is. Only `markup` makes one. */
export interface Markup {
  readonly [made]: string
}

const made: unique symbol = Symbol("markup")

/** What may stand in a gap of a template: text is escaped, markup is not, and what is undefined leaves nothing. */
export type Gap = Markup | string | number | undefined | ReadonlyArray<Gap>

/** Builds markup of text that is ours with gaps for what is not: whatever stands in a gap is never read as markup. */
export const markup = (ours: TemplateStringsArray, ...gaps: ReadonlyArray<Gap>): Markup => ({
  [made]: ours.reduce((text, part, index) => text + textOf(gaps[index - 1]) + part)
})

/** The markup as it is written to a file. */
export const written = (piece: Markup): string => piece[made]

const textOf = (gap: Gap): string => {
  if (gap === undefined) return ""
  if (typeof gap === "string") return escaped(gap)
  if (typeof gap === "number") return String(gap)
  return isMarkup(gap) ? gap[made] : gap.map(textOf).join("")
}

const isMarkup = (gap: Markup | ReadonlyArray<Gap>): gap is Markup => made in gap

const names: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

/**
 * Text that means itself between tags and in attributes with quotes. What no page can carry is shown as missing.
 *
 * Source: HTML Living Standard, sections 13.1.3 (escaping) and 13.2.3.5 (control characters).
 */
const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/[^\t\n\r\u{20}-\u{7E}\u{A0}-\u{10FFFF}]/gu, "\u{FFFD}")
    .replaceAll(/[&<>"']/g, (sign) => names[sign] ?? sign)
