import { actorSummary, readField, summarizeValue } from "./valueSummary.ts"
import type { ValueSummary } from "./valueSummary.ts"
import type { AnyEventObject, Snapshot } from "xstate"

/** Source: @statelyai/inspect 0.7.2, createInspector.ts (convertXStateEvent). */
const wireVersion = "0.7.2"

export interface FrameHeader {
  /** XState's session ids. */
  readonly sessionId: string
  readonly rootId: string
  readonly millis: number
}

export const actorFrame = (
  header: FrameHeader,
  actor: {
    readonly name: string
    readonly parentId: string | undefined
    readonly logic: object | undefined
    readonly snapshot: Snapshot<unknown>
  }
): string =>
  frame("@xstate.actor", header, {
    name: actor.name,
    parentId: actor.parentId,
    definition: definitionOf(actor.logic, actor.name),
    snapshot: snapshotSummary(actor.snapshot)
  })

export const eventFrame = (
  header: FrameHeader,
  event: AnyEventObject,
  sourceId: string | undefined
): string => frame("@xstate.event", header, { event: eventSummary(event), sourceId })

export const snapshotFrame = (
  header: FrameHeader,
  event: AnyEventObject,
  snapshot: Snapshot<unknown>
): string =>
  frame("@xstate.snapshot", header, { event: eventSummary(event), snapshot: snapshotSummary(snapshot) })

const frame = (type: string, { sessionId, rootId, millis }: FrameHeader, rest: object): string =>
  JSON.stringify({
    type,
    sessionId,
    rootId,
    id: null,
    createdAt: String(millis),
    _version: wireVersion,
    ...rest
  })

export const chartIdOf = (logic: object | undefined): string | undefined => {
  const config = configOf(logic)
  const id = config === undefined ? undefined : readField(config, "id")
  return typeof id === "string" ? id : undefined
}

/** Many actors run the same chart. */
const definitionByLogic = new WeakMap<object, string>()

const definitionOf = (logic: object | undefined, name: string): string => {
  const config = configOf(logic)
  if (logic === undefined || config === undefined) return JSON.stringify({ id: name })
  const cached = definitionByLogic.get(logic)
  if (cached !== undefined) return cached
  const definition = JSON.stringify(config, (_field, value: unknown) =>
    typeof value === "function" ? { type: value.name } : typeof value === "bigint" ? String(value) : value
  )
  definitionByLogic.set(logic, definition)
  return definition
}

const configOf = (logic: object | undefined): object | undefined => {
  const config = logic === undefined ? undefined : readField(logic, "config")
  return typeof config === "object" && config !== null ? config : undefined
}

const eventSummary = (event: AnyEventObject): ValueSummary => {
  const fields = Object.entries(event).map(([field, value]) => [field, summarizeValue(value)])
  return { ...Object.fromEntries(fields), type: event.type }
}

const snapshotSummary = (snapshot: Snapshot<unknown>): object => {
  const children = readField(snapshot, "children")
  const tags = readField(snapshot, "tags")
  const context = readField(snapshot, "context")
  return {
    status: snapshot.status,
    // Not shortened: a state value consists of names only.
    value: readField(snapshot, "machine") === undefined ? undefined : readField(snapshot, "value"),
    context: context === undefined ? {} : summarizeValue(context),
    tags: tags instanceof Set ? [...tags] : [],
    children:
      typeof children === "object" && children !== null
        ? Object.fromEntries(Object.keys(children).map((id) => [id, actorSummary(id)]))
        : {},
    output: summarizeValue(snapshot.output),
    error: summarizeValue(snapshot.error)
  }
}
