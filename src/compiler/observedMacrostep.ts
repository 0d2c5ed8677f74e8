import { observedSnapshotOf } from "./snapshot.ts"
import type { AnyActorRef, AnyEventObject, AnyTransitionDefinition } from "xstate"
import type { CompiledSnapshot, ObservedSnapshot } from "./snapshot.ts"

/** One microstep of an actor, as observers get it. */
export interface Microstep {
  readonly event: AnyEventObject
  /** Empty if no state handles the event. */
  readonly transitions: ReadonlyArray<AnyTransitionDefinition>
  readonly snapshot: ObservedSnapshot
}

/** Nothing is prepared for an observer while `onMacrostep` is undefined. */
export interface ChartObserver {
  onMacrostep: ((macrostep: ObservedMacrostep) => void) | undefined
}

const emptyList: ReadonlyArray<never> = Object.freeze([])

export class ObservedMacrostep {
  readonly actor: AnyActorRef
  readonly event: AnyEventObject
  /** Undefined for an actor that is being created. */
  readonly before: ObservedSnapshot | undefined
  microsteps: ReadonlyArray<Microstep> = emptyList
  emitted: ReadonlyArray<AnyEventObject> = emptyList
  /** The actor's status after the macrostep. */
  status: ObservedSnapshot["status"] = "active"

  constructor(actor: AnyActorRef, event: AnyEventObject, before: CompiledSnapshot | undefined) {
    this.actor = actor
    this.event = event
    this.before = before === undefined ? undefined : observedSnapshotOf(before)
  }

  addMicrostep(microstep: Microstep): void {
    // Most macrosteps have one microstep: an array of one is smaller than one that grows.
    this.microsteps = this.microsteps.length === 0 ? [microstep] : [...this.microsteps, microstep]
  }

  addEmitted(event: AnyEventObject): void {
    this.emitted = this.emitted.length === 0 ? [event] : [...this.emitted, event]
  }
}
