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

export interface Controller<R extends GroupResource> {
  readonly resource: R
  /** At one instant, the lowest turn order looks first: Pods before ReplicaSets before Deployments. */
  readonly turnOrder: number
  readonly machine: AnyStateMachine
  /**
   * The name of a delay of the chart that repeats with the same period. The kernel may skip its rounds while
   * nothing else is due.
   */
  readonly repeatedDelay?: string
  /** By the object's uid; the uid itself if omitted. */
  readonly actorIdOf?: (uid: string) => string
  /** Default: all objects. */
  readonly hasActor?: (object: ObjectOf<R>) => boolean
  /** The resources whose changes may wake actors. */
  readonly watches: ReadonlyArray<GroupResource>
  readonly wakeActors: (change: Change, wake: Wake) => void
  /** Makes the actor's observation. */
  readonly look: (object: ObjectOf<R>) => unknown
  /**
   * Performs commands in order, up to the first that is refused; an exit for commands that are performed
   * already.
   */
  readonly perform: (
    object: ObjectOf<R>,
    commands: ReadonlyArray<Command>
  ) => Effect.Effect<unknown, CommandRefused>
  /** Whether the chart gets a `performed` event after these commands, to proceed in batches. */
  readonly confirmsPerformed?: (commands: ReadonlyArray<Command>) => boolean
  /** Whether a change by the actor's own commands needs no further look. */
  readonly needsNoLook?: (change: Change) => boolean
  /** Retries before a refused key waits for the next change; unlimited if omitted. */
  readonly retriesMax?: number
  /** For faults, whose changes are no object changes. */
  readonly connectWake?: ((wake: Wake) => void) | undefined
  /** Called when the actor of an object is discarded. */
  readonly forget?: (uid: string) => void
}

/** The actor looks in its controller's turn, or earlier with a lower `turnOrder`. */
export type Wake = (key: Key, options?: WakeOptions) => void

export interface WakeOptions {
  readonly turnOrder?: number
  /** Wakes the actor only while its chart is in a state with this tag. */
  readonly tag?: string
  /** Called last, only for an actor with the tag. */
  readonly isNeeded?: () => boolean
  /** Only makes a pending retry happen at once. */
  readonly onlyRetries?: boolean
}

export interface CommandRefused {
  readonly command: Command["type"]
  readonly error: StoreError | { readonly _tag: string; readonly message: string; readonly cause?: unknown }
}

export const toCommandRefused =
  (command: Command["type"]) =>
  (error: StoreError): CommandRefused => ({ command, error })

/** An exit is a request that has ended already. An error for which `isAcceptable` holds counts as success. */
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
  /** Called after a failed actor was discarded. */
  readonly onDefect: (object: KubeObject, cause: Cause.Cause<unknown>) => Effect.Effect<void>
  readonly snapshotParts?: SnapshotParts | undefined
}
