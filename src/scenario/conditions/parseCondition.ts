import {
  deploymentMeasures,
  deploymentStates,
  objectStates,
  podMeasures,
  serviceMeasures,
  workloadMeasures,
  workloadStates
} from "./condition.ts"
import { comparisonOperators } from "./operators.ts"
import { parseObjectName } from "./objectName.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import type { TextProblem } from "../parseResult.ts"
import type {
  ComparisonAmount,
  ConditionClause,
  ConditionMeasure,
  ParsedCondition,
  ConditionState
} from "./condition.ts"
import type { ComparisonOperator } from "./operators.ts"
import type { NamedObject } from "./objectName.ts"

export interface ConditionParse extends ParsedCondition {
  readonly problems: ReadonlyArray<TextProblem>
  /** Objects without which no clause can hold, whether or not the clause could be parsed. */
  readonly requiredSubjects: ReadonlyArray<RequiredSubject>
}

interface RequiredSubject {
  readonly subject: NamedObject | undefined
  readonly column: number
}

/** Clauses `[SUBJECT] MEASURE OPERATOR VALUE` or `[SUBJECT] is [not] STATE`, joined by `and`. */
export const parseCondition = (text: string): ConditionParse => {
  const { tokensOfClauses, wrongJoiners } = splitIntoClauses(text)
  const problems = wrongJoiners.map(unexpectedToken)
  const clauses: Array<ConditionClause> = []
  const requiredSubjects: Array<RequiredSubject> = []
  for (const tokens of tokensOfClauses) {
    const clause = parseSubject(tokens)
    const result = "message" in clause ? clause : parseClause(clause)
    if ("message" in result) problems.push(result)
    else clauses.push(result)
    if ("message" in clause || !needsSubject(clause)) continue
    // An unparsable clause without a subject may be about anything.
    if (clause.subject !== undefined || !("message" in result))
      requiredSubjects.push({ subject: clause.subject, column: clause.column })
  }
  return {
    text,
    clauses,
    problems: problems.toSorted((a, b) => a.column - b.column),
    requiredSubjects
  }
}

interface Token {
  readonly text: string
  readonly column: number
}

interface Tokens {
  readonly tokens: ReadonlyArray<Token>
  readonly endColumn: number
}

const wrongJoinerWords: ReadonlySet<string> = new Set([",", "or", "&&", "||"])

const splitIntoClauses = (
  text: string
): { readonly tokensOfClauses: ReadonlyArray<Tokens>; readonly wrongJoiners: ReadonlyArray<Token> } => {
  const tokensOfClauses: Array<Tokens> = []
  const wrongJoiners: Array<Token> = []
  let tokens: Array<Token> = []
  let isAfterWrongJoiner = false
  const endClause = (endColumn: number): void => {
    if (tokens.length > 0 || !isAfterWrongJoiner) tokensOfClauses.push({ tokens, endColumn })
    tokens = []
  }
  for (const { 0: word, index } of text.matchAll(/[<>=!]=|[<>=!]|,(?=\s|$)|(?:[^\s<>=!,]|,(?!\s|$))+/g)) {
    const column = index + 1
    if (word !== "and" && !wrongJoinerWords.has(word)) tokens.push({ text: word, column })
    else {
      endClause(column)
      isAfterWrongJoiner = word !== "and"
      if (isAfterWrongJoiner) wrongJoiners.push({ text: word, column })
    }
  }
  endClause(text.trimEnd().length + 1)
  return { tokensOfClauses, wrongJoiners }
}

const example = "write something like available >= 80% or deployment/web is complete"

interface ClauseStart {
  readonly subject: NamedObject | undefined
  readonly column: number
  readonly vocabulary: Vocabulary
  readonly tokensAfterSubject: Tokens
}

const parseSubject = ({ tokens, endColumn }: Tokens): ClauseStart | TextProblem => {
  const [firstToken, ...otherTokens] = tokens
  if (firstToken === undefined) return { column: endColumn, message: `a condition is missing: ${example}` }
  const { column } = firstToken
  const namedObject = firstToken.text.includes("/") ? parseObjectName(firstToken.text) : undefined
  if (namedObject !== undefined && "message" in namedObject)
    return { column: column + namedObject.offset, message: namedObject.message }
  const vocabulary = vocabularyOf(namedObject)
  if ("message" in vocabulary) return { column, message: vocabulary.message }
  if (namedObject === undefined)
    return { subject: undefined, column, vocabulary, tokensAfterSubject: { tokens, endColumn } }
  if (otherTokens.length === 0)
    return { column: endColumn, message: `a measure or a state of ${firstToken.text} is missing: ${example}` }
  return { subject: namedObject, column, vocabulary, tokensAfterSubject: { tokens: otherTokens, endColumn } }
}

const parseClause = (clause: ClauseStart): ConditionClause | TextProblem =>
  clause.tokensAfterSubject.tokens[0]?.text === "is" ? parseState(clause) : parseComparison(clause)

/** A clause with `is gone` needs no subject; a misspelt state may stand for `gone`. */
const needsSubject = ({ vocabulary, tokensAfterSubject }: ClauseStart): boolean => {
  const [word, state] = tokensAfterSubject.tokens
  if (word?.text !== "is" || state?.text === "not") return true
  return state?.text !== "gone" && vocabulary.states.some((it) => it === state?.text)
}

interface Vocabulary {
  readonly kindText: string
  readonly measures: ReadonlyArray<ConditionMeasure>
  readonly states: ReadonlyArray<ConditionState>
}

const deploymentVocabulary: Vocabulary = {
  kindText: "a deployment",
  measures: deploymentMeasures,
  states: deploymentStates
}

