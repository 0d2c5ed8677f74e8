import { statesWithin } from "./chartTree.ts"
import { chartEventText, guardNamesIn } from "./chartNames.ts"
import { xmlElement, xmlDocumentLines } from "./xmlMarkup.ts"
import type { ChartBranch, ChartHandler, ChartState } from "./chartTree.ts"
import type { ChartEvent, GuardTerm } from "./chartNames.ts"
import type { XmlMarkup } from "./xmlMarkup.ts"

/**
 * The program that runs the document sets its guards (false until then) and delays (0 s). Actions are logged by name.
 * Source: W3C, State Chart XML (SCXML), 3 and B.2.
 */
export const scxmlOf = (chart: ChartState): string => {
  const tokens = makeTokens(chart)
  const document = xmlElement(
    "scxml",
    {
      xmlns: "http://www.w3.org/2005/07/scxml",
      "xmlns:charthouse": namespace,
      version: "1.0",
      name: nameToken(chart.key),
      datamodel: "ecmascript",
      initial: tokens.stateId(chart.id)
    },
    [...dataOf(chart, tokens), stateMarkup(chart, tokens)]
  )
  return `<?xml version="1.0" encoding="UTF-8"?>\n${xmlDocumentLines(document)}`
}

const namespace = "urn:charthouse:chart"

interface Tokens {
  readonly stateId: (id: string) => string
  readonly guard: (name: string) => string
  /** The variable of a named delay. */
  readonly delay: (name: string) => string
  readonly timer: (delay: string) => string
}

const handlersWithin = (chart: ChartState): ReadonlyArray<ChartHandler> =>
  statesWithin(chart).flatMap((state) => state.handlers)

const guardsWithin = (chart: ChartState): ReadonlySet<string> =>
  new Set(
    handlersWithin(chart).flatMap(({ branches }) =>
      branches.flatMap(({ term }) => (term === undefined ? [] : guardNamesIn(term)))
    )
  )

const delaysWithin = (chart: ChartState): ReadonlySet<string> =>
  new Set(handlersWithin(chart).flatMap(({ event }) => (isNamedDelay(event) ? [event.name] : [])))

const dataOf = (chart: ChartState, { guard, delay }: Tokens): ReadonlyArray<XmlMarkup> => {
  const data = [
    ...Array.from(guardsWithin(chart), (name) => xmlElement("data", { id: guard(name), expr: "false" })),
    ...Array.from(delaysWithin(chart), (name) => xmlElement("data", { id: delay(name), expr: "'0s'" }))
  ]
  return data.length === 0 ? [] : [xmlElement("datamodel", {}, data)]
}

const stateMarkup = (state: ChartState, tokens: Tokens): XmlMarkup => {
  const { id, key, type, description, tags, initial, history, states, handlers } = state
  const timers = handlers.filter(({ event }) => event.kind === "after")
  const attributes = {
    id: tokens.stateId(id),
    "charthouse:name": key,
    "charthouse:description": description,
    "charthouse:tags": tags.length === 0 ? undefined : tags.join(" ")
  }
  const content = [
    ...entryOrExit(
      "onentry",
      state.entry,
      timers.map((timer) => timerStart(id, timer, tokens))
    ),
    ...entryOrExit(
      "onexit",
      state.exit,
      timers.map(({ event }) => xmlElement("cancel", { sendid: timerEvent(id, event, tokens) }))
    ),
    ...handlers.flatMap((handler) =>
      handler.branches.map((branch) => transitionMarkup(state, handler, branch, tokens))
    ),
    ...states.map((child) => stateMarkup(child, tokens))
  ]
  if (type === "history") return xmlElement("history", { ...attributes, type: history }, content)
  // SCXML allows no transitions in a final state.
  if (type === "final")
    return xmlElement(
      "final",
      attributes,
      content.filter((it) => !("transition" in it))
    )
  if (type === "parallel") return xmlElement("parallel", attributes, content)
  return xmlElement(
    "state",
    { ...attributes, initial: initial.length === 0 ? undefined : initial.map(tokens.stateId).join(" ") },
    content
  )
}

