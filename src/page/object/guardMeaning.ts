import { guardWords } from "../../inspect/charts/guardWords.ts"
import type { GuardTerm } from "../../inspect/charts/chartNames.ts"

/** What a guard means, in the words of the drawing; its name if it has none. */
export const guardMeaning = (chart: string, name: string): string => {
  const term = parseTerm(name)
  return (term === undefined ? undefined : guardWords(chart, term)) ?? name
}

/** Parses a guard as a step has it: `isBound and not hasLostEntries`. Undefined for nested operators. */
const parseTerm = (text: string): GuardTerm | undefined => {
  if (text.includes("(")) return undefined
  for (const word of ["or", "and"] as const) {
    const texts = text.split(` ${word} `)
    if (texts.length > 1) return { word, parts: texts.flatMap((part) => parseTerm(part) ?? []) }
  }
  return text.startsWith("not ") ? { word: "not", parts: [text.slice("not ".length)] } : text
}
