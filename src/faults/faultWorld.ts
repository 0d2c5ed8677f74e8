import { TaggedError } from "effect/Data"
import * as Effect from "effect/Effect"
import type { Actors } from "../runtime/actors.ts"
import type { Kernel } from "../runtime/kernel.ts"
import type { Memory } from "../runtime/memory.ts"
import type { Supervisor } from "../runtime/supervisor.ts"
import type { StoreError } from "../store/errors.ts"
import type { Link } from "../store/link.ts"
import type { ClusterView, ObjectStore } from "../store/objectStore.ts"
import type { Bodies } from "./bodies.ts"
import type { ControllerName, Fault, FaultName } from "./fault.ts"
import type { Holds } from "./holds.ts"

/** What a fault may lay hands on. Store and view are the true ones, whatever other faults make of them for others. */
export interface FaultWorld {
  readonly store: ObjectStore["Service"]
  readonly view: ClusterView["Service"]
  readonly kernel: Kernel
  readonly actors: Actors
  readonly seed: number
  readonly bodies: Bodies
  readonly holds: Holds
  /** Time is so much later at once. */
  readonly jump: (millis: number) => void
  /** Says how many Pods a fault has met as it begins. */
  readonly met: (pods: number) => void
  readonly supervisor: Supervisor<ControllerName>
  /** What comes between each controller and the rest. */
  readonly links: ReadonlyMap<ControllerName, Link>
  /** What comes between every client from outside and the cluster. */
  readonly clients: Link
  /** Says that this fault is over by itself, before somebody ends it. */
  readonly over: () => void
}

/** Takes back what a fault does to others than itself. Run once at the most. */
export type End = Effect.Effect<void>

/** What there is of a fault for as long as it lasts. */
export interface Lasting {
  /** Run once as it begins, after everything is hung up, and in no other world. */
  readonly first?: Effect.Effect<void>
  readonly end: End
  /** How many it has met since it began, where it meets whoever comes: Pods, or writes. Asked while it lasts. */
  readonly met?: () => number
  /** What it has come to, for another world to go on with; what it began with where that is left out. */
  readonly save?: (placeOf: Memory["placeOf"]) => unknown
}

/**
 * One kind of fault. It begins once; what is to be known of it while it lasts is plain data, and whatever hangs on that
 * is hung up by `last`: at once, and once more in every world that goes on from a snapshot. A kind without `last` is a
 * deed: over as soon as it is done.
 */
export interface FaultKind<N extends FaultName> {
  /** Undefined where it is a deed. */
  readonly begin: (fault: FaultNamed<N>, world: FaultWorld) => Effect.Effect<unknown, FaultRefused>
  readonly last?: (fault: FaultNamed<N>, world: FaultWorld, state: never) => Lasting
}

/** The state is what `begin` gave, or `save`. */
export const lasting = <N extends FaultName, State>(
  begin: (fault: FaultNamed<N>, world: FaultWorld) => Effect.Effect<State | undefined, FaultRefused>,
  last: (fault: FaultNamed<N>, world: FaultWorld, state: State) => Lasting
): FaultKind<N> => ({ begin, last })

/** One of which there is nothing to know but itself. */
export const hungUp = <N extends FaultName>(
  last: (fault: FaultNamed<N>, world: FaultWorld) => Lasting
): FaultKind<N> => ({ begin: () => Effect.succeed(nothing), last })

const nothing = {}

/** The kinds of faults, by their names. */
export type FaultKinds<N extends FaultName = FaultName> = { readonly [K in N]: FaultKind<K> }

export type FaultNamed<N extends FaultName> = Extract<Fault, { readonly fault: N }>

/** A fault that cannot be: a node that is not there, a duration that is none. */
export class FaultRefused extends TaggedError("FaultRefused")<{
  readonly fault: string
  readonly why: string
  /** What the store has refused, where it was that. */
  readonly cause?: StoreError
}> {
  override get message(): string {
    return `fault ${this.fault}: ${this.why}`
  }
}

/** A fault that cannot be because the store says no: a node that is not there. */
export const refusedBy = (fault: FaultName, cause: StoreError): FaultRefused =>
  new FaultRefused({ fault, why: cause.message, cause })
