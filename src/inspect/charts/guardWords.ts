import { findGuard } from "../../../machines/guard.ts"
import type { GuardTerm } from "./chartNames.ts"

/** A guard of these in words; undefined if one of its parts has none. */
export const guardWords = (
  guards: Readonly<Record<string, unknown>>,
  term: GuardTerm
): string | undefined => {
  if (typeof term === "string") return wordsFor(guards, term)?.[0]
  if (term.word === "not") {
    const [part] = term.parts
    return typeof part === "string" ? wordsFor(guards, part)?.[1] : undefined
  }
  const parts = term.parts.map((part) => guardWords(guards, part))
  return parts.includes(undefined) ? undefined : parts.join(`, ${term.word} `)
}

const wordsFor = (
  guards: Readonly<Record<string, unknown>>,
  name: string
): readonly [holds: string, fails: string] | undefined => {
  const wording = findGuard(guards, name)?.words
  return typeof wording === "string" ? [wording, `not: ${wording}`] : wording
}
