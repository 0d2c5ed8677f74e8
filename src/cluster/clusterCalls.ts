import type { ObjectOf } from "../kubernetes/meta/resourceTypes.ts"
import type { Effect } from "effect/Effect"
import type { Stream } from "effect/Stream"
import type {
  Duration,
  ListQuery,
  ObjectAddress,
  PatchOptions,
  PodBinding,
  RolloutOptions,
  WatchQuery
} from "./callOptions.ts"
import type { RolloutOutcome } from "./rolloutWait.ts"
import type { CannotSnapshot, Snapshot } from "./snapshots/snapshot.ts"
import type { Step } from "../explain/steps/step.ts"
import type { WriterName } from "../faults/currentWriter.ts"
import type { UnapplicablePatch } from "../kubernetes/apply/patches/unapplicablePatch.ts"
import type { GroupResource } from "../kubernetes/meta/kinds.ts"
import type { EventObject, KubeObject, Manifest } from "../kubernetes/meta/objects.ts"
import type { AppliedDocument } from "../manifests/manifestDocument.ts"
import type { ManifestsRefused } from "../manifests/manifestsRefused.ts"
import type { ClockNotVirtual, ClockState } from "../runtime/time/clusterClock.ts"
import type { Change, DeleteOptions, ObjectList } from "../store/objectStore.ts"
import type { BadRequest, Expired, NotFound, StoreError } from "../store/storeErrors.ts"

/** The calls of the service `Cluster` return Effects, those of `openCluster` promises. */
export type CallStyle = "effect" | "promise"

export type CallResult<S extends CallStyle, A, E = never> = S extends "effect" ? Effect<A, E> : Promise<A>

/** A call without arguments, which as an Effect needs no function. */
export type PlainCall<S extends CallStyle, A, E = never> = S extends "effect"
  ? Effect<A, E>
  : () => Promise<A>

/** Calls on objects. A call with an unknown option dies with `InvalidOptions`. */
export interface ObjectCalls<S extends CallStyle> {
  /** Creates or updates objects, or all objects in a YAML text, as `kubectl apply` does; all of them or none. */
  readonly apply: (
    manifest: string | Manifest | ReadonlyArray<Manifest>
  ) => CallResult<S, ReadonlyArray<AppliedDocument>, ManifestsRefused>
  readonly create: (draft: Manifest) => CallResult<S, KubeObject, StoreError>
  /** An immutable object of the store. Only `serve()` shows the controllers' entries of `metadata.managedFields`. */
  readonly get: <R extends GroupResource>(
    address: ObjectAddress<R>
  ) => CallResult<S, ObjectOf<R>, NotFound | BadRequest>
  readonly list: <R extends GroupResource>(
    resource: R,
    options?: ListQuery
  ) => CallResult<S, ObjectList<ObjectOf<R>>, BadRequest>
  /**
   * Changes after a version; without one, the present objects as additions, then changes. Throws for unknown options
   * and for selectors that cannot be parsed.
   */
  readonly watch: (
    resource?: GroupResource,
    options?: WatchQuery
  ) => S extends "effect" ? Stream<Change, Expired | BadRequest> : AsyncIterable<Change>
  /** An RFC 7386 merge patch, or a list of RFC 6902 operations. */
  readonly patch: (
    address: ObjectAddress,
    patch: object,
    options?: PatchOptions
  ) => CallResult<S, KubeObject, StoreError | UnapplicablePatch>
  readonly delete: (address: ObjectAddress, options?: DeleteOptions) => CallResult<S, KubeObject, StoreError>
  /** Binds a Pod to a node: for Pods with behaviour `manual`. */
  readonly bind: (binding: PodBinding) => CallResult<S, KubeObject, StoreError>
  readonly events: (about?: { readonly uid: string }) => CallResult<S, ReadonlyArray<EventObject>>
  readonly setKubelet: (node: string, state: "running" | "stopped") => CallResult<S, void, StoreError>
  /**
   * Calls back on every change, synchronously and in order, with its writer; errors: `observerErrors`. Returns how to
   * unsubscribe.
   */
  readonly onChange: (listener: (change: Change, by: WriterName) => unknown) => () => void
}

/** What `Cluster` and `openCluster` have in common. */
export interface ClusterCalls<S extends CallStyle> extends ObjectCalls<S> {
  /** Advances a virtual or paused clock. Concurrent calls advance one after another. */
  readonly advance: (duration: Duration) => CallResult<S, void, ClockNotVirtual>
  readonly clock: ClusterClock<S>
  /**
   * Lets time pass until no actor is moving. An actor that only retries (CrashLoopBackOff) is not moving. False at
   * `limit`, a day by default.
   */
  readonly settle: (limit?: Duration) => CallResult<S, boolean>
  /**
   * Lets time pass until `condition`, called with the time of the next step, returns true; false when `limit`, a day
   * by default, comes first.
   */
  readonly until: (condition: (nextMillis: number) => boolean, limit?: Duration) => CallResult<S, boolean>
  /** Waits until a rollout is complete or has failed, advancing a virtual clock. */
  readonly rollout: (name: string, options?: RolloutOptions) => CallResult<S, RolloutOutcome, NotFound>
  /** For `ClusterOptions.from` and `snapshotText`. Fails with `CannotSnapshot` while a fault delays a write. */
  readonly snapshot: PlainCall<S, Snapshot, CannotSnapshot>
  /** Steps of an object's actor, with guards, commands and outcome: since the first call, or `ClusterOptions.why`. */
  readonly why: (address: ObjectAddress) => CallResult<S, ReadonlyArray<Step>, BadRequest>
}

export interface ClusterClock<S extends CallStyle = "effect"> {
  readonly state: () => ClockState
  /** Advances to the next timer; false where there is none. */
  readonly step: PlainCall<S, boolean, ClockNotVirtual>
  readonly pause: PlainCall<S, void>
  /** Continues at the speed before the pause; a virtual clock continues at the machine's pace. */
  readonly resume: PlainCall<S, void>
  /** Sets the speed as a multiple of the machine's clock. */
  readonly setSpeed: (speed: number) => CallResult<S, void>
}
