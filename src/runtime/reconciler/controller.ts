import type { ObjectOf } from "../../kubernetes/meta/resourceTypes.ts"
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { AnyStateMachine } from "xstate"
import type { Command } from "../../kubernetes/apps/commands.ts"
import type { GroupResource } from "../../kubernetes/meta/kinds.ts"
import type { Key, KubeObject } from "../../kubernetes/meta/objects.ts"
import type { StoreError } from "../../store/storeErrors.ts"
import type { Change, ClusterView } from "../../store/objectStore.ts"
import type { Actors } from "../actors/actors.ts"
import type { Kernel } from "../time/kernel.ts"
import type { SnapshotParts } from "../snapshotParts.ts"

/** How objects of one kind are controlled. */
export interface Controller<R extends GroupResource> {
  readonly resource: R
  /**
   * At one instant, the controller with the lowest turn order looks first: Pods before ReplicaSets before Deployments.
   */
  readonly turnOrder: number
  readonly machine: AnyStateMachine
  /**
   * The name of a delay after which a state of the chart is entered again and again, always as long after the last
   * time. While nothing else is due, the kernel may leave out all these rounds but the last.
   */
  readonly repeatedDelay?: string
  /** The id of an object's actor, by the object's uid; the uid itself where left out. */
  readonly actorIdOf?: (uid: string) => string
  /** Whether an object has an actor; all have where left out. */
  readonly hasActor?: (object: ObjectOf<R>) => boolean
  /** The resources whose changes may wake actors. */
  readonly watches: ReadonlyArray<GroupResource>
  /** Wakes the actors that a change concerns. */
  readonly wakeActors: (change: Change, wake: Wake) => void
  /** Makes the observation for a look of the object's actor. */
  readonly look: (object: ObjectOf<R>) => unknown
  /** Performs commands in order, up to the first that is refused. An exit says that they are performed already. */
  readonly perform: (
    object: ObjectOf<R>,
    commands: ReadonlyArray<Command>
  ) => Effect.Effect<unknown, CommandRefused>
  /** Whether the chart gets a `performed` event after these commands, for charts that proceed in batches. */
  readonly confirmsPerformed?: (commands: ReadonlyArray<Command>) => boolean
  /** Whether a change by the actor's own commands needs no further look. Asked only while they are performed. */
  readonly needsNoLook?: (change: Change) => boolean
  /** Retries of a refused key before it waits for the next change; unlimited where left out. */
  readonly retriesMax?: number
  /** For faults: gets the function that wakes actors after a change that is no object change. */
  readonly connectWake?: ((wake: Wake) => void) | undefined
  /** Called when the actor of an object is discarded. */
  readonly forget?: (uid: string) => void
}

/** Wakes the actor of a key. It looks in the turn of its controller, or earlier with a lower `turnOrder`. */
export type Wake = (key: Key, options?: WakeOptions) => void

export interface WakeOptions {
  readonly turnOrder?: number
  /** Wakes the actor only while its chart is in a state with this tag. */
  readonly tag?: string
  /** Whether the actor is to be woken at all: asked last, of an actor with the tag. */
  readonly isNeeded?: () => boolean
  /** Wakes the actor only while it waits to try again what was refused: it does so at once. */
  readonly onlyRetries?: boolean
}

export interface CommandRefused {
  readonly command: Command["type"]
  readonly error: StoreError | { readonly _tag: string; readonly message: string; readonly cause?: unknown }
}

export const toCommandRefused =
  (command: Command["type"]) =>
  (error: StoreError): CommandRefused => ({ command, error })

/**
 * Performs a command that is one request to the store, or has been if the request is an exit. An error for which
 * `isAcceptable` holds counts as success.
 */
export const performRequest = (
  command: Command["type"],
  request: Effect.Effect<unknown, StoreError>,
  isAcceptable?: (error: StoreError) => boolean
): Effect.Effect<unknown, CommandRefused> =>
  Exit.isExit(request) && Exit.isSuccess(request)
    ? Exit.succeed(request.value)
    : Effect.catch(request, (error: StoreError) =>
        isAcceptable?.(error) === true ? Effect.void : Effect.fail(toCommandRefused(command)(error))
      )

export interface ReconcilerServices {
  readonly kernel: Kernel
  readonly view: ClusterView["Service"]
  readonly actors: Actors
  /** Called with the cause after an actor that failed was discarded. */
  readonly onDefect: (object: KubeObject, cause: Cause.Cause<unknown>) => Effect.Effect<void>
  readonly snapshotParts?: SnapshotParts | undefined
}
