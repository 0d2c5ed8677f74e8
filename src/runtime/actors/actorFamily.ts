import { createActor } from "xstate"
import type { ActorLogic, AnyActorRef, AnyActorScope, Snapshot } from "xstate"

/**
 * The parent of actors of one chart, which share its actor system: an own system for each of 10,000 Pods takes a
 * tenth of the heap. Their delayed events need a `SchedulingClock`, since a system has one clock.
 */
export class ActorFamily {
  readonly parent: AnyActorRef
  #scope: AnyActorScope | undefined

  constructor() {
    const logic: ActorLogic<Snapshot<undefined>, { readonly type: string }> = {
      getInitialSnapshot: (scope) => {
        this.#scope = scope
        return { status: "active", output: undefined, error: undefined }
      },
      // Ignores the ends and errors of the actors.
      transition: (snapshot) => snapshot,
      getPersistedSnapshot: (snapshot) => snapshot
    }
    this.parent = createActor(logic).start()
  }

  stop(actor: AnyActorRef): void {
    this.#scope?.stopChild(actor)
  }
}
