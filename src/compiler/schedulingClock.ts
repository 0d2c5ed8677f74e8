import type { Actor, AnyActorLogic, AnyActorRef, AnyActorScope, AnyEventObject, EventObject } from "xstate"

/**
 * A clock, as the `clock` of XState's `createActor`, that is also a scheduler: it keeps the delayed events of the
 * compiled charts in the actor's system. XState's own scheduler then gets none of them.
 */
export interface SchedulingClock {
  /** Sends `event` to `target` after a delay in milliseconds, unless `source` cancels it before. */
  readonly schedule: (
    source: AnyActorRef,
    target: AnyActorRef,
    event: EventObject,
    delay: number,
    id: string | undefined
  ) => void
  readonly cancel: (source: AnyActorRef, id: string) => void
  /** The actor has ended. */
  readonly cancelAll: (source: AnyActorRef) => void
  /** Gets the events that compiled charts emit, before the listeners of their actors do. */
  readonly emitted?: (source: AnyActorRef, event: AnyEventObject) => void
}

const isSchedulingClock = (clock: object): clock is SchedulingClock => "schedule" in clock

/** Undefined where XState's scheduler keeps the delayed events of an actor. */
export const schedulingClockOf = ({ self }: AnyActorScope): SchedulingClock | undefined => {
  // Children have the clock of their system. The type of a reference lacks the field, which every actor has.
  const { clock } = self as Actor<AnyActorLogic>
  return isSchedulingClock(clock) ? clock : undefined
}

export const emitFrom = (scope: AnyActorScope, event: AnyEventObject): void => {
  schedulingClockOf(scope)?.emitted?.(scope.self, event)
  scope.emit(event)
}

/** Keeps the delayed events of an actor: its scheduling clock, or else XState's scheduler. */
export const schedulerOf = (scope: AnyActorScope): SchedulingClock =>
  schedulingClockOf(scope) ?? scope.system.scheduler
