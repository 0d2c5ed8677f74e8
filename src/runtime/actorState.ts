import type { Actor, AnyActorRef, AnyStateMachine } from "xstate"
import type { Command } from "../domain/commands.ts"
import type { Timer, TimerPlace } from "./timerHeap.ts"

/**
 * An actor as it was at one instant, and its children. A chart keeps its children in its context: each in a field of
 * its own, or in a list.
 */
export interface ActorState {
  readonly chart: ChartState
  readonly children: ReadonlyArray<ChildState>
  readonly timers: ReadonlyArray<ScheduledEvent>
  /** Commands that nobody had performed yet. */
  readonly commands?: ReadonlyArray<Command>
  readonly moving: boolean
}

/** Where one chart is; its context names children by their ids. */
interface ChartState {
  readonly status: string
  readonly value: unknown
  readonly context: object
  readonly output?: unknown
  readonly history?: Readonly<Record<string, ReadonlyArray<string>>>
}

interface ChildState {
  readonly id: string
  /** The name of its chart among those that its parent may make. */
  readonly src: string
  readonly chart: ChartState
}

/** An event that a timer will bring: who scheduled it, for whom, and by which name it can be cancelled. */
export interface ScheduledEvent {
  readonly place: TimerPlace
  readonly id: string
  readonly delay: number
  readonly event: { readonly type: string }
  /** A child's id; left out where it is the root. */
  readonly source?: string
  readonly target?: string
}

/** A chart's snapshot, as far as it is needed here. */
interface ChartSnapshot {
  readonly status: string
  readonly value: unknown
  readonly context: object
  readonly output?: unknown
  readonly children: Readonly<Record<string, Actor<AnyStateMachine>>>
  readonly historyValue: Readonly<Record<string, ReadonlyArray<{ readonly id: string }>>>
}

/** What XState has scheduled and a clock was asked for; in the order in which it was. */
interface Scheduled {
  readonly source: AnyActorRef
  readonly target: AnyActorRef
  readonly event: { readonly type: string }
  readonly delay: number
  readonly id: string
}

const snapshotOf = (ref: AnyActorRef): ChartSnapshot => ref.getSnapshot() as ChartSnapshot

const nobody: ReadonlyArray<never> = Object.freeze([])

/** How an actor is. What its snapshot holds is not copied: XState replaces it with every step, and so do the charts. */
export const stateOf = (
  ref: AnyActorRef,
  beside: {
    readonly timers: ReadonlyArray<Timer> | undefined
    readonly placeOf: (timer: Timer) => TimerPlace
    readonly moving: boolean
    readonly commands: ReadonlyArray<Command> | undefined
  }
): ActorState => {
  const snapshot = snapshotOf(ref)
  const { moving, commands } = beside
  return {
    chart: chartOf(snapshot),
    children: childrenOf(snapshot),
    timers: beside.timers === undefined ? nobody : scheduledBy(ref, beside.timers, beside.placeOf),
    ...(commands === undefined ? {} : { commands: [...commands] }),
    moving
  }
}

const childrenOf = ({ children }: ChartSnapshot): ReadonlyArray<ChildState> => {
  let states: Array<ChildState> | undefined
  for (const id in children) {
    const child = children[id]
    if (child === undefined) continue
    states ??= []
    if (typeof child.src !== "string") throw new Error("a chart makes its children by their names")
    states.push({ id, src: child.src, chart: chartOf(snapshotOf(child)) })
  }
  return states ?? nobody
}

const chartOf = ({ status, value, context, output, historyValue }: ChartSnapshot): ChartState => {
  const history = historyOf(historyValue)
  return {
    status,
    value,
    context: withNames(context),
    ...(output === undefined ? {} : { output }),
    ...(history === undefined ? {} : { history })
  }
}

const historyOf = (values: ChartSnapshot["historyValue"]): ChartState["history"] => {
  let history: Record<string, ReadonlyArray<string>> | undefined
  for (const name in values) (history ??= {})[name] = (values[name] ?? []).map(({ id }) => id)
  return history
}

/** XState's own sign for an actor that a context names. */
interface ChildName {
  readonly xstate$$type: 1
  readonly id: string
}

const isActor = (value: unknown): value is AnyActorRef =>
  typeof value === "object" && value !== null && "sessionId" in value && "send" in value

const isName = (value: unknown): value is ChildName =>
  typeof value === "object" && value !== null && "xstate$$type" in value

const nameOf = ({ id }: { readonly id: string }): ChildName => ({ xstate$$type: 1, id })

/** A context with names where it had children; itself where it has none. */
const withNames = (context: object): object => {
  const fields = context as Readonly<Record<string, unknown>>
  let named: Record<string, unknown> | undefined
  for (const field in fields) {
    const value = fields[field]
    if (isActor(value)) (named ??= { ...fields })[field] = nameOf(value)
    else if (Array.isArray(value) && value.some(isActor)) {
      named ??= { ...fields }
      named[field] = value.map((it: unknown) => (isActor(it) ? nameOf(it) : it))
    }
  }
  return named ?? context
}

/** XState puts the children where their names were, in place: into a copy. */
const withPlaces = (context: object): object => {
  const places: Record<string, unknown> = { ...context }
  for (const [field, value] of Object.entries(context)) {
    if (Array.isArray(value) && value.some(isName)) places[field] = [...(value as ReadonlyArray<unknown>)]
  }
  return places
}

const scheduledBy = (
  ref: AnyActorRef,
  timers: ReadonlyArray<Timer>,
  placeOf: (timer: Timer) => TimerPlace
): ReadonlyArray<ScheduledEvent> => {
  const scheduled: ReadonlyArray<Scheduled> = Object.values(ref.system.getSnapshot()._scheduledEvents)
  if (scheduled.length !== timers.length) throw new Error("an actor has timers of which XState knows nothing")
  return scheduled.map(({ source, target, event, delay, id }, index) => {
    const timer = timers[index]
    if (timer === undefined) throw new Error("an event is scheduled without a timer")
    return {
      place: placeOf(timer),
      id,
      delay,
      event,
      ...(source === ref ? {} : { source: source.id }),
      ...(target === ref ? {} : { target: target.id })
    }
  })
}

/** Schedules an event again; XState asks the actor's clock for its timer meanwhile. */
export const schedule = (ref: AnyActorRef, { id, delay, event, source, target }: ScheduledEvent): void => {
  const { children } = snapshotOf(ref)
  const find = (child: string | undefined): AnyActorRef => {
    const found = child === undefined ? ref : children[child]
    if (found === undefined) throw new Error(`an event is scheduled for ${child}, and there is no such child`)
    return found
  }
  ref.system.scheduler.schedule(find(source), find(target), event, delay, id)
}

/** What XState makes an actor of that is as another one was. */
export const revived = ({ chart, children }: ActorState): object => ({
  ...persisted(chart),
  children: Object.fromEntries(
    children.map(({ id, src, chart: child }) => [
      id,
      { src, snapshot: { ...persisted(child), children: {} } }
    ])
  )
})

const persisted = ({ status, value, context, output, history = {} }: ChartState): object => ({
  status,
  value,
  context: withPlaces(context),
  output,
  error: undefined,
  historyValue: Object.fromEntries(
    Object.entries(history).map(([name, ids]) => [name, ids.map((id) => ({ id }))])
  )
})
