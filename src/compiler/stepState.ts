import type { AnyActorLogic, AnyActorRef, AnyActorScope, AnyEventObject } from "xstate"

export type Operation = (state: StepState) => void

export type LogicOf = (src: string | AnyActorLogic) => AnyActorLogic | undefined

/** Undefined for a child whose logic is not implemented, as in XState. */
export type ChildActors = Readonly<Record<string, AnyActorRef | undefined>>

/** What operations change during a macrostep. As in XState, outside effects wait until the snapshot is set. */
export class StepState {
  readonly scope: AnyActorScope
  readonly logicOf: LogicOf
  isInitial = false
  /** The event that the current microstep handles. */
  event: AnyEventObject
  context: unknown = undefined
  children: ChildActors = noChildren
  status: "active" | "done" | "error" | "stopped" = "active"
  output: unknown = undefined
  error: unknown = undefined
  /** Whether the snapshot differs from that before the microstep. */
  hasChanged = false
  readonly raisedEvents: Array<AnyEventObject> = []
  observed: { readonly addEmitted: (event: AnyEventObject) => void } | undefined = undefined
  unstartedChildren: Set<AnyActorRef> | undefined = undefined

  constructor(scope: AnyActorScope, logicOf: LogicOf, event: AnyEventObject) {
    this.scope = scope
    this.logicOf = logicOf
    this.event = event
  }

  /** During creation, effects follow the starts of spawned children and the custom actions, as in XState. */
  defer(effect: () => void): void {
    const { scope } = this
    if (this.isInitial) scope.defer(() => scope.defer(effect))
    else scope.defer(effect)
  }
}

export const noChildren: ChildActors = Object.freeze({})

export class ActionArgs {
  readonly context: unknown
  readonly event: AnyEventObject
  readonly self: AnyActorRef
  readonly system: AnyActorScope["system"]

  constructor({ context, event, scope }: StepState) {
    this.context = context
    this.event = event
    this.self = scope.self
    this.system = scope.system
  }
}
