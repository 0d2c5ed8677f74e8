import type { Actor, AnyActorLogic, AnyActorRef, AnyActorScope, AnyEventObject, EventObject } from "xstate"

/** A `clock` for XState's `createActor` that also schedules the delayed events of compiled charts. */
export interface SchedulingClock {
  /** `delay` in milliseconds. */
  readonly schedule: (
    source: AnyActorRef,
    target: AnyActorRef,
    event: EventObject,
    delay: number,
    id: string | undefined
  ) => void
  readonly cancel: (source: AnyActorRef, id: string) => void
  /** Cancels the delayed events of an actor that has ended. */
  readonly cancelAll: (source: AnyActorRef) => void
  /** Gets the events that compiled charts emit, before the listeners of their actors do. */
  readonly emitted?: (source: AnyActorRef, event: AnyEventObject) => void
}

const isSchedulingClock = (clock: object): clock is SchedulingClock => "schedule" in clock

/** A child has its parent's clock, also where their actor system has another. */
export const clockOf = ({ self }: AnyActorScope): Actor<AnyActorLogic>["clock"] =>
  // The type of a reference lacks the field `clock`, which every actor has.
  (self as Actor<AnyActorLogic>).clock

/** Undefined where XState's scheduler keeps the delayed events. */
export const schedulingClockOf = (scope: AnyActorScope): SchedulingClock | undefined => {
  const clock = clockOf(scope)
  return isSchedulingClock(clock) ? clock : undefined
}

export const emitFrom = (scope: AnyActorScope, event: AnyEventObject): void => {
  schedulingClockOf(scope)?.emitted?.(scope.self, event)
  scope.emit(event)
}

export const schedulerOf = (scope: AnyActorScope): SchedulingClock =>
  schedulingClockOf(scope) ?? scope.system.scheduler
