import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { keyOf } from "../domain/objects.ts"
import { inform } from "./informer.ts"
import { makeMailbox } from "./mailbox.ts"
import { noMemory } from "./memory.ts"
import { makeBackOffs } from "./reconciling/backOffs.ts"
import { makeKeyedActors } from "./reconciling/keyedActors.ts"
import { makePerforming } from "./reconciling/performing.ts"
import { makeRecovering } from "./reconciling/recovering.ts"
import { makeTurn } from "./reconciling/turn.ts"
import type { Scope } from "effect/Scope"
import type { GroupResource } from "../domain/kinds.ts"
import type { Controller, ReconcilerServices, Wake } from "./controller.ts"
import type { BackOffsState } from "./reconciling/backOffs.ts"
import type { KeyedActorsState } from "./reconciling/keyedActors.ts"

interface ReconcilerState {
  readonly actors: KeyedActorsState
  readonly failures: BackOffsState
}

/** Workers per kind; several keys are handled at a time only where writes wait for a network. */
const workersCount = 5

/**
 * Runs the actors of one kind: workers take keys from a mailbox. A defect in an actor, its look or its commands
 * discards that actor alone; it is created again after a back-off.
 *
 * R1  The actor of a key is handled by one worker at a time.
 * R2  Commands are performed in the order they were emitted; after a refused command the others are dropped.
 * R3  A refused key is retried with back-off, which success resets. After `retriesMax` retries it waits for a change.
 */
export const reconcile = <R extends GroupResource>(
  controller: Controller<R>,
  services: ReconcilerServices
): Effect.Effect<void, never, Scope> =>
  Effect.gen(function* () {
    const { kernel, view, actors, memory = noMemory } = services
    const { resource } = controller
    const mailbox = yield* makeMailbox({ kernel, rank: controller.rank, memory })
    const wake: Wake = (key, options) => {
      keyed.mark(key)
      mailbox.offer(key, options)
    }
    const { retriesMax } = controller
    const backOffs = yield* makeBackOffs({ kernel, memory, retriesMax, wake: (key) => wake(key) })
    const keyed = makeKeyedActors({ controller, actors, memory, onSpeak: (key) => mailbox.offer(key) })
    memory.carry<ReconcilerState>("actors", {
      save: () => ({ actors: keyed.save(), failures: backOffs.save() }),
      restore: (state) => {
        keyed.restore(state.actors)
        backOffs.restore(state.failures)
      }
    })
    const performing = makePerforming(controller, services, wake)
    const parts = { keyed, performing, backOffs }
    const turn = makeTurn(controller, services, parts)
    const recover = makeRecovering(controller, services, parts)
    const runWorker = Effect.fnUntraced(function* () {
      for (;;) {
        const key = yield* mailbox.take
        const exit = yield* Effect.exit(turn(key))
        performing.over(key)
        if (Exit.isFailure(exit)) yield* recover(key, exit.cause)
        mailbox.done(key)
      }
    })

    yield* Effect.addFinalizer(() => Effect.sync(keyed.discardAll))
    for (let worker = 0; worker < workersCount; worker += 1) {
      yield* Effect.forkScoped(runWorker())
    }
    yield* inform({ view, memory }, (change) => {
      const isOwn = change.resource === resource && performing.isUnderway(keyOf(change.object))
      if (isOwn && controller.isEcho?.(change) === true) return
      const { onlooker } = actors
      if (onlooker === undefined) return controller.wakes(change, wake)
      controller.wakes(change, (key, options) => {
        onlooker.wakes(controller.machine.id, key, change)
        wake(key, options)
      })
    })
    controller.awaken?.(wake)
    if (!memory.isNew) return
    for (const object of view.all(resource)) {
      wake(keyOf(object))
    }
  })
