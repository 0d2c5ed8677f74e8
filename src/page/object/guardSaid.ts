import { guardWords } from "../../inspect/charts/guardWords.ts"
import type { GuardTerm } from "../../inspect/charts/chartNames.ts"

/** What a guard asks, as a drawing says it; by its name where there are no words for it. */
export const guardSaid = (chart: string, name: string): string => {
  const term = termIn(name)
  return (term === undefined ? undefined : guardWords(chart, term)) ?? name
}

/** A step tells of a guard by its text, `isBound and not hasLostEntries`; undefined for one that has parts within parts. */
const termIn = (text: string): GuardTerm | undefined => {
  if (text.includes("(")) return undefined
  for (const word of ["or", "and"] as const) {
    const texts = text.split(` ${word} `)
    if (texts.length > 1) return { word, parts: texts.flatMap((part) => termIn(part) ?? []) }
  }
  return text.startsWith("not ") ? { word: "not", parts: [text.slice("not ".length)] } : text
}
