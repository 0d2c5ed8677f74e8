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
import type * as Cause from "effect/Cause"
import type { AnyStateMachine } from "xstate"
import type { Scope } from "effect/Scope"
import type { Command } from "../domain/commands.ts"
import type { GroupResource } from "../domain/kinds.ts"
import type { Key, KubeObject } from "../domain/objects.ts"
import type { Change, ClusterView, ObjectOf } from "../store/objectStore.ts"
import type { StoreError } from "../store/errors.ts"
import type { Actors } from "./actors.ts"
import type { Memory } from "./memory.ts"
import type { Kernel } from "./kernel.ts"
import type { BackOffsState } from "./reconciling/backOffs.ts"
import type { KeyedActorsState } from "./reconciling/keyedActors.ts"

/**
 * What a kind brings: which changes wake its actors, how they look, which chart they run, how commands are
 * performed.
 */
export interface Controller<R extends GroupResource> {
  readonly resource: R
  /** Lower ranks go first: Pods before ReplicaSets before Deployments. */
  readonly rank: number
  readonly machine: AnyStateMachine
  /** Whom a change concerns. */
  readonly wakes: (change: Change, wake: Wake) => void
  /** Reads the world for one object. */
  readonly look: (object: ObjectOf<R>) => unknown
  /** Performs in order, up to the first refusal. */
  readonly perform: (
    object: ObjectOf<R>,
    commands: ReadonlyArray<Command>
  ) => Effect.Effect<void, CommandRefused>
  /** Whether the chart is told when these commands were performed; for charts that go on in steps. */
  readonly tellsPerformed?: (commands: ReadonlyArray<Command>) => boolean
  /**
   * Whether a change that an actor's own commands made tells it nothing that it did not know when it gave them. Asked
   * only while they are being performed: where the change comes back late it is looked at like any other.
   */
  readonly isEcho?: (change: Change) => boolean
  /**
   * How often a refused key is tried again before it waits for the next change; for ever where it is left
   * out.
   */
  readonly retriesMax?: number
  /** Told as it begins how to ask for a look, for whoever changes what no object tells of. */
  readonly awaken?: ((wake: Wake) => void) | undefined
  /** Cleans up after an object that is gone. */
  readonly forget?: (uid: string) => void
}

/** Asks an actor to look; ahead of its turn with `rank`. */
export type Wake = (key: Key, options?: { readonly rank: number }) => void

/** A command that was refused, by the store or by whoever should have performed it. */
export interface CommandRefused {
  readonly command: Command["type"]
  readonly error: StoreError | { readonly _tag: string; readonly message: string; readonly cause?: unknown }
}

export const refuse =
  (command: Command["type"]) =>
  (error: StoreError): CommandRefused => ({ command, error })

export interface ReconcilerServices {
  readonly kernel: Kernel
  readonly view: ClusterView["Service"]
  readonly actors: Actors
  /** Told of every actor that failed, with the cause, after it was discarded. */
  readonly onDefect: (object: KubeObject, cause: Cause.Cause<unknown>) => Effect.Effect<void>
  readonly memory?: Memory | undefined
}

/** The actors of one kind, and which keys were refused how often. */
interface ReconcilerState {
  readonly actors: KeyedActorsState
  readonly failures: BackOffsState
}

/** Keys of one kind that are worked on side by side; more than one only where writes wait for a network. */
const workersCount = 5

/**
 * Runs the actors of one kind: a mailbox drained by supervised workers. A failure while an actor looks, decides or has
 * its commands performed discards that actor alone; it is made anew with back-off, and the others do not notice.
 *
 * R1  One object's actor is never worked on twice at a time.
 * R2  Commands are performed in the order they were emitted; after a refusal the rest of them is dropped.
 * R3  A refused key is looked at again after a back-off that only success resets; who has given up waits for a change.
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
    const work = Effect.fnUntraced(function* () {
      for (;;) {
        const key = yield* mailbox.take
        const exit = yield* Effect.exit(turn(key))
        performing.over(key)
        if (Exit.isFailure(exit)) yield* recover(key, exit.cause)
        mailbox.done(key)
      }
    })

    // Runs when the workers have ended: nobody performs what these say any more.
    yield* Effect.addFinalizer(() => Effect.sync(keyed.discardAll))
    for (let worker = 0; worker < workersCount; worker += 1) {
      yield* Effect.forkScoped(work())
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
