import {
  deploymentMeasures,
  deploymentStates,
  objectStates,
  podMeasures,
  serviceMeasures
} from "./condition.ts"
import { operators } from "../operators.ts"
import { objectNamed } from "./objectName.ts"
import { resources } from "../../domain/kinds.ts"
import type { TextProblem } from "../parsed.ts"
import type { Amount, Clause, Measure, ParsedCondition, State } from "./condition.ts"
import type { Operator } from "../operators.ts"
import type { NamedObject } from "./objectName.ts"

/** A line as far as it can be read. */
export interface ReadCondition extends ParsedCondition {
  /** What is wrong with it: none where all of it could be read. */
  readonly problems: ReadonlyArray<TextProblem>
  /** Of whom it says what can be true only of something that is there, in clauses that cannot be read as well. */
  readonly needed: ReadonlyArray<Needed>
}

interface Needed {
  /** Any Deployment where it is undefined. */
  readonly subject: NamedObject | undefined
  readonly column: number
}

/**
 * Reads `available >= 80% and service/web endpoints > 0`: clauses with `and` between them, each
 * `[SUBJECT] MEASURE OPERATOR VALUE` or `[SUBJECT] is [not] STATE`. What is wrong with one hides nothing of the others.
 */
export const parseCondition = (text: string): ReadCondition => {
  const { parts, misjoined } = partsOf(text)
  const problems = misjoined.map(tooMuch)
  const clauses: Array<Clause> = []
  const needed: Array<Needed> = []
  for (const part of parts) {
    const begun = subjectIn(part)
    const read = "message" in begun ? begun : clauseIn(begun)
    if ("message" in read) problems.push(read)
    else clauses.push(read)
    if ("message" in begun || !needsSubject(begun)) continue
    // Of a clause that names nobody and cannot be read, nobody knows whom it means.
    if (begun.subject !== undefined || !("message" in read))
      needed.push({ subject: begun.subject, column: begun.column })
  }
  return { text, clauses, problems: problems.toSorted((a, b) => a.column - b.column), needed }
}

interface Token {
  readonly text: string
  readonly column: number
}

/** What is left to read of one clause, and the column behind it. */
interface Tokens {
  readonly tokens: ReadonlyArray<Token>
  readonly endColumn: number
}

/** What is written where "and" belongs. */
const misjoining: ReadonlySet<string> = new Set([",", "or", "&&", "||"])

const partsOf = (
  text: string
): { readonly parts: ReadonlyArray<Tokens>; readonly misjoined: ReadonlyArray<Token> } => {
  const parts: Array<Tokens> = []
  const misjoined: Array<Token> = []
  let tokens: Array<Token> = []
  let isMisjoined = false
  const end = (endColumn: number): void => {
    // After "," or "or" it has been said that something else belongs there.
    if (tokens.length > 0 || !isMisjoined) parts.push({ tokens, endColumn })
    tokens = []
  }
  for (const { 0: word, index } of text.matchAll(/[<>=!]=|[<>=!]|,(?=\s|$)|(?:[^\s<>=!,]|,(?!\s|$))+/g)) {
    const column = index + 1
    if (word !== "and" && !misjoining.has(word)) tokens.push({ text: word, column })
    else {
      end(column)
      isMisjoined = word !== "and"
      if (isMisjoined) misjoined.push({ text: word, column })
    }
  }
  end(text.trimEnd().length + 1)
  return { parts, misjoined }
}

const example = "write something like available >= 80% or deployment/web is complete"

/** A clause of which it is read whom it is said of. */
interface Begun {
  readonly subject: NamedObject | undefined
  /** Where it begins. */
  readonly column: number
  readonly sayable: Sayable
  readonly rest: Tokens
}

const subjectIn = ({ tokens, endColumn }: Tokens): Begun | TextProblem => {
  const [first, ...others] = tokens
  if (first === undefined) return { column: endColumn, message: `a condition is missing: ${example}` }
  const { column } = first
  const named = first.text.includes("/") ? objectNamed(first.text) : undefined
  if (named !== undefined && "message" in named)
    return { column: column + named.offset, message: named.message }
  const sayable = sayableOf(named)
  if ("message" in sayable) return { column, message: sayable.message }
  if (named === undefined) return { subject: named, column, sayable, rest: { tokens, endColumn } }
  if (others.length === 0) return { column: endColumn, message: `what of ${first.text}? ${example}` }
  return { subject: named, column, sayable, rest: { tokens: others, endColumn } }
}

const clauseIn = (begun: Begun): Clause | TextProblem =>
  begun.rest.tokens[0]?.text === "is" ? stateIn(begun) : comparisonIn(begun)

/** Whether a clause is false of what is not there; one that cannot be read may say that it is gone. */
const needsSubject = ({ sayable, rest }: Begun): boolean => {
  const [word, state] = rest.tokens
  if (word?.text !== "is" || state?.text === "not") return true
  return state?.text !== "gone" && sayable.states.some((it) => it === state?.text)
}

