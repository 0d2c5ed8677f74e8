import { StateMachine } from "xstate"
import type { Actor, AnyActorLogic, AnyActorRef, AnyStateMachine } from "xstate"
import type { SchedulingClock } from "../../compiler/schedulingClock.ts"
import type { Command } from "../../kubernetes/apps/commands.ts"
import type { Timer, TimerPlace } from "../time/timerHeap.ts"

export interface ActorState {
  readonly chart: ChartState
  readonly children: ReadonlyArray<ChildState>
  readonly timers: ReadonlyArray<ScheduledEvent>
  /** Commands that are not performed yet. */
  readonly commands?: ReadonlyArray<Command>
  readonly isMoving: boolean
}

interface ChartState {
  readonly status: string
  readonly value: unknown
  readonly context: object
  readonly output?: unknown
  readonly history?: Readonly<Record<string, ReadonlyArray<string>>>
}

interface ChildState {
  readonly id: string
  /** The key in the parent's `setup({ actors })`. */
  readonly src: string
  readonly chart: ChartState
}

export interface ScheduledEvent {
  readonly place: TimerPlace
  readonly id: string
  /** In milliseconds. */
  readonly delay: number
  readonly event: { readonly type: string }
  /** Ids of children; the actor itself if omitted. */
  readonly source?: string
  readonly target?: string
}

interface ChartSnapshot {
  readonly status: string
  readonly value: unknown
  readonly context: object
  readonly output?: unknown
  readonly children: Readonly<Record<string, Actor<AnyStateMachine>>>
  readonly historyValue: Readonly<Record<string, ReadonlyArray<{ readonly id: string }>>>
}

export interface DelayedEvent {
  readonly source: AnyActorRef
  readonly target: AnyActorRef
  readonly event: { readonly type: string }
  /** In milliseconds. */
  readonly delay: number
  readonly id: string
}

export interface ActorTimer {
  readonly timer: Timer
  /** Undefined for an interpreted chart, whose events XState's scheduler keeps. */
  delayed: DelayedEvent | undefined
}

const snapshotOf = (ref: AnyActorRef): ChartSnapshot => ref.getSnapshot() as ChartSnapshot

const emptyList: ReadonlyArray<never> = Object.freeze([])

/** The state is not copied, since XState and the charts replace every part with each step. */
export const actorStateOf = (
  ref: AnyActorRef,
  runtime: {
    readonly timers: ReadonlyArray<ActorTimer> | undefined
    readonly saveTimerPlace: (timer: Timer) => TimerPlace
    readonly isMoving: boolean
    readonly commands: ReadonlyArray<Command> | undefined
  }
): ActorState => {
  const snapshot = snapshotOf(ref)
  const { isMoving, commands } = runtime
  return {
    chart: chartStateOf(snapshot),
    children: childStatesOf(snapshot),
    timers:
      runtime.timers === undefined
        ? emptyList
        : scheduledEventsOf(ref, runtime.timers, runtime.saveTimerPlace),
    ...(commands === undefined ? {} : { commands: [...commands] }),
    isMoving
  }
}

const childStatesOf = ({ children }: ChartSnapshot): ReadonlyArray<ChildState> => {
  let states: Array<ChildState> | undefined
  for (const id in children) {
    const child = children[id]
    if (child === undefined) continue
    states ??= []
    if (typeof child.src !== "string")
      throw new Error("a chart must spawn its children by their names in setup({ actors })")
    states.push({ id, src: child.src, chart: chartStateOf(snapshotOf(child)) })
  }
  return states ?? emptyList
}

const chartStateOf = ({ status, value, context, output, historyValue }: ChartSnapshot): ChartState => {
  const history = historyOf(historyValue)
  return {
    status,
    value,
    context: withReferences(context),
    ...(output === undefined ? {} : { output }),
    ...(history === undefined ? {} : { history })
  }
}

const historyOf = (values: ChartSnapshot["historyValue"]): ChartState["history"] => {
  let history: Record<string, ReadonlyArray<string>> | undefined
  for (const name in values) (history ??= {})[name] = (values[name] ?? []).map(({ id }) => id)
  return history
}

