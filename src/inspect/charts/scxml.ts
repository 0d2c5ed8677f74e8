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
  const idOf = makeIds(chart)
  const document = xmlElement(
    "scxml",
    {
      xmlns: "http://www.w3.org/2005/07/scxml",
      "xmlns:charthouse": namespace,
      version: "1.0",
      name: nameToken(chart.key),
      datamodel: "ecmascript",
      initial: idOf(chart.id)
    },
    [...dataOf(chart), stateMarkup(chart, idOf)]
  )
  return `<?xml version="1.0" encoding="UTF-8"?>\n${xmlDocumentLines(document)}`
}

const namespace = "urn:charthouse:chart"

type IdOf = (id: string) => string

const dataOf = (chart: ChartState): ReadonlyArray<XmlMarkup> => {
  const handlers = statesWithin(chart).flatMap((state) => state.handlers)
  const guards = handlers.flatMap(({ branches }) =>
    branches.flatMap(({ term }) => (term === undefined ? [] : guardNamesIn(term)))
  )
  const delays = handlers.flatMap(({ event }) => (isNamedDelay(event) ? [event.name] : []))
  const data = [
    ...[...new Set(guards)].map((name) => xmlElement("data", { id: variableName(name), expr: "false" })),
    ...[...new Set(delays)].map((name) => xmlElement("data", { id: variableName(name), expr: "'0s'" }))
  ]
  return data.length === 0 ? [] : [xmlElement("datamodel", {}, data)]
}

const stateMarkup = (state: ChartState, idOf: IdOf): XmlMarkup => {
  const { id, key, type, description, tags, initial, history, states, handlers } = state
  const timers = handlers.filter(({ event }) => event.kind === "after")
  const attributes = {
    id: idOf(id),
    "charthouse:name": key,
    "charthouse:description": description,
    "charthouse:tags": tags.length === 0 ? undefined : tags.join(" ")
  }
  const content = [
    ...entryOrExit(
      "onentry",
      state.entry,
      timers.map((timer) => timerStart(idOf(id), timer))
    ),
    ...entryOrExit(
      "onexit",
      state.exit,
      timers.map(({ event }) => xmlElement("cancel", { sendid: timerEvent(idOf(id), event) }))
    ),
    ...handlers.flatMap((handler) =>
      handler.branches.map((branch) => transitionMarkup(state, handler, branch, idOf))
    ),
    ...states.map((child) => stateMarkup(child, idOf))
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
    { ...attributes, initial: initial.length === 0 ? undefined : initial.map(idOf).join(" ") },
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
  idOf: IdOf
): XmlMarkup =>
  xmlElement(
    "transition",
    {
      event: eventOf(idOf(state.id), event),
      cond: term === undefined ? undefined : condition(term),
      target: targets.length === 0 ? undefined : targets.map(idOf).join(" "),
      type: targets.length === 0 || reenter ? undefined : "internal",
      "charthouse:description": description
    },
    actions.map(logElement)
  )

const eventOf = (id: string, event: ChartEvent): string | undefined => {
  if (event.kind === "always") return undefined
  if (event.kind === "done") return `done.state.${id}`
  return event.kind === "after" ? timerEvent(id, event) : event.name
}

const timerEvent = (id: string, { name }: ChartEvent): string =>
  `after.${name.replaceAll(/[^\w-]/g, "_")}.${id}`

const timerStart = (id: string, { event }: ChartHandler): XmlMarkup => {
  const eventName = timerEvent(id, event)
  const delay = isNamedDelay(event) ? { delayexpr: variableName(event.name) } : { delay: `${event.name}ms` }
  return xmlElement("send", {
    event: eventName,
    id: eventName,
    ...delay,
    "charthouse:after": chartEventText(event)
  })
}

const isNamedDelay = ({ kind, name }: ChartEvent): boolean => kind === "after" && !/^\d+$/.test(name)

/** `isKnownLost && !hasStaleReadyPods`. */
const condition = (term: GuardTerm): string => {
  if (typeof term === "string") return variableName(term)
  if (term.operator === "not") return `!(${term.operands.map(condition).join(" && ")})`
  return `(${term.operands.map(condition).join(term.operator === "or" ? " || " : " && ")})`
}

const variableName = (name: string): string =>
  `_${name}`.replaceAll(/[^\w$]/g, "_").replace(/^_(?=[A-Za-z])/, "")

const nameToken = (text: string): string => text.replaceAll(/[^\w.-]/g, "_").replace(/^(?![A-Za-z_])/, "_")

/** Equal ids, after removal of characters that XML forbids, get `_` at the end. */
const makeIds = (chart: ChartState): IdOf => {
  const usedTokens = new Set<string>()
  const ids = new Map<string, string>()
  for (const { id } of statesWithin(chart)) {
    let token = nameToken(id)
    while (usedTokens.has(token)) token += "_"
    usedTokens.add(token)
    ids.set(id, token)
  }
  return (id) => ids.get(id) ?? nameToken(id)
}
