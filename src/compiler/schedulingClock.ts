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
  /** For an actor that has ended. */
  readonly cancelAll: (source: AnyActorRef) => void
  /** Gets the events that compiled charts emit, before the listeners of their actors do. */
  readonly emitted?: (source: AnyActorRef, event: AnyEventObject) => void
}

const isSchedulingClock = (clock: object): clock is SchedulingClock => "schedule" in clock

/** Undefined where XState's scheduler keeps the delayed events. */
export const schedulingClockOf = ({ self }: AnyActorScope): SchedulingClock | undefined => {
  // The type of a reference lacks the field `clock`, which every actor has.
  const { clock } = self as Actor<AnyActorLogic>
  return isSchedulingClock(clock) ? clock : undefined
}

export const emitFrom = (scope: AnyActorScope, event: AnyEventObject): void => {
  schedulingClockOf(scope)?.emitted?.(scope.self, event)
  scope.emit(event)
}

export const schedulerOf = (scope: AnyActorScope): SchedulingClock =>
  schedulingClockOf(scope) ?? scope.system.scheduler
