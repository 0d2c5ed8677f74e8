export interface ServerAnswer {
  readonly code: number
  readonly text: string
}

/** Not Implemented: no program runs in simulated Pods. */
const notImplemented = 501

/** 500 errors that Kubernetes' API server gives too. */
const upstreamErrors = [
  "resourceVersion should not be set on objects to be created",
  "does not contain declared merge key",
  "unknown patch type",
  "expected a map[string]interface {}, but received",
  "the spec replicas field",
  "more than one PodDisruptionBudget",
  "Too large resource version",
  "target.kind: Unsupported value",
  "target.name: Required value"
]

/** Whether an answer is an internal error, or shows a stack trace. */
export const isUnexpectedAnswer = ({ code, text }: ServerAnswer): boolean =>
  (code >= 500 && code !== notImplemented && !upstreamErrors.some((words) => text.includes(words))) ||
  /\n\s+at .+:\d+:\d+/.test(text)