interface ChildReference {
  readonly xstate$$type: 1
  readonly id: string
}

const isActor = (value: unknown): value is AnyActorRef =>
  typeof value === "object" && value !== null && "sessionId" in value && "send" in value

const isChildReference = (value: unknown): value is ChildReference =>
  typeof value === "object" && value !== null && "xstate$$type" in value

const referenceTo = ({ id }: { readonly id: string }): ChildReference => ({ xstate$$type: 1, id })

const withReferences = (context: object): object => {
  const fields = context as Readonly<Record<string, unknown>>
  let replaced: Record<string, unknown> | undefined
  for (const field in fields) {
    const value = fields[field]
    if (isActor(value)) (replaced ??= { ...fields })[field] = referenceTo(value)
    else if (Array.isArray(value) && value.some(isActor)) {
      replaced ??= { ...fields }
      replaced[field] = value.map((element: unknown) => (isActor(element) ? referenceTo(element) : element))
    }
  }
  return replaced ?? context
}

/** A copy, since XState replaces the references by actors in place. */
const withCopiedLists = (context: object): object => {
  const copy: Record<string, unknown> = { ...context }
  for (const [field, value] of Object.entries(context)) {
    if (Array.isArray(value) && value.some(isChildReference))
      copy[field] = [...(value as ReadonlyArray<unknown>)]
  }
  return copy
}

const scheduledEventsOf = (
  ref: AnyActorRef,
  timers: ReadonlyArray<ActorTimer>,
  saveTimerPlace: (timer: Timer) => TimerPlace
): ReadonlyArray<ScheduledEvent> => {
  const xstateTimersCount = timers.filter(({ delayed }) => delayed === undefined).length
  const xstateEvents: Array<DelayedEvent> =
    xstateTimersCount === 0 ? [] : Object.values(ref.system.getSnapshot()._scheduledEvents)
  if (xstateEvents.length !== xstateTimersCount)
    throw new Error(
      `XState has ${xstateEvents.length} scheduled events of an actor, and ${xstateTimersCount} timers are set for them`
    )
  // XState notes an event just before it sets the timer, so both lists have the same order.
  return timers.map(({ timer, delayed = xstateEvents.shift() }) => {
    if (delayed === undefined) throw new Error("a timer is set without an event")
    const { source, target, event, delay, id } = delayed
    return {
      place: saveTimerPlace(timer),
      id,
      delay,
      event,
      ...(source === ref ? {} : { source: source.id }),
      ...(target === ref ? {} : { target: target.id })
    }
  })
}

/** XState's scheduler takes the event if its sender's chart is interpreted. */
export const rescheduleEvent = (
  ref: AnyActorRef,
  { id, delay, event, source, target }: ScheduledEvent,
  clock: SchedulingClock
): void => {
  const { children } = snapshotOf(ref)
  const find = (child: string | undefined): AnyActorRef => {
    const found = child === undefined ? ref : children[child]
    if (found === undefined) throw new Error(`an event is scheduled for ${child}, and there is no such child`)
    return found
  }
  const sender = find(source)
  const { scheduler } = ref.system
  const responsibleScheduler = isInterpreted(sender) ? scheduler : clock
  responsibleScheduler.schedule(sender, find(target), event, delay, id)
}

export const isInterpreted = (ref: AnyActorRef): boolean =>
  (ref as Actor<AnyActorLogic>).logic instanceof StateMachine

export const toXStateSnapshot = ({ chart, children }: ActorState): object => ({
  ...persistedChart(chart),
  children: Object.fromEntries(
    children.map(({ id, src, chart: child }) => [
      id,
      { src, snapshot: { ...persistedChart(child), children: {} } }
    ])
  )
})

const persistedChart = ({ status, value, context, output, history = {} }: ChartState): object => ({
  status,
  value,
  context: withCopiedLists(context),
  output,
  error: undefined,
  historyValue: Object.fromEntries(
    Object.entries(history).map(([name, ids]) => [name, ids.map((id) => ({ id }))])
  )
})
