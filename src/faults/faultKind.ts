import type { ControllerName } from "../runtime/reconciler/controllerRanks.ts"
import type { FaultRefused } from "./faultRefused.ts"
import * as Effect from "effect/Effect"
import type { Actors } from "../runtime/actors/actors.ts"
import type { Kernel } from "../runtime/time/kernel.ts"
import type { SnapshotMemory } from "../runtime/snapshotMemory.ts"
import type { Supervisor } from "../runtime/workers/supervisor.ts"
import type { ClientConnection } from "./clientConnection.ts"
import type { Pod } from "../kubernetes/meta/objects.ts"
import type { ClusterView, ObjectStore } from "../store/objectStore.ts"
import type { PodFaults } from "./pods/podFaults.ts"
import type { Fault, FaultName } from "./fault.ts"
import type { HeldValues } from "./heldValues.ts"

/** What a fault can act on. `store` and `view` are those of the cluster, which faults do not affect. */
export interface FaultContext {
  readonly store: ObjectStore["Service"]
  readonly view: ClusterView["Service"]
  readonly kernel: Kernel
  readonly actors: Actors
  readonly seed: number
  /** What faults do to single Pods. */
  readonly podFaults: PodFaults
  /** The originals of values that several faults have changed. */
  readonly heldValues: HeldValues
  /** Jumps the clock ahead. */
  readonly jump: (millis: number) => void
  /** Tells how many Pods a fault affects, when it begins. */
  readonly reportMet: (pods: number) => void
  /** Stops, starts and delays controllers. */
  readonly supervisor: Supervisor<ControllerName>
  readonly connections: ReadonlyMap<ControllerName, ClientConnection>
  /** The connection that all clients from outside share. */
  readonly clients: ClientConnection
  /** Ends this fault early, by itself. */
  readonly endItself: () => void
}

/** Undoes the fault's effects. Runs at most once. */
export type EndFault = Effect.Effect<void>

export interface FaultEffect {
  /** Runs once after the fault has begun; not when it is restored from a snapshot. */
  readonly first?: Effect.Effect<void>
  readonly end: EndFault
  /** How many Pods or writes it has affected since it began. */
  readonly met?: () => number
  /** The state for snapshots; by default the state from `begin`. */
  readonly save?: (timerPlaceOf: SnapshotMemory["timerPlaceOf"]) => unknown
}

/** What others have to know of a fault: reports, commands, and the ledger of a story. */
interface FaultTraits<N extends FaultName> {
  /** The fault as a sentence, without its duration: `node-1 is lost`. */
  readonly text: (fault: FaultNamed<N>) => string
  /** What it counts as affected: Pods that are there when it begins, Pods later on, or writes. */
  readonly affects?: "pods" | "laterPods" | "writes"
  /** Whether, without a duration, the cluster settles only after the fault has been ended. */
  readonly neverSettles?: boolean
  /**
   * What a story's ledger excuses because of the fault; by default nothing. Without `lastsMillis` it does so while the
   * fault lasts.
   */
  readonly hinders?: (fault: FaultNamed<N>) => ControllerHindrance | undefined
  /** Whether a Pod that is deleted while the fault begins or is active is deleted because of it; by default not. */
  readonly deletes?: (fault: FaultNamed<N>, pod: Pod) => boolean
}

/** How a fault impairs controllers, other than by stopping them or refusing requests. */
export interface ControllerHindrance {
  /** The impaired controller; all if omitted. */
  readonly controller?: ControllerName | "controllers"
  /** Its view is stale by up to a minute. */
  readonly isLate?: boolean
  /** Duration of the fault; until the cluster has settled if omitted. The excuse lasts a minute longer. */
  readonly lastsMillis?: number | undefined
  /** It may repeat writes whose responses were lost. */
  readonly areAnswersLost?: boolean
}

/**
 * One kind of fault. `begin` runs once and returns plain data; `makeLasting` makes the active fault from it, at once
 * and after a restore. If `begin` returns undefined the fault is over; without `makeLasting` it always is.
 */
export interface FaultKind<N extends FaultName> extends FaultTraits<N> {
  readonly begin: (fault: FaultNamed<N>, context: FaultContext) => Effect.Effect<unknown, FaultRefused>
  /** The type of the state is known to the kind alone: `never` accepts every kind. */
  readonly makeLasting?: (fault: FaultNamed<N>, context: FaultContext, state: never) => FaultEffect
}

/** A kind of fault that lasts. `state` is what `begin` or `save` has returned. */
export const lastingKind = <N extends FaultName, State>(
  kind: FaultTraits<N> & {
    readonly begin: (
      fault: FaultNamed<N>,
      context: FaultContext
    ) => Effect.Effect<State | undefined, FaultRefused>
    readonly makeLasting: (fault: FaultNamed<N>, context: FaultContext, state: State) => FaultEffect
  }
): FaultKind<N> => kind

/** A kind of fault that lasts, and whose only state is the fault itself. */
export const lastingKindWithoutState = <N extends FaultName>(
  kind: FaultTraits<N> & {
    readonly makeLasting: (fault: FaultNamed<N>, context: FaultContext) => FaultEffect
  }
): FaultKind<N> => ({ ...kind, begin: () => Effect.succeed(noState) })

const noState = {}

export type FaultKinds<N extends FaultName = FaultName> = { readonly [K in N]: FaultKind<K> }

export type FaultNamed<N extends FaultName> = Extract<Fault, { readonly fault: N }>
