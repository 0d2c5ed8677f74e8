import type { AnalysisSource, AnswerLimits, AnswerValue } from "./steeringSettings.ts"
import type { SteeringRecord } from "./steeringRecord.ts"

/** A question that a steering chart asks outside of the cluster. */
export interface SteeringQuestion {
  /** The name of the hook or the analysis. */
  readonly name: string
  readonly source: QuestionSource
  readonly timeoutMillis: number
  readonly limits: AnswerLimits
}

/** Where the answer comes from. Placeholders such as `{{hash}}` are filled in. */
export type QuestionSource =
  | Exclude<AnalysisSource, { readonly pods: string }>
  /** The call of a hook: a 2xx status is a success. `body` names the rollout, and is sent as JSON with POST and PUT. */
  | {
      readonly http: string
      readonly method: "GET" | "POST" | "PUT"
      readonly body: Readonly<Record<string, string>>
    }

export type SteeringAnswer =
  | { readonly value: AnswerValue }
  /** Why there is no answer: no connection, no number, too late. */
  | { readonly failure: string }

/** Why an answer is outside the limits; undefined if it is within them. */
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

/** The record with one more answer. */
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
      // An answer may contain a long text of a server.
      says: says.length > saysLengthMax ? `${says.slice(0, saysLengthMax)}…` : says
    }
  }
}

const saysLengthMax = 200
