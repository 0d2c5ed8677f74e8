/** What came back for a request. */
export interface Answered {
  readonly code: number
  readonly text: string
}

/** Pods are simulated: no program runs in them that anybody could talk to. */
const notHere = 501

/** Errors that a server of Kubernetes answers in the same words. */
const declared = [
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

/** Whether no server should answer so: with an error of its own, or with a stack trace. */
export const isStrange = ({ code, text }: Answered): boolean =>
  (code >= 500 && code !== notHere && !declared.some((words) => text.includes(words))) ||
  /\n\s+at .+:\d+:\d+/.test(text)
