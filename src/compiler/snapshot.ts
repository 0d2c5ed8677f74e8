import { matchesState } from "xstate"
import { emptyHistory } from "./configuration.ts"
import { statesOfValue } from "./stateTree.ts"
import type { AnyEventObject, AnyStateMachine, AnyStateNode, Snapshot, StateValue } from "xstate"
import type { CompiledChart } from "./chart.ts"
import type { ChartHistory, Configuration } from "./configuration.ts"
import type { ChildActors } from "./stepState.ts"

interface SnapshotFields {
  readonly chart: CompiledChart
  readonly configuration: Configuration
  readonly status: "active" | "done" | "error" | "stopped"
  readonly output: unknown
  readonly error: unknown
  readonly context: unknown
  readonly children: ChildActors
  readonly historyValue: ChartHistory
  readonly observed?: ObservedSnapshot | undefined
}

/** The part of a snapshot that observers get: small, since they may keep many. */
export class ObservedSnapshot {
  readonly status: SnapshotFields["status"]
  readonly context: unknown
  readonly historyValue: ChartHistory
  readonly #configuration: Configuration

  constructor({
    status,
    context,
    historyValue,
    configuration
  }: Pick<SnapshotFields, "status" | "context" | "historyValue" | "configuration">) {
    this.status = status
    this.context = context
    this.historyValue = historyValue
    this.#configuration = configuration
  }

  get machine(): AnyStateMachine {
    return this.#configuration.machine
  }

  get value(): StateValue {
    return this.#configuration.value
  }

  get tags(): ReadonlySet<string> {
    return this.#configuration.tags
  }
}

const chartKey: unique symbol = Symbol("chart")
export const configurationKey: unique symbol = Symbol("configuration")
const observedSnapshotKey: unique symbol = Symbol("observedSnapshot")

/**
 * XState's fields; `value` and `tags` are shared between snapshots. The methods are fields, because XState copies the
 * snapshot of a failing actor field by field.
 */
export class CompiledSnapshot {
  readonly status: SnapshotFields["status"]
  readonly output: unknown
  readonly error: unknown
  readonly machine: AnyStateMachine
  readonly context: unknown
  readonly _nodes: ReadonlyArray<AnyStateNode>
  readonly value: StateValue
  readonly tags: ReadonlySet<string>
  readonly children: ChildActors
  readonly historyValue: ChartHistory
  readonly matches: (this: CompiledSnapshot, value: StateValue) => boolean
  readonly hasTag: (this: CompiledSnapshot, tag: string) => boolean
  readonly can: (this: CompiledSnapshot, event: AnyEventObject) => boolean
  readonly getMeta: (this: CompiledSnapshot) => Readonly<Record<string, unknown>>
  readonly toJSON: (this: CompiledSnapshot) => object
  readonly [chartKey]: CompiledChart
  readonly [configurationKey]: Configuration;
  [observedSnapshotKey]: ObservedSnapshot | undefined

  constructor(parts: SnapshotFields) {
    const { chart, configuration } = parts
    this.status = parts.status
    this.output = parts.output
    this.error = parts.error
    this.machine = chart.machine
    this.context = parts.context
    this._nodes = configuration.states
    this.value = configuration.value
    this.tags = configuration.tags
    this.children = parts.children
    this.historyValue = parts.historyValue
    this.matches = matches
    this.hasTag = hasTag
    this.can = can
    this.getMeta = getMeta
    this.toJSON = toJSON
    this[chartKey] = chart
    this[configurationKey] = configuration
    this[observedSnapshotKey] = parts.observed
  }
}

export const observedSnapshotOf = (snapshot: CompiledSnapshot): ObservedSnapshot => {
  const { status, context, historyValue, [configurationKey]: configuration } = snapshot
  return (snapshot[observedSnapshotKey] ??= new ObservedSnapshot({
    status,
    context,
    historyValue,
    configuration
  }))
}

function matches(this: CompiledSnapshot, value: StateValue): boolean {
  return matchesState(value, this.value)
}

function hasTag(this: CompiledSnapshot, tag: string): boolean {
  return this.tags.has(tag)
}

function can(this: CompiledSnapshot, event: AnyEventObject): boolean {
  return this[chartKey]
    .enabledBy(this[configurationKey], { context: this.context, event })
    .some(({ definition: { target, actions } }) => target !== undefined || actions.length > 0)
}

