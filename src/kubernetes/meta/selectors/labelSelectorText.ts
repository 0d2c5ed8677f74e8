import { errorBody, invalidField } from "../../validation/fieldErrors.ts"
import { labelValueProblems, qualifiedNameProblems } from "../../validation/nameRules.ts"
import type { LabelSelector, LabelSelectorRequirement } from "kubernetes-types/meta/v1.js"

type ParsedSelectorText =
  | { readonly ok: true; readonly selector: LabelSelector }
  | { readonly ok: false; readonly problem: string }

/**
 * Only the text form can compare numbers, as in `load>5`. Source: labels/selector.go (Parser,
 * NewRequirement).
 */
export const parseSelectorText = (text: string): ParsedSelectorText => {
  const tokens = tokensOf(text)
  const matchExpressions: Array<LabelSelectorRequirement> = []
  try {
    while (tokens.peek() !== endOfText) {
      matchExpressions.push(readRequirement(tokens))
      const next = tokens.take()
      if (next === endOfText) break
      if (next !== ",") throw new ParseError(unexpected(next, "',' or 'end of string'"))
      const after = tokens.peek()
      if (!isWord(after) && after !== "!") throw new ParseError(unexpected(after, "identifier after ','"))
    }
    return { ok: true, selector: { matchExpressions } }
  } catch (error) {
    if (error instanceof ParseError) return { ok: false, problem: error.message }
    throw error
  }
}

class ParseError extends Error {}

interface Tokens {
  readonly peek: () => string
  readonly take: () => string
}

const endOfText = ""
const tokenShape = /==|!=|[=!(),<>]|[^\s=!(),<>]+/g
const wordStart = /^[^\s=!(),<>]/

const tokensOf = (text: string): Tokens => {
  const tokens = text.match(tokenShape) ?? []
  let position = 0
  return {
    peek: () => tokens[position] ?? endOfText,
    take: () => {
      position += 1
      return tokens[position - 1] ?? endOfText
    }
  }
}

/** `in` and `notin` are also valid keys and values. */
const isWord = (token: string): boolean => wordStart.test(token)

const unexpected = (token: string, expected: string): string => `found '${token}', expected: ${expected}`

const readRequirement = (tokens: Tokens): LabelSelectorRequirement => {
  const first = tokens.peek()
  if (!isWord(first) && first !== "!")
    throw new ParseError(unexpected(first, "!, identifier, or 'end of string'"))
  try {
    return readKeyAndValues(tokens)
  } catch (error) {
    if (error instanceof ParseError) throw new ParseError(`unable to parse requirement: ${error.message}`)
    throw error
  }
}

const readKeyAndValues = (tokens: Tokens): LabelSelectorRequirement => {
  const isNegated = tokens.peek() === "!"
  if (isNegated) tokens.take()
  const key = tokens.take()
  if (!isWord(key)) throw new ParseError(unexpected(key, "identifier"))
  // Upstream gives a key no field path, and Go prints the missing path as <nil>.
  throwIfProblem("<nil>", key, qualifiedNameProblems(key))
  const next = tokens.peek()
  if (isNegated) return { key, operator: "DoesNotExist" }
  if (next === endOfText || next === ",") return { key, operator: "Exists" }
  const operatorToken = tokens.take()
  const operator = operators[operatorToken]
  if (operator === undefined) throw new ParseError(unexpected(operatorToken, "in, notin, =, ==, !=, gt, lt"))
  const values =
    operatorToken === "in" || operatorToken === "notin" ? readValues(tokens) : [readValue(tokens)]
  values.forEach((value, index) => {
    const path = `values[${index}]`
    if ((operator === "Gt" || operator === "Lt") && !integer.test(value))
      throwIfProblem(path, value, [notInteger])
    throwIfProblem(`${path}[${key}]`, value, labelValueProblems(value))
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

const throwIfProblem = (path: string, value: string, problems: ReadonlyArray<string>): void => {
  if (problems.length > 0)
    throw new ParseError(`${path}: ${errorBody(invalidField(path, value, problems.join("; ")))}`)
}

const readValue = (tokens: Tokens): string => {
  const next = tokens.peek()
  if (next === endOfText || next === ",") return ""
  tokens.take()
  if (!isWord(next)) throw new ParseError(unexpected(next, "identifier"))
  return next
}

const readValues = (tokens: Tokens): ReadonlyArray<string> => {
  const firstToken = tokens.take()
  // Kubernetes' message lacks this comma as well.
  if (firstToken !== "(") throw new ParseError(`found '${firstToken}' expected: '('`)
  const values = new Set<string>()
  for (;;) {
    const token = tokens.peek()
    if (token === ")" || token === ",") values.add("")
    else if (isWord(token)) values.add(tokens.take())
    else
      throw new ParseError(
        unexpected(token, values.size === 0 ? "',', ')' or identifier" : "',', or identifier")
      )
    const next = tokens.take()
    if (next === ")") return [...values].sort()
    if (next !== ",") throw new ParseError(unexpected(next, "',' or ')'"))
  }
}
