import { TaggedError } from "effect/Data"
import type * as Effect from "effect/Effect"
import type { Actors } from "../runtime/actors.ts"
import type { Kernel } from "../runtime/kernel.ts"
import type { Supervisor } from "../runtime/supervisor.ts"
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
  /** Says how many Pods a fault has met. */
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

/** Begins one kind of fault. Undefined where it is a deed: over as soon as it is done. */
export type Begin<N extends FaultName> = (
  fault: FaultNamed<N>,
  world: FaultWorld
) => Effect.Effect<End | undefined, FaultRefused>

/** How faults of several kinds begin. */
export type Beginnings<N extends FaultName = FaultName> = { readonly [K in N]: Begin<K> }

export type FaultNamed<N extends FaultName> = Extract<Fault, { readonly fault: N }>

/** A fault that cannot be: a node that is not there, a duration that is none. */
export class FaultRefused extends TaggedError("FaultRefused")<{
  readonly fault: string
  readonly why: string
}> {
  override get message(): string {
    return `fault ${this.fault}: ${this.why}`
  }
}
