import { bodyOf, invalid } from "./admission/fieldErrors.ts"
import { labelValueProblems, qualifiedNameProblems } from "./admission/names.ts"
import type { LabelSelector, LabelSelectorRequirement } from "kubernetes-types/meta/v1.js"

/** What a text says, or what is wrong with it in Kubernetes' words. */
type SelectorText =
  | { readonly ok: true; readonly selector: LabelSelector }
  | { readonly ok: false; readonly problem: string }

/**
 * Reads the textual form of a label selector: `app=web,tier in (a,b),!canary`. Only there can numbers be compared:
 * `load>5`.
 *
 * Source: staging/src/k8s.io/apimachinery/pkg/labels/selector.go (Parser, NewRequirement).
 */
export const readSelectorText = (text: string): SelectorText => {
  const tokens = tokensOf(text)
  const matchExpressions: Array<LabelSelectorRequirement> = []
  try {
    while (tokens.peek() !== end) {
      matchExpressions.push(readRequirement(tokens))
      const next = tokens.take()
      if (next === end) break
      if (next !== ",") throw new Unreadable(found(next, "',' or 'end of string'"))
      const after = tokens.peek()
      if (!isWord(after) && after !== "!") throw new Unreadable(found(after, "identifier after ','"))
    }
    return { ok: true, selector: { matchExpressions } }
  } catch (error) {
    if (error instanceof Unreadable) return { ok: false, problem: error.message }
    throw error
  }
}

class Unreadable extends Error {}

interface Tokens {
  readonly peek: () => string
  readonly take: () => string
}

const end = ""
const tokenShape = /==|!=|[=!(),<>]|[^\s=!(),<>]+/g
const words = /^[^\s=!(),<>]/

const tokensOf = (text: string): Tokens => {
  const all = text.match(tokenShape) ?? []
  let at = 0
  return {
    peek: () => all[at] ?? end,
    take: () => {
      at += 1
      return all[at - 1] ?? end
    }
  }
}

/** `in` and `notin` are words like all others where a value or a key may stand. */
const isWord = (token: string): boolean => words.test(token)

const found = (token: string, expected: string): string => `found '${token}', expected: ${expected}`

const readRequirement = (tokens: Tokens): LabelSelectorRequirement => {
  const first = tokens.peek()
  if (!isWord(first) && first !== "!") throw new Unreadable(found(first, "!, identifier, or 'end of string'"))
  try {
    return readTest(tokens)
  } catch (error) {
    if (error instanceof Unreadable) throw new Unreadable(`unable to parse requirement: ${error.message}`)
    throw error
  }
}

const readTest = (tokens: Tokens): LabelSelectorRequirement => {
  const isAbsent = tokens.peek() === "!"
  if (isAbsent) tokens.take()
  const key = tokens.take()
  if (!isWord(key)) throw new Unreadable(found(key, "identifier"))
  requireNone("<nil>", key, qualifiedNameProblems(key))
  const next = tokens.peek()
  if (isAbsent) return { key, operator: "DoesNotExist" }
  if (next === end || next === ",") return { key, operator: "Exists" }
  const sign = tokens.take()
  const operator = operators[sign]
  if (operator === undefined) throw new Unreadable(found(sign, "in, notin, =, ==, !=, gt, lt"))
  const values = sign === "in" || sign === "notin" ? readValues(tokens) : [readValue(tokens)]
  values.forEach((value, index) => {
    const path = `values[${index}]`
    if ((operator === "Gt" || operator === "Lt") && !integer.test(value))
      requireNone(path, value, [notInteger])
    requireNone(`${path}[${key}]`, value, labelValueProblems(value))
  })
  return { key, operator, values: [...values] }
}

const operators: Readonly<Record<string, string>> = {
  in: "In",
  notin: "NotIn",
  "=": "In",
  "==": "In",
  "!=": "NotIn",
  ">": "Gt",
  "<": "Lt"
}

const integer = /^[-+]?\d+$/
const notInteger = "for 'Gt', 'Lt' operators, the value must be an integer"

const requireNone = (path: string, value: string, problems: ReadonlyArray<string>): void => {
  if (problems.length > 0)
    throw new Unreadable(`${path}: ${bodyOf(invalid(path, value, problems.join("; ")))}`)
}

const readValue = (tokens: Tokens): string => {
  const next = tokens.peek()
  if (next === end || next === ",") return ""
  tokens.take()
  if (!isWord(next)) throw new Unreadable(found(next, "identifier"))
  return next
}

/** A list in parentheses. What is left out between two commas is the empty text. */
const readValues = (tokens: Tokens): ReadonlyArray<string> => {
  const open = tokens.take()
  // The comma that all the other messages have is missing in Kubernetes as well.
  if (open !== "(") throw new Unreadable(`found '${open}' expected: '('`)
  const values = new Set<string>()
  for (;;) {
    const token = tokens.peek()
    if (token === ")" || token === ",") values.add("")
    else if (isWord(token)) values.add(tokens.take())
    else
      throw new Unreadable(found(token, values.size === 0 ? "',', ')' or identifier" : "',', or identifier"))
    const next = tokens.take()
    if (next === ")") return [...values].sort()
    if (next !== ",") throw new Unreadable(found(next, "',' or ')'"))
  }
}
