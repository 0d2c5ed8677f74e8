import { actorSummary, fieldOf, summarise } from "./summary.ts"
import type { Summary } from "./summary.ts"
import type { AnyEventObject, Snapshot } from "xstate"

/**
 * The frames that Stately's inspector and every receiver of `@statelyai/inspect` understand: JSON, one a message.
 *
 * Source: @statelyai/inspect 0.7.2, createInspector.ts (convertXStateEvent).
 */
const wireVersion = "0.7.2"

/** What every frame says of the actor it is about, and of when. */
export interface FrameAbout {
  readonly sessionId: string
  readonly rootId: string
  readonly millis: number
}

/** Introduces an actor: what it is called, whose it is, which chart it runs and where in it it is. */
export const actorFrame = (
  about: FrameAbout,
  actor: {
    readonly name: string
    readonly parentId: string | undefined
    readonly logic: object | undefined
    readonly snapshot: Snapshot<unknown>
  }
): string =>
  frame("@xstate.actor", about, {
    name: actor.name,
    parentId: actor.parentId,
    definition: definitionOf(actor.logic, actor.name),
    snapshot: snapshotSummary(actor.snapshot)
  })

/** Tells of an event on its way to an actor. */
export const eventFrame = (about: FrameAbout, event: AnyEventObject, sourceId: string | undefined): string =>
  frame("@xstate.event", about, { event: eventSummary(event), sourceId })

/** Tells where an actor is now, and which event led there. */
export const snapshotFrame = (
  about: FrameAbout,
  event: AnyEventObject,
  snapshot: Snapshot<unknown>
): string =>
  frame("@xstate.snapshot", about, { event: eventSummary(event), snapshot: snapshotSummary(snapshot) })

const frame = (type: string, { sessionId, rootId, millis }: FrameAbout, rest: object): string =>
  JSON.stringify({
    type,
    sessionId,
    rootId,
    id: null,
    createdAt: String(millis),
    _version: wireVersion,
    ...rest
  })

/** The chart's own name, where its logic is a chart. */
export const chartIdOf = (logic: object | undefined): string | undefined => {
  const config = configOf(logic)
  const id = config === undefined ? undefined : fieldOf(config, "id")
  return typeof id === "string" ? id : undefined
}

/** Charts are few and actors many: each is written out once. */
const definitionByLogic = new WeakMap<object, string>()

const definitionOf = (logic: object | undefined, name: string): string => {
  const config = configOf(logic)
  if (logic === undefined || config === undefined) return JSON.stringify({ id: name })
  const known = definitionByLogic.get(logic)
  if (known !== undefined) return known
  const definition = JSON.stringify(config, (_field, value: unknown) =>
    typeof value === "function" ? { type: value.name } : typeof value === "bigint" ? String(value) : value
  )
  definitionByLogic.set(logic, definition)
  return definition
}

const configOf = (logic: object | undefined): object | undefined => {
  const config = logic === undefined ? undefined : fieldOf(logic, "config")
  return typeof config === "object" && config !== null ? config : undefined
}

const eventSummary = (event: AnyEventObject): Summary => {
  const fields = Object.entries(event).map(([field, value]) => [field, summarise(value)])
  return { ...Object.fromEntries(fields), type: event.type }
}

const snapshotSummary = (snapshot: Snapshot<unknown>): object => {
  const children = fieldOf(snapshot, "children")
  const tags = fieldOf(snapshot, "tags")
  const context = fieldOf(snapshot, "context")
  return {
    status: snapshot.status,
    // The one part that is passed on uncut: a state's path is all names, and is nothing without its leaves.
    value: fieldOf(snapshot, "machine") === undefined ? undefined : fieldOf(snapshot, "value"),
    context: context === undefined ? {} : summarise(context),
    tags: tags instanceof Set ? [...tags] : [],
    children:
      typeof children === "object" && children !== null
        ? Object.fromEntries(Object.keys(children).map((id) => [id, actorSummary(id)]))
        : {},
    output: summarise(snapshot.output),
    error: summarise(snapshot.error)
  }
}