/** What may be said of an object of some kind. */
interface Sayable {
  readonly what: string
  readonly measures: ReadonlyArray<Measure>
  readonly states: ReadonlyArray<State>
}

const ofDeployments: Sayable = {
  what: "a deployment",
  measures: deploymentMeasures,
  states: deploymentStates
}

const sayables: Readonly<Record<string, Sayable>> = {
  [resources.deployments]: ofDeployments,
  [resources.services]: { what: "a service", measures: serviceMeasures, states: ["gone"] },
  [resources.pods]: { what: "a pod", measures: [], states: objectStates },
  [resources.nodes]: { what: "a node", measures: [], states: objectStates }
}

const sayableOf = (subject: NamedObject | undefined): Sayable | { readonly message: string } => {
  if (subject === undefined) return ofDeployments
  const of = `a ${subject.kind.singular}: only of a deployment, service, pod or node`
  return sayables[subject.resource] ?? { message: `nothing can be said of ${of}` }
}

const stateIn = ({ subject, sayable, rest }: Begun): Clause | TextProblem => {
  const { what, states } = sayable
  const { tokens, endColumn } = rest
  const isNegated = tokens[1]?.text === "not"
  const [word, more] = tokens.slice(isNegated ? 2 : 1)
  const choice = `${what} can be ${listed(states)}`
  if (word === undefined) return { column: endColumn, message: `is what? ${choice}` }
  const state = states.find((it) => it === word.text)
  if (state === undefined)
    return { column: word.column, message: `nothing is ${JSON.stringify(word.text)}: ${choice}` }
  return more === undefined ? { type: "state", subject, state, isNegated } : tooMuch(more)
}

/** The kind of which a measure is said; undefined where it is said of none. */
const havingMeasure = (called: string): "deployment" | "service" | undefined => {
  if (deploymentMeasures.some((it) => it === called)) return "deployment"
  return serviceMeasures.some((it) => it === called) ? "service" : undefined
}

const isOperator = (text: string): text is Operator => operators.some((it) => it === text)

const comparisonIn = ({ subject, sayable, rest }: Begun): Clause | TextProblem => {
  const { what, measures } = sayable
  const { tokens, endColumn } = rest
  const [word, sign, value, more] = tokens
  const measure = measures.find((it) => it === word?.text)
  if (word === undefined || measure === undefined) {
    const choice =
      measures.length === 0
        ? `of ${what} only "is ready" and "is gone" can be said`
        : `${what} has ${measures.join(", ")}`
    const called = word?.text ?? ""
    const meant = measures.length === 0 ? undefined : havingMeasure(called)
    const message =
      meant === undefined
        ? `nothing is called ${JSON.stringify(called)}: ${choice}`
        : `${what} has no ${called}: write ${meant}/NAME ${called}; ${choice}`
    return { column: word?.column ?? endColumn, message }
  }
  const operator = sign?.text === "==" ? "=" : sign?.text
  if (operator === undefined || !isOperator(operator)) {
    const found = sign === undefined ? "nothing" : JSON.stringify(sign.text)
    return {
      column: sign?.column ?? endColumn,
      message: `${measure} is compared with one of < <= > >= = !=, not ${found}`
    }
  }
  const amount = value === undefined ? undefined : amountIn(value.text, measures)
  if (amount === undefined) {
    const found = value === undefined ? "nothing" : JSON.stringify(value.text)
    return {
      column: value?.column ?? endColumn,
      message: `${measure} is compared with a number, a percentage or another measure, not ${found}`
    }
  }
  // Of nothing else it is said how many there should be.
  const isOfDesired = sayable === ofDeployments && podMeasures.some((it) => it === measure)
  if (amount.type === "percent" && !isOfDesired) {
    const whose = sayable === ofDeployments ? "" : ` of ${what}`
    return {
      column: value?.column ?? endColumn,
      message: `${measure}${whose} is no part of what is desired, and cannot be compared with a percentage`
    }
  }
  return more === undefined ? { type: "comparison", subject, measure, operator, amount } : tooMuch(more)
}

const amountIn = (text: string, measures: ReadonlyArray<Measure>): Amount | undefined => {
  const measure = measures.find((it) => it === text)
  if (measure !== undefined) return { type: "measure", measure }
  const [, digits = "", percent] = /^(\d+(?:\.\d+)?)(%?)$/.exec(text) ?? []
  if (digits === "") return undefined
  return { type: percent === "%" ? "percent" : "number", value: Number(digits) }
}

const tooMuch = ({ text, column }: Token): TextProblem => ({
  column,
  message: `${JSON.stringify(text)} is too much: there is "and" between conditions`
})

const listed = (words: ReadonlyArray<string>): string =>
  words.length < 2 ? words.join() : `${words.slice(0, -1).join(", ")} or ${words.at(-1) ?? ""}`
