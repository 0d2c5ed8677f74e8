import { formatOptionValue } from "./invalidOptions.ts"
import { isFields } from "../kubernetes/meta/fields.ts"

/** What is wrong with the options that are lists, before their elements are checked by what they say. */
export const listOptionProblems = (options: {
  readonly behaviours?: unknown
  readonly strategies?: unknown
  readonly steering?: unknown
}): ReadonlyArray<string> => [
  ...elementProblems("behaviours", options.behaviours, { expected: "a behaviour", isElement: isFields }),
  ...elementProblems("strategies", options.strategies, {
    expected: "a result of defineStrategy",
    isElement: (value) => hasChart(value) && typeof value["type"] === "string"
  }),
  ...elementProblems("steering", options.steering, {
    expected: "a result of defineSteering",
    isElement: hasChart
  })
]

const elementProblems = (
  option: string,
  list: unknown,
  { expected, isElement }: { readonly expected: string; readonly isElement: (value: unknown) => boolean }
): ReadonlyArray<string> => {
  if (list === undefined) return []
  if (!Array.isArray(list)) return [`${option} must be a list, not ${formatOptionValue(list)}`]
  return list.flatMap((value: unknown, index) =>
    isElement(value) ? [] : [`${option}[${index}] must be ${expected}, not ${formatOptionValue(value)}`]
  )
}

const hasChart = (value: unknown): value is Readonly<Record<string, unknown>> => {
  if (!isFields(value) || typeof value["state"] !== "string") return false
  const { chart, guards, commands } = value
  if (!isFields(chart) || !isFields(guards) || !isFields(commands) || !isFields(chart["states"])) return false
  return Object.values(chart["states"]).every(isFields)
}
