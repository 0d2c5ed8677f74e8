import type { Actor, AnyActorLogic, AnyActorRef, AnyActorScope, EventObject } from "xstate"

/**
 * A clock, as the `clock` of XState's `createActor`, that also keeps the delayed events of the compiled charts in the
 * actor's system. XState's own scheduler then gets none of them.
 */
export interface EventClock {
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
}

const isEventClock = (clock: object): clock is EventClock => "schedule" in clock

/** Undefined where XState's scheduler keeps the delayed events of an actor. */
export const eventClockOf = ({ self }: AnyActorScope): EventClock | undefined => {
  // Children have the clock of their system. The type of a reference lacks the field, which every actor has.
  const { clock } = self as Actor<AnyActorLogic>
  return isEventClock(clock) ? clock : undefined
}

export const schedulerOf = (scope: AnyActorScope): EventClock => eventClockOf(scope) ?? scope.system.scheduler
