import { findGuard } from "../../../machines/guards/guard.ts"
import type { GuardTerm } from "./chartNames.ts"

/** Undefined if one of the guards has no words, or if `not` applies to joined guards. */
export const guardWords = (
  guards: Readonly<Record<string, unknown>>,
  term: GuardTerm
): string | undefined => {
  if (typeof term === "string") return wordsOf(guards, term)?.[0]
  if (term.operator === "not") {
    const [part] = term.parts
    return typeof part === "string" ? wordsOf(guards, part)?.[1] : undefined
  }
  const parts = term.parts.map((part) => guardWords(guards, part))
  return parts.includes(undefined) ? undefined : parts.join(`, ${term.operator} `)
}

const wordsOf = (
  guards: Readonly<Record<string, unknown>>,
  name: string
): readonly [holds: string, fails: string] | undefined => {
  const words = findGuard(guards, name)?.words
  return typeof words === "string" ? [words, `not: ${words}`] : words
}
