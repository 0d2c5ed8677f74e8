import type { ControllerName } from "../runtime/reconciler/controllerTurnOrder.ts"
import type { FaultRefused } from "./faultRefused.ts"
import * as Effect from "effect/Effect"
import type { Actors } from "../runtime/actors/actors.ts"
import type { Kernel } from "../runtime/time/kernel.ts"
import type { SnapshotParts } from "../runtime/snapshotParts.ts"
import type { Supervisor } from "../runtime/workers/supervisor.ts"
import type { ClientConnection } from "./clientConnection.ts"
import type { Pod } from "../kubernetes/meta/objects.ts"
import type { ClusterView, ObjectStore } from "../store/objectStore.ts"
import type { PodFaults } from "./pods/podFaults.ts"
import type { Fault, FaultName } from "./fault.ts"
import type { NodeValuesBeforeFaults } from "./nodeValuesBeforeFaults.ts"

/** No fault affects this `store` and `view`. */
export interface FaultContext {
  readonly store: ObjectStore["Service"]
  readonly view: ClusterView["Service"]
  readonly kernel: Kernel
  readonly actors: Actors
  readonly seed: number
  readonly podFaults: PodFaults
  readonly nodeValuesBeforeFaults: NodeValuesBeforeFaults
  readonly jumpClock: (millis: number) => void
  readonly reportAffectedPods: (pods: number) => void
  readonly supervisor: Supervisor<ControllerName>
  readonly connections: ReadonlyMap<ControllerName, ClientConnection>
  /** The one connection of all outside clients. */
  readonly clients: ClientConnection
  readonly endThisFault: () => void
}

export type EndFault = Effect.Effect<void>

export interface FaultEffect {
  /** Runs once, after the fault has begun, but not after a restore. */
  readonly runOnce?: Effect.Effect<void>
  readonly end: EndFault
  /** How many Pods or writes the fault has affected. */
  readonly affectedCount?: () => number
  /** The state for snapshots. Default: the state from `begin`. */
  readonly save?: (saveTimerPlace: SnapshotParts["saveTimerPlace"]) => unknown
}

interface FaultTraits<N extends FaultName> {
  /** A sentence without the duration: `node-1 is lost`. */
  readonly text: (fault: FaultNamed<N>) => string
  /** What the fault counts: Pods at its beginning, Pods later on, or writes. */
  readonly affects?: "pods" | "laterPods" | "writes"
  /** Whether a fault without duration keeps the cluster from settling. */
  readonly neverSettles?: boolean
  /** What a story's ledger excuses because of the fault; by default nothing. */
  readonly ledgerExcuse?: (fault: FaultNamed<N>) => LedgerExcuse | undefined
  /** Whether the fault may lead to the deletion of this Pod. */
  readonly deletes?: (fault: FaultNamed<N>, pod: Pod) => boolean
}

export interface LedgerExcuse {
  /** By default all controllers. */
  readonly controller?: ControllerName | "controllers"
  /** The controller may act on a view that is up to a minute old. */
  readonly isViewLate?: boolean
  /** Undefined: until the cluster has settled. The ledger adds a minute, in which controllers catch up. */
  readonly lastsMillis?: number | undefined
  /** The controller may repeat writes because their responses were lost. */
  readonly areAnswersLost?: boolean
}

/**
 * `begin` runs once and returns plain data, undefined if the fault is over. `makeLasting` makes the active fault from
 * that data, also after a restore.
 */
export interface FaultKind<N extends FaultName> extends FaultTraits<N> {
  readonly begin: (fault: FaultNamed<N>, context: FaultContext) => Effect.Effect<unknown, FaultRefused>
  /** Only the kind knows its state's type; `never` lets the table hold every kind. */
  readonly makeLasting?: (fault: FaultNamed<N>, context: FaultContext, state: never) => FaultEffect
}

export const lastingKind = <N extends FaultName, State>(
  kind: FaultTraits<N> & {
    readonly begin: (
      fault: FaultNamed<N>,
      context: FaultContext
    ) => Effect.Effect<State | undefined, FaultRefused>
    readonly makeLasting: (fault: FaultNamed<N>, context: FaultContext, state: State) => FaultEffect
  }
): FaultKind<N> => kind

export const lastingKindWithoutState = <N extends FaultName>(
  kind: FaultTraits<N> & {
    readonly makeLasting: (fault: FaultNamed<N>, context: FaultContext) => FaultEffect
  }
): FaultKind<N> => ({ ...kind, begin: () => Effect.succeed(noState) })

const noState = {}

export type FaultKinds<N extends FaultName = FaultName> = { readonly [K in N]: FaultKind<K> }

export type FaultNamed<N extends FaultName> = Extract<Fault, { readonly fault: N }>