const entryOrExit = (
  name: "onentry" | "onexit",
  actions: ReadonlyArray<string>,
  timers: ReadonlyArray<XmlMarkup>
): ReadonlyArray<XmlMarkup> => {
  const content = [...actions.map(logElement), ...timers]
  return content.length === 0 ? [] : [xmlElement(name, {}, content)]
}

const logElement = (action: string): XmlMarkup => xmlElement("log", { label: action })

const transitionMarkup = (
  state: ChartState,
  { event }: ChartHandler,
  { term, targets, actions, reenter, description }: ChartBranch,
  tokens: Tokens
): XmlMarkup =>
  xmlElement(
    "transition",
    {
      event: eventOf(state.id, event, tokens),
      cond: term === undefined ? undefined : condition(term, tokens),
      target: targets.length === 0 ? undefined : targets.map(tokens.stateId).join(" "),
      type: targets.length === 0 || reenter ? undefined : "internal",
      "charthouse:description": description
    },
    actions.map(logElement)
  )

const eventOf = (id: string, event: ChartEvent, tokens: Tokens): string | undefined => {
  if (event.kind === "always") return undefined
  if (event.kind === "done") return `done.state.${tokens.stateId(id)}`
  return event.kind === "after" ? timerEvent(id, event, tokens) : event.name
}

const timerEvent = (id: string, { name }: ChartEvent, { timer, stateId }: Tokens): string =>
  `after.${timer(name)}.${stateId(id)}`

const timerStart = (id: string, { event }: ChartHandler, tokens: Tokens): XmlMarkup => {
  const eventName = timerEvent(id, event, tokens)
  const delay = isNamedDelay(event) ? { delayexpr: tokens.delay(event.name) } : { delay: `${event.name}ms` }
  return xmlElement("send", {
    event: eventName,
    id: eventName,
    ...delay,
    "charthouse:after": chartEventText(event)
  })
}

const isNamedDelay = ({ kind, name }: ChartEvent): boolean => kind === "after" && !/^\d+$/.test(name)

/** `isKnownLost && !hasStaleReadyPods`. */
const condition = (term: GuardTerm, tokens: Tokens): string => {
  if (typeof term === "string") return tokens.guard(term)
  const operands = term.operands.map((operand) => condition(operand, tokens))
  if (term.operator === "not") return `!(${operands.join(" && ")})`
  return `(${operands.join(term.operator === "or" ? " || " : " && ")})`
}

const variableName = (name: string): string =>
  `_${name}`.replaceAll(/[^\w$]/g, "_").replace(/^_(?=[A-Za-z])/, "")

const nameToken = (text: string): string => text.replaceAll(/[^\w.-]/g, "_").replace(/^(?![A-Za-z_])/, "_")

const timerToken = (delay: string): string => delay.replaceAll(/[^\w-]/g, "_")

const makeTokens = (chart: ChartState): Tokens => {
  const delays = delaysWithin(chart)
  // Ids of states and of variables are ids of one document.
  const usedIds = new Set<string>()
  return {
    stateId: uniqueTokens(
      statesWithin(chart).map(({ id }) => id),
      nameToken,
      usedIds
    ),
    guard: uniqueTokens(guardsWithin(chart), variableName, usedIds),
    delay: uniqueTokens(delays, variableName, usedIds),
    timer: uniqueTokens(delays, timerToken, new Set())
  }
}

/** Equal tokens, after removal of characters that are forbidden, get `_` at the end. */
const uniqueTokens = (
  names: Iterable<string>,
  tokenOf: (name: string) => string,
  used: Set<string>
): ((name: string) => string) => {
  const tokens = new Map<string, string>()
  for (const name of names) {
    let token = tokenOf(name)
    while (used.has(token)) token += "_"
    used.add(token)
    tokens.set(name, token)
  }
  return (name) => tokens.get(name) ?? tokenOf(name)
}