const workloadVocabulary = (kindText: string, name: keyof typeof workloadMeasures): Vocabulary => ({
  kindText,
  measures: workloadMeasures[name],
  states: workloadStates[name]
})

const vocabularies: Readonly<Record<string, Vocabulary>> = {
  [resources.deployments]: deploymentVocabulary,
  [resources.statefulSets]: workloadVocabulary("a statefulset", "statefulSets"),
  [resources.daemonSets]: workloadVocabulary("a daemonset", "daemonSets"),
  [resources.jobs]: workloadVocabulary("a job", "jobs"),
  [resources.cronJobs]: workloadVocabulary("a cronjob", "cronJobs"),
  [resources.autoscalers]: workloadVocabulary("a horizontalpodautoscaler", "autoscalers"),
  [resources.services]: { kindText: "a service", measures: serviceMeasures, states: ["gone"] },
  [resources.pods]: { kindText: "a pod", measures: [], states: objectStates },
  [resources.nodes]: { kindText: "a node", measures: [], states: objectStates }
}

const vocabularyOf = (subject: NamedObject | undefined): Vocabulary | { readonly message: string } => {
  if (subject === undefined) return deploymentVocabulary
  const unsupported = `there are no conditions of a ${subject.kind.singular}, only of a deployment, statefulset, daemonset, job, cronjob, horizontalpodautoscaler, service, pod or node`
  return vocabularies[subject.resource] ?? { message: unsupported }
}

const parseState = ({
  subject,
  vocabulary,
  tokensAfterSubject
}: ClauseStart): ConditionClause | TextProblem => {
  const { kindText, states } = vocabulary
  const { tokens, endColumn } = tokensAfterSubject
  const isNegated = tokens[1]?.text === "not"
  const [word, extra] = tokens.slice(isNegated ? 2 : 1)
  const statesText = `${kindText} can be ${joinWithOr(states)}`
  if (word === undefined)
    return { column: endColumn, message: `a state is missing after "is": ${statesText}` }
  const state = states.find((it) => it === word.text)
  if (state === undefined)
    return { column: word.column, message: `unknown state ${JSON.stringify(word.text)}: ${statesText}` }
  return extra === undefined ? { type: "state", subject, state, isNegated } : unexpectedToken(extra)
}

const kindWithMeasure = (measureName: string): "deployment" | "service" | undefined => {
  if (deploymentMeasures.some((it) => it === measureName)) return "deployment"
  return serviceMeasures.some((it) => it === measureName) ? "service" : undefined
}

const isOperator = (text: string): text is ComparisonOperator => comparisonOperators.some((it) => it === text)

const parseComparison = ({
  subject,
  vocabulary,
  tokensAfterSubject
}: ClauseStart): ConditionClause | TextProblem => {
  const { kindText, measures } = vocabulary
  const { tokens, endColumn } = tokensAfterSubject
  const [word, operatorToken, value, extra] = tokens
  const measure = measures.find((it) => it === word?.text)
  if (word === undefined || measure === undefined) {
    const measuresText =
      measures.length === 0
        ? `the conditions of ${kindText} are "is ready" and "is gone"`
        : `${kindText} has ${measures.join(", ")}`
    const measureName = word?.text ?? ""
    const otherKind = measures.length === 0 ? undefined : kindWithMeasure(measureName)
    const message =
      otherKind === undefined
        ? `nothing is called ${JSON.stringify(measureName)}: ${measuresText}`
        : `${kindText} has no ${measureName}: write ${otherKind}/NAME ${measureName}; ${measuresText}`
    return { column: word?.column ?? endColumn, message }
  }
  const operator = operatorToken?.text === "==" ? "=" : operatorToken?.text
  if (operator === undefined || !isOperator(operator)) {
    const actualText = operatorToken === undefined ? "nothing" : JSON.stringify(operatorToken.text)
    return {
      column: operatorToken?.column ?? endColumn,
      message: `${measure} is compared with one of < <= > >= = !=, not ${actualText}`
    }
  }
  const amount = value === undefined ? undefined : parseAmount(value.text, measures)
  if (amount === undefined) {
    const actualText = value === undefined ? "nothing" : JSON.stringify(value.text)
    return {
      column: value?.column ?? endColumn,
      message: `${measure} is compared with a number, a percentage or another measure, not ${actualText}`
    }
  }
  const hasDesiredPods = measures.includes("desired") && measures.includes("existing")
  const allowsPercentages = hasDesiredPods && podMeasures.some((it) => it === measure)
  if (amount.type === "percent" && !allowsPercentages) {
    const kindSuffix = vocabulary === deploymentVocabulary ? "" : ` of ${kindText}`
    return {
      column: value?.column ?? endColumn,
      message: `${measure}${kindSuffix} is not a count of a workload's Pods, and cannot be compared with a percentage`
    }
  }
  return extra === undefined
    ? { type: "comparison", subject, measure, operator, amount }
    : unexpectedToken(extra)
}

const parseAmount = (
  text: string,
  measures: ReadonlyArray<ConditionMeasure>
): ComparisonAmount | undefined => {
  const measure = measures.find((it) => it === text)
  if (measure !== undefined) return { type: "measure", measure }
  const [, digits = "", percent] = /^(\d+(?:\.\d+)?)(%?)$/.exec(text) ?? []
  if (digits === "") return undefined
  return { type: percent === "%" ? "percent" : "number", value: Number(digits) }
}

const unexpectedToken = ({ text, column }: Token): TextProblem => ({
  column,
  message: `${JSON.stringify(text)} is unexpected: conditions are joined by "and"`
})

const joinWithOr = (words: ReadonlyArray<string>): string =>
  words.length < 2 ? words.join() : `${words.slice(0, -1).join(", ")} or ${words.at(-1) ?? ""}`
