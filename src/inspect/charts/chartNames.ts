export type GuardTerm =
  | string
  | { readonly operator: "not" | "and" | "or"; readonly operands: ReadonlyArray<GuardTerm> }

export const guardTerm = (guard: unknown): GuardTerm | undefined => {
  if (guard === undefined) return undefined
  if (typeof guard === "string") return guard
  // XState's `not`, `and` and `or` return functions of these names; bundlers may append digits.
  if (hasOperands(guard)) {
    const operator = guard.name.startsWith("not") ? "not" : guard.name.startsWith("or") ? "or" : "and"
    return { operator, operands: guard.guards.map((part) => guardTerm(part) ?? "…") }
  }
  if (hasType(guard)) return guard.type
  return typeof guard === "function" && guard.name !== "" ? guard.name : "…"
}

export const guardNames = (guard: unknown): ReadonlyArray<string> => {
  const term = guardTerm(guard)
  return term === undefined ? [] : guardNamesIn(term)
}

export const guardNamesIn = (term: GuardTerm): ReadonlyArray<string> =>
  typeof term === "string" ? [term] : term.operands.flatMap(guardNamesIn)

/** `isKnownLost and not hasStaleReadyPods`. */
export const guardText = (term: GuardTerm): string => {
  if (typeof term === "string") return term
  const operandTexts = term.operands.map((part) =>
    typeof part === "string" || part.operator === "not" ? guardText(part) : `(${guardText(part)})`
  )
  return term.operator === "not" ? `not ${operandTexts.join(" ")}` : operandTexts.join(` ${term.operator} `)
}

export const guardName = (guard: unknown): string | undefined => {
  const term = guardTerm(guard)
  return term === undefined ? undefined : guardText(term)
}

/** XState's own actions are omitted, except `sendTo`, with which charts tell their parent. */
export const actionNames = (action: unknown): ReadonlyArray<string> => {
  if (typeof action === "string") return [action]
  if (!hasType(action)) return typeof action === "function" && action.name !== "" ? [action.name] : []
  if (!action.type.startsWith("xstate.")) return [action.type]
  const name = inlineActionName(action)
  if (name !== undefined) return [name]
  return action.type === "xstate.sendTo" ? ["tell parent"] : []
}

/** The name that a chart gives to an action of XState; bundlers may append digits to XState's own. */
const inlineActionName = (action: { readonly type: string }): string | undefined => {
  const fullName = "name" in action ? String(action.name) : ""
  const name = fullName.replace(/\d+$/, "")
  return name === "" || action.type.startsWith(`xstate.${name}`) ? undefined : fullName
}

export interface ChartEvent {
  readonly kind: "event" | "always" | "after" | "done"
  /** The name of the event or the delay, or "". */
  readonly name: string
}

/** `after pull` for `xstate.after.pull.container.waiting.pulling`. */
export const parseEventType = (eventType: string): ChartEvent => {
  if (eventType === "") return { kind: "always", name: "" }
  if (eventType.startsWith("xstate.done.state.")) return { kind: "done", name: "" }
  const [, delay] = eventType.match(/^xstate\.after\.([^.]+)/) ?? []
  return delay === undefined
    ? { kind: "event", name: eventType }
    : { kind: "after", name: withoutStrategyName(delay) }
}

export const chartEventText = ({ kind, name }: ChartEvent): string => {
  if (kind === "after") return `after ${/^\d+$/.test(name) ? `${name} ms` : name}`
  return kind === "done" ? "done" : name
}

/** `scaleUp` for `rollingUpdate.scaleUp`. Delays have a slash, since `parseEventType` cuts their names at a dot. */
export const withoutStrategyName = (name: string): string => name.replaceAll(/(^|[\s(])\w+[./](?=\w)/g, "$1")

const hasOperands = (
  guard: unknown
): guard is { readonly name: string; readonly guards: ReadonlyArray<unknown> } =>
  typeof guard === "function" && "guards" in guard && Array.isArray(guard.guards)

const hasType = (value: unknown): value is { readonly type: string } =>
  (typeof value === "object" || typeof value === "function") &&
  value !== null &&
  "type" in value &&
  typeof value.type === "string"
