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

/** How objects of one kind are controlled. */
export interface Controller<R extends GroupResource> {
  readonly resource: R
  readonly rank: number
  readonly machine: AnyStateMachine
  /** Wakes the actors that a change concerns. */
  readonly wakes: (change: Change, wake: Wake) => void
  readonly look: (object: ObjectOf<R>) => unknown
  readonly perform: (
    object: ObjectOf<R>,
    commands: ReadonlyArray<Command>
  ) => Effect.Effect<void, CommandRefused>
  /** Whether the chart gets a `performed` event after these commands, for charts that proceed in batches. */
  readonly tellsPerformed?: (commands: ReadonlyArray<Command>) => boolean
  /** Whether a change by the actor's own commands needs no further look. Asked only while they are performed. */
  readonly isEcho?: (change: Change) => boolean
  /** Retries of a refused key before it waits for the next change; unlimited where left out. */
  readonly retriesMax?: number
  /** For faults: gets the function that wakes actors after a change that is no object change. */
  readonly awaken?: ((wake: Wake) => void) | undefined
  readonly forget?: (uid: string) => void
}

/** Wakes the actor of a key; `rank` puts it into the turn of a lower rank. */
export type Wake = (key: Key, options?: { readonly rank: number }) => void

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
  /** Called with the cause after an actor that failed was discarded. */
  readonly onDefect: (object: KubeObject, cause: Cause.Cause<unknown>) => Effect.Effect<void>
  readonly memory?: Memory | undefined
}

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
