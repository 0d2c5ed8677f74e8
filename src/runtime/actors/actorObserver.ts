import type { AnyActorRef } from "xstate"
import type { ObservedMacrostep } from "../../compiler/observedMacrostep.ts"
import type { RecordEvent } from "../../kubernetes/apps/sharedCommands.ts"
import type { Key } from "../../kubernetes/meta/objects.ts"
import type { Change } from "../../store/objectStore.ts"
import type { WriteObserver, WriteObserverSlot } from "../../store/writeObserver.ts"
import type { ErrorCatcher } from "../observers.ts"

/** Observes all actors of a cluster. It may read everything and change nothing. */
export interface ActorObserver {
  /** An actor has started, or exists when the observer is attached. */
  readonly actorStarted: (actor: {
    readonly uid: string
    readonly key: Key
    readonly ref: AnyActorRef
  }) => void
  readonly actorStopped: (uid: string) => void
  /** A compiled chart has handled an event. Interpreted charts report through XState's inspection instead. */
  readonly macrostepTaken: (macrostep: ObservedMacrostep) => void
  /** A change makes the actor of this key look at its object. */
  readonly actorWoken: (chart: string, key: Key, change: Change) => void
  /** A key was handled although its object does not exist, or no longer. */
  readonly objectMissing: (chart: string, key: Key) => void
  /** The actor begins to perform commands. Their writes go to the observer that is returned. */
  readonly observeCommands: (uid: string) => CommandObserver
  /** Observes a party's writes that are no actor's commands. A party is a controller's name, `clients` or `faults`. */
  readonly observeWrites: (party: string) => WriteObserver
  /** `uid`: of the object that the Event is about. */
  readonly eventRecorded: (uid: string, event: Omit<RecordEvent, "type">) => void
}

export interface CommandObserver extends WriteObserver {
  /** All commands have been performed, or one of them has failed. */
  readonly finished: () => void
}

/** Wraps an observer so that its errors reach no actor. */
export const guardActorObserver = (
  actorObserver: ActorObserver,
  catchErrors: ErrorCatcher
): ActorObserver => {
  const guardedCalls: GuardedCalls = {
    write: catchErrors((observer: CommandObserver, ...writeArgs: Parameters<CommandObserver["onWrite"]>) =>
      observer.onWrite(...writeArgs)
    ),
    finish: catchErrors((observer: CommandObserver) => observer.finished())
  }
  return {
    actorStarted: catchErrors(actorObserver.actorStarted),
    actorStopped: catchErrors(actorObserver.actorStopped),
    macrostepTaken: catchErrors(actorObserver.macrostepTaken),
    actorWoken: catchErrors(actorObserver.actorWoken),
    objectMissing: catchErrors(actorObserver.objectMissing),
    eventRecorded: catchErrors(actorObserver.eventRecorded),
    observeCommands: (uid) => {
      let commandObserver: CommandObserver | undefined
      catchErrors(() => {
        commandObserver = actorObserver.observeCommands(uid)
      })()
      return new GuardedCommandObserver(guardedCalls, commandObserver)
    },
    observeWrites: (party) => {
      let writeObserver: WriteObserver | undefined
      catchErrors(() => {
        writeObserver = actorObserver.observeWrites(party)
      })()
      return { onWrite: catchErrors((write, outcome) => writeObserver?.onWrite(write, outcome)) }
    }
  }
}

/** Functions that call an observer so that its errors reach no actor. */
interface GuardedCalls {
  readonly write: (observer: CommandObserver, ...writeArgs: Parameters<CommandObserver["onWrite"]>) => void
  readonly finish: (observer: CommandObserver) => void
}

/** A class, to save memory: there is one for every set of commands that is performed. */
class GuardedCommandObserver implements CommandObserver {
  readonly #guardedCalls: GuardedCalls
  readonly #observer: CommandObserver | undefined

  constructor(guardedCalls: GuardedCalls, observer: CommandObserver | undefined) {
    this.#guardedCalls = guardedCalls
    this.#observer = observer
  }

  onWrite(...writeArgs: Parameters<CommandObserver["onWrite"]>): void {
    if (this.#observer !== undefined) this.#guardedCalls.write(this.#observer, ...writeArgs)
  }

  finished(): void {
    if (this.#observer !== undefined) this.#guardedCalls.finish(this.#observer)
  }
}

/** The commands that one worker performs just now, with the observer of their writes. */
export class CommandsInProgress implements WriteObserverSlot {
  writeObserver: CommandObserver | undefined

  begin(observer: ActorObserver, uid: string): void {
    this.writeObserver = observer.observeCommands(uid)
  }

  /** All commands have been performed, or the rest is dropped. */
  end(): void {
    const { writeObserver } = this
    this.writeObserver = undefined
    writeObserver?.finished()
  }
}
