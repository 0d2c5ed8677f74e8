import { findGuard } from "../../../machines/guards/guard.ts"
import type { GuardTerm } from "./chartNames.ts"

/** The term in the `words` of its guards; undefined if a guard has none, or if `not` applies to joined guards. */
export const guardWords = (
  guards: Readonly<Record<string, unknown>>,
  term: GuardTerm
): string | undefined => {
  if (typeof term === "string") return wordsOf(guards, term)?.holds
  if (term.operator === "not") {
    const [part] = term.operands
    return typeof part === "string" ? wordsOf(guards, part)?.fails : undefined
  }
  const operandWords = term.operands.map((part) => guardWords(guards, part))
  return operandWords.includes(undefined) ? undefined : operandWords.join(`, ${term.operator} `)
}

const wordsOf = (
  guards: Readonly<Record<string, unknown>>,
  name: string
): { readonly holds: string; readonly fails: string } | undefined => {
  const words = findGuard(guards, name)?.words
  if (words === undefined) return undefined
  const [holds, fails] = typeof words === "string" ? [words, `not: ${words}`] : words
  return { holds, fails }
}