function getMeta(this: CompiledSnapshot): Readonly<Record<string, unknown>> {
  const described = this[configurationKey].states.filter(({ meta }) => meta !== undefined)
  return Object.fromEntries(described.map(({ id, meta }) => [id, meta as unknown]))
}

function toJSON(this: CompiledSnapshot): object {
  const { status, output, error, context, value, children, historyValue, tags } = this
  return { status, output, error, context, value, children, historyValue, tags: [...tags] }
}

export const toPersistedSnapshot = (snapshot: CompiledSnapshot, options: unknown): Snapshot<unknown> => {
  const { status, output, error, value, historyValue, context, children } = snapshot
  // An actor that could not be restored has only its error.
  if ((value as StateValue | undefined) === undefined)
    return { status, output, error, context, children: {}, historyValue: {} } as unknown as Snapshot<unknown>
  const allowsInline =
    typeof options === "object" && options !== null && "__unsafeAllowInlineActors" in options
  const persistedChildren = Object.entries(children).map(([id, child]) => {
    const actor = child as unknown as PersistableActor
    const { src } = actor
    if (typeof src !== "string" && !allowsInline)
      throw new Error("An inline child actor cannot be persisted.")
    const { systemId, syncSnapshot } = { systemId: undefined, ...actor.options }
    return [id, { snapshot: actor.getPersistedSnapshot(options), src, systemId, syncSnapshot }]
  })
  return {
    status,
    output,
    error,
    value,
    historyValue: Object.fromEntries(
      Object.entries(historyValue).map(([name, states]) => [name, states.map(({ id }) => ({ id }))])
    ),
    context: withReferences(context),
    children: Object.fromEntries(persistedChildren)
  } as unknown as Snapshot<unknown>
}

interface PersistableActor {
  readonly src: unknown
  readonly getPersistedSnapshot: (options: unknown) => Snapshot<unknown>
  readonly options: { readonly systemId?: string; readonly syncSnapshot?: boolean }
}

/** XState's marker of an actor in a persisted context. */
const referenceType = 1

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const mapParts = (value: unknown, toPart: (part: unknown) => unknown): unknown => {
  if (!isObject(value)) return value
  let copy: Record<string, unknown> | undefined
  for (const key in value) {
    const part = value[key]
    if (!isObject(part)) continue
    const mapped = toPart(part)
    if (mapped === part) continue
    copy ??= (Array.isArray(value) ? [...(value as ReadonlyArray<unknown>)] : { ...value }) as Record<
      string,
      unknown
    >
    copy[key] = mapped
  }
  return copy ?? value
}

/** Replaces actors by their ids. */
const withReferences = (context: unknown): unknown =>
  mapParts(context, (part) =>
    isObject(part) && "sessionId" in part && "send" in part && "ref" in part
      ? { xstate$$type: referenceType, id: part["id"] }
      : withReferences(part)
  )

/** Replaces ids by actors. A part that contains itself stays. */
export const withActors = (context: unknown, children: ChildActors): unknown => {
  const mapped = new Map<unknown, unknown>()
  const map = (value: unknown): unknown => {
    if (mapped.has(value)) return mapped.get(value)
    mapped.set(value, value)
    const result = mapParts(value, (part) =>
      isObject(part) && part["xstate$$type"] === referenceType ? children[String(part["id"])] : map(part)
    )
    mapped.set(value, result)
    return result
  }
  return map(context)
}

export const restoreHistory = (
  machine: AnyStateMachine,
  persisted: Readonly<Record<string, ReadonlyArray<{ readonly id: string }>>> = {}
): ChartHistory => {
  const known = Object.entries(persisted).flatMap(([name, states]) => {
    const knownStates = states.flatMap(({ id }) => knownState(machine, id))
    return knownStates.length === 0 ? [] : [[name, knownStates] as const]
  })
  return known.length === 0 ? emptyHistory : Object.fromEntries(known)
}

/** Empty for a state that the chart no longer has. */
const knownState = (machine: AnyStateMachine, id: string): ReadonlyArray<AnyStateNode> => {
  try {
    return [machine.getStateNodeById(id)]
  } catch {
    return []
  }
}

export const restoreConfiguration = (chart: CompiledChart, value: StateValue): Configuration =>
  chart.configurationOf(statesOfValue(chart.machine.root, value))
