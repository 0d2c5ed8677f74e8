import type { AnyActorRef } from "xstate"
import type { ObservedMacrostep } from "../../compiler/observedMacrostep.ts"
import type { RecordEvent } from "../../kubernetes/apps/sharedCommands.ts"
import type { Key } from "../../kubernetes/meta/objects.ts"
import type { Change } from "../../store/objectStore.ts"
import type { WriteObserver, WritesInProgress } from "../../store/writeObserver.ts"
import type { ErrorCatcher } from "../observers.ts"

export interface ActorObserver {
  /** Also called for actors that exist when the observer is attached. */
  readonly actorStarted: (actor: {
    readonly uid: string
    readonly key: Key
    readonly ref: AnyActorRef
  }) => void
  readonly actorStopped: (uid: string) => void
  /** Only compiled charts call this; interpreted ones report through XState's inspection. */
  readonly macrostepTaken: (macrostep: ObservedMacrostep) => void
  readonly actorWoken: (chart: string, key: Key, change: Change) => void
  /** Called when the object of a woken actor is gone. */
  readonly objectMissing: (chart: string, key: Key) => void
  /** The returned observer gets the writes of the commands. */
  readonly observeCommands: (uid: string) => CommandObserver
  /** Observes writes that are no actor's commands. A party is a controller's name, `clients` or `faults`. */
  readonly observeWrites: (party: string) => WriteObserver
  readonly eventRecorded: (uid: string, event: Omit<RecordEvent, "type">) => void
}

export interface CommandObserver extends WriteObserver {
  readonly finished: () => void
}

/** The observer's errors reach no actor. */
export const catchObserverErrors = (
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

interface GuardedCalls {
  readonly write: (observer: CommandObserver, ...writeArgs: Parameters<CommandObserver["onWrite"]>) => void
  readonly finish: (observer: CommandObserver) => void
}

/** A class, to save memory: each set of commands has one. */
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

/** Reports the commands that a worker performs: `writeObserver` gets their writes until `end`. */
export class CommandReporter implements WritesInProgress {
  writeObserver: CommandObserver | undefined

  begin(observer: ActorObserver, uid: string): void {
    this.writeObserver = observer.observeCommands(uid)
  }

  end(): void {
    const { writeObserver } = this
    this.writeObserver = undefined
    writeObserver?.finished()
  }
}
