import type { AnswerLimits, AnswerValue, RequestedSource } from "./steeringSettings.ts"
import type { SteeringRecord } from "./steeringRecord.ts"

export interface SteeringQuestion {
  readonly name: string
  readonly source: QuestionSource
  readonly timeoutMillis: number
  readonly limits: AnswerLimits
}

/** Placeholders such as `{{hash}}` are filled in. */
export type QuestionSource =
  | RequestedSource
  /** A 2xx status is a success. `body` is sent as JSON with POST and PUT. */
  | {
      readonly http: string
      readonly method: "GET" | "POST" | "PUT"
      readonly body: Readonly<Record<string, string>>
    }

export type SteeringAnswer = { readonly value: AnswerValue } | { readonly failure: string }

export const limitProblem = (
  answer: SteeringAnswer,
  { min, max, equals }: AnswerLimits
): string | undefined => {
  if ("failure" in answer) return answer.failure
  const { value } = answer
  if (equals !== undefined && value !== equals)
    return `${JSON.stringify(value)} is not ${JSON.stringify(equals)}`
  if (min === undefined && max === undefined) return undefined
  if (typeof value !== "number" || Number.isNaN(value)) return `${JSON.stringify(value)} is no number`
  if (max !== undefined && value > max) return `${value} is more than ${max}`
  return min !== undefined && value < min ? `${value} is less than ${min}` : undefined
}

export const recordWithAnswer = (
  record: SteeringRecord,
  answer: SteeringAnswer,
  limits: AnswerLimits,
  nowMillis: number
): SteeringRecord => {
  const { taken, failed } = record.check ?? { taken: 0, failed: 0 }
  const problem = limitProblem(answer, limits)
  const says = problem ?? ("value" in answer ? String(answer.value) : "")
  return {
    ...record,
    check: {
      taken: taken + 1,
      failed: failed + (problem === undefined ? 0 : 1),
      at: new Date(nowMillis).toISOString(),
      says: says.length > answerCharactersMax ? `${says.slice(0, answerCharactersMax)}…` : says
    }
  }
}

const answerCharactersMax = 200
