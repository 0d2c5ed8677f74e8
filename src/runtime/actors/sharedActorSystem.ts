import { createActor } from "xstate"
import type { ActorLogic, AnyActorRef, AnyActorScope, AnyMachineSnapshot, Snapshot } from "xstate"

/**
 * The parent of actors of one chart, which share its actor system: an own system for each of 10,000 Pods takes a
 * tenth of the heap. Their delayed events need a `SchedulingClock`, since a system has one clock.
 */
export class SharedActorSystem {
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
    // An actor that could not be restored has no children.
    const { status, children = {} } = actor.getSnapshot() as Partial<AnyMachineSnapshot>
    this.#scope?.stopChild(actor)
    // A chart that has thrown no longer stops its children, which the system would keep.
    if (status !== "error") return
    for (const child of Object.values(children) as ReadonlyArray<AnyActorRef>)
      if (child.getSnapshot().status === "active") child.send({ type: "xstate.stop" })
  }
}
