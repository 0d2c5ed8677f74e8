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
  /** Read when the first actor starts. */
  readonly machine: () => AnyStateMachine
  /** The name of a repeated delay, whose rounds the kernel may skip while nothing else is due. */
  readonly repeatedDelay?: string
  /** Whether the actors share one actor system. Their chart must not send events to its parent. */
  readonly sharesActorSystem?: boolean
  /** Default: the object's uid. */
  readonly actorIdOf?: (uid: string) => string
  /** Default: all objects. */
  readonly hasActor?: (object: ObjectOf<R>) => boolean
  readonly watches: ReadonlyArray<GroupResource>
  readonly wakeActors: (change: Change, wake: Wake) => void
  /** Returns the actor's observation. */
  readonly look: (object: ObjectOf<R>) => unknown
  /** Stops at the first refusal. A returned `Exit` means that the commands are performed already. */
  readonly perform: (
    object: ObjectOf<R>,
    commands: ReadonlyArray<Command>
  ) => Effect.Effect<unknown, CommandRefused>
  /** Whether the chart waits for the event `performed` after these commands. */
  readonly awaitsPerformed?: (commands: ReadonlyArray<Command>) => boolean
  /** Whether a change by the actor's own commands needs no further look. */
  readonly needsNoLook?: (change: Change) => boolean
  /** How long batched wakes wait, so that one look sees all changes of that time. Default: not at all. */
  readonly batchMillis?: number
  /** Default: unlimited. After the last retry, the key waits for the next change. */
  readonly retriesMax?: number
  /** Default: `retryDelayMillis`. */
  readonly retryDelayMillis?: (failures: number) => number
  /** Wakes actors for faults, which change no object. */
  readonly giveWakeToFaults?: ((wake: Wake) => void) | undefined
  readonly onActorDiscarded?: (uid: string) => void
}

/** The actor looks in its controller's turn, or earlier with a lower `turnOrder`. */
export type Wake = (key: Key, options?: WakeOptions) => void

export interface WakeOptions {
  readonly turnOrder?: number
  /** Wakes after the controller's `batchMillis`. An earlier delayed wake of the key stays. */
  readonly isBatched?: boolean
  /** Wakes only an actor whose chart is in a state with this tag. */
  readonly tag?: string
  /** Wakes only if it returns true. */
  readonly isNeeded?: () => boolean
  /** Wakes only an actor with a pending retry. */
  readonly onlyIfRetrying?: boolean
}

export interface CommandRefused {
  readonly command: Command["type"]
  readonly error: StoreError | { readonly _tag: string; readonly message: string; readonly cause?: unknown }
}

export const toCommandRefused =
  (command: Command["type"]) =>
  (error: StoreError): CommandRefused => ({ command, error })

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
  readonly onDefect: (object: KubeObject, cause: Cause.Cause<unknown>) => Effect.Effect<void>
  readonly snapshotParts?: SnapshotParts | undefined
}
