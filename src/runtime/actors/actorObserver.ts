import * as Effect from "effect/Effect"
import { CurrentWriteObserver } from "../../store/writeObserver.ts"
import type { AnyActorRef } from "xstate"
import type { ObservedMacrostep } from "../../compiler/observedMacrostep.ts"
import type { RecordEvent } from "../../kubernetes/apps/commands.ts"
import type { Key } from "../../kubernetes/meta/objects.ts"
import type { Change } from "../../store/objectStore.ts"
import type { WriteObserver } from "../../store/writeObserver.ts"
import type { Observer } from "../observers.ts"

/** Observes all actors of a cluster. It may read everything and change nothing. */
export interface ActorObserver {
  /** An actor has started, or exists when the observer is attached. */
  readonly actorStarted: (actor: {
    readonly uid: string
    readonly key: Key
    readonly ref: AnyActorRef
  }) => void
  readonly actorStopped: (uid: string) => void
  /** A compiled chart has handled an event. What an interpreted one does is among XState's inspection events. */
  readonly macrostepTaken: (macrostep: ObservedMacrostep) => void
  /** A change makes the actor of this key look at its object. */
  readonly actorWoken: (chart: string, key: Key, change: Change) => void
  /** A key was handled although its object does not exist, or no longer. */
  readonly objectMissing: (chart: string, key: Key) => void
  /** The actor begins to perform commands. Their writes go to the observer that is returned. */
  readonly observeCommands: (uid: string) => CommandObserver
  /** Observes writes that no actor of the party asked for. A party is a controller's name, `clients` or `faults`. */
  readonly observeWrites: (party: string) => WriteObserver
  /** `uid`: of the object that the Event is about. */
  readonly eventRecorded: (uid: string, event: Omit<RecordEvent, "type">) => void
}

export interface CommandObserver extends WriteObserver {
  /** All commands have been performed, or one of them has failed. */
  readonly finished: () => void
}

/** Wraps an observer so that its errors reach no actor. */
export const guardActorObserver = (observer: ActorObserver, observe: Observer): ActorObserver => ({
  actorStarted: observe(observer.actorStarted),
  actorStopped: observe(observer.actorStopped),
  macrostepTaken: observe(observer.macrostepTaken),
  actorWoken: observe(observer.actorWoken),
  objectMissing: observe(observer.objectMissing),
  eventRecorded: observe(observer.eventRecorded),
  observeCommands: (uid) => {
    let commandObserver: CommandObserver | undefined
    observe(() => {
      commandObserver = observer.observeCommands(uid)
    })()
    return {
      onWrite: observe((write, outcome) => commandObserver?.onWrite(write, outcome)),
      finished: observe(() => commandObserver?.finished())
    }
  },
  observeWrites: (party) => {
    let writeObserver: WriteObserver | undefined
    observe(() => {
      writeObserver = observer.observeWrites(party)
    })()
    return { onWrite: observe((write, outcome) => writeObserver?.onWrite(write, outcome)) }
  }
})

/** Runs the effect that performs commands, and reports its writes to the observer. */
export const performObserved = <A, E>(
  observer: ActorObserver,
  uid: string,
  effect: Effect.Effect<A, E>
): Effect.Effect<A, E> =>
  Effect.suspend(() => {
    const commandObserver = observer.observeCommands(uid)
    return Effect.ensuring(
      Effect.provideService(effect, CurrentWriteObserver, commandObserver),
      Effect.sync(commandObserver.finished)
    )
  })
