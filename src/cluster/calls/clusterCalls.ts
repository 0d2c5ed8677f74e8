import type { Effect } from "effect/Effect"
import type { Scope } from "effect/Scope"
import type { Load } from "../../behaviours/load/load.ts"
import type { LoadAccount } from "../loads/loadShares.ts"
import type { OutsideMetric } from "../loads/outsideMetrics.ts"
import type { Stream } from "effect/Stream"
import type {
  Duration,
  ListQuery,
  ObjectAddress,
  PodBinding,
  RolloutOptions,
  WatchQuery,
  WriteTarget
} from "./callOptions.ts"
import type { UntilOptions } from "../../runtime/time/userCalls.ts"
import type { SubscribeOptions } from "../../store/watch/subscribers.ts"
import type { CannotServe } from "../serving/cannotServe.ts"
import type { ForkOptions, UnknownBehaviour } from "../clusterOptions.ts"
import type { Forecast } from "../../forecast/forecast.ts"
import type { ForecastOptions } from "./forecastCall.ts"
import type { RolloutOutcome } from "./rolloutWait.ts"
import type { RunningServer, ServeOptions } from "../serving/serveOptions.ts"
import type { CannotSnapshot, Snapshot } from "../snapshots/snapshot.ts"
import type { Step } from "../../explain/steps/step.ts"
import type { WriterName } from "../../runtime/reconciler/currentWriter.ts"
import type { Fault, FaultGiven } from "../../faults/fault.ts"
import type { FaultRefused } from "../../faults/faultRefused.ts"
import type { UnapplicablePatch } from "../../kubernetes/apply/patches/unapplicablePatch.ts"
import type { GroupResource } from "../../kubernetes/meta/kinds.ts"
import type { EventObject, KubeObject, Manifest } from "../../kubernetes/meta/objects.ts"
import type { ManifestOf, ObjectOf, ObjectOfManifest } from "../../kubernetes/meta/resourceTypes.ts"
import type { AppliedDocument } from "../../manifests/manifestDocument.ts"
import type { ManifestsRefused } from "../../manifests/manifestsRefused.ts"
import type { InvalidOptions } from "../../options/invalidOptions.ts"
import type { ClockNotVirtual, ClockState } from "../../runtime/time/clusterClock.ts"
import type { CallAt, ProgramTimers } from "../../runtime/time/programTimers.ts"
import type { Interception, Interceptor } from "../../server/traffic/interceptors.ts"
import type { RequestLog } from "../../server/traffic/requestLog.ts"
import type { Change, DeleteOptions, ObjectList } from "../../store/objectStore.ts"
import type { BadRequest, Expired, NotFound, StoreError } from "../../store/storeErrors.ts"

/** The calls of the service `Cluster` return Effects, those of `openCluster` promises. */
export type CallStyle = "effect" | "promise"

export type CallResult<S extends CallStyle, A, E = never> = S extends "effect" ? Effect<A, E> : Promise<A>

export type PlainCall<S extends CallStyle, A, E = never> = S extends "effect"
  ? Effect<A, E>
  : () => Promise<A>

/** Unknown options die with `InvalidOptions`, other unusable arguments with `TypeError`. */
export interface ObjectCalls<S extends CallStyle> {
  /** Creates or updates all of the objects or none, as `kubectl apply` does. */
  readonly apply: (
    manifest: string | Manifest | ReadonlyArray<Manifest>
  ) => CallResult<S, ReadonlyArray<AppliedDocument>, ManifestsRefused>
  readonly create: {
    <const M extends Manifest>(manifest: M): CallResult<S, ObjectOfManifest<M>, StoreError>
    <O extends KubeObject>(manifest: ManifestOf<O>): CallResult<S, O, StoreError>
  }
  /** Fails with `Conflict` if the object has another `resourceVersion` by now. */
  readonly update: {
    <const M extends Manifest>(
      manifest: M,
      options?: WriteTarget
    ): CallResult<S, ObjectOfManifest<M>, StoreError>
    <O extends KubeObject>(manifest: ManifestOf<O>, options?: WriteTarget): CallResult<S, O, StoreError>
  }
  /** The object is immutable and has no `metadata.managedFields` of controllers. */
  readonly get: {
    <const R extends GroupResource>(
      address: ObjectAddress<R>
    ): CallResult<S, ObjectOf<R>, NotFound | BadRequest>
    <O extends KubeObject>(address: ObjectAddress): CallResult<S, O, NotFound | BadRequest>
  }
  readonly list: {
    <const R extends GroupResource>(
      resource: R,
      options?: ListQuery
    ): CallResult<S, ObjectList<ObjectOf<R>>, BadRequest>
    <O extends KubeObject>(
      resource: GroupResource,
      options?: ListQuery
    ): CallResult<S, ObjectList<O>, BadRequest>
  }
  /** Throws for unusable options. */
  readonly watch: {
    <const R extends GroupResource>(resource: R, options?: WatchQuery): ChangeSequence<S, ObjectOf<R>>
    <O extends KubeObject>(resource: GroupResource, options?: WatchQuery): ChangeSequence<S, O>
    (resource?: undefined, options?: WatchQuery): ChangeSequence<S, KubeObject>
  }
  /** An RFC 7386 merge patch, or a list of RFC 6902 operations. */
  readonly patch: {
    <const R extends GroupResource>(
      address: ObjectAddress<R>,
      patch: object,
      options?: WriteTarget
    ): CallResult<S, ObjectOf<R>, StoreError | UnapplicablePatch>
    <O extends KubeObject>(
      address: ObjectAddress,
      patch: object,
      options?: WriteTarget
    ): CallResult<S, O, StoreError | UnapplicablePatch>
  }
  readonly delete: {
    <const R extends GroupResource>(
      address: ObjectAddress<R>,
      options?: DeleteOptions
    ): CallResult<S, ObjectOf<R>, StoreError>
    <O extends KubeObject>(address: ObjectAddress, options?: DeleteOptions): CallResult<S, O, StoreError>
  }
  /** Binds a Pod with the behaviour `manual` to a node. */
  readonly bind: (binding: PodBinding) => CallResult<S, KubeObject, StoreError>
  /** All Events, or those that involve the object with this uid. */
  readonly events: (about?: { readonly uid: string }) => CallResult<S, ReadonlyArray<EventObject>>
  readonly setKubelet: (node: string, state: "running" | "stopped") => CallResult<S, void, StoreError>
  /**
   * Calls back synchronously and in order; returns how to unsubscribe. Throws `BadRequest` for an unserved resource.
   */
  readonly onChange: {
    (listener: ChangeListener<KubeObject>, options?: SubscribeOptions): () => void
    <const R extends GroupResource>(resource: R, listener: ChangeListener<ObjectOf<R>>): () => void
    <O extends KubeObject>(resource: GroupResource, listener: ChangeListener<O>): () => void
  }
}

export interface UntypedObjectCalls<S extends CallStyle> extends Omit<ObjectCalls<S>, TypedObjectCall> {
  readonly create: (manifest: Manifest) => CallResult<S, KubeObject, StoreError>
  readonly update: (manifest: Manifest, target?: WriteTarget) => CallResult<S, KubeObject, StoreError>
  readonly get: (address: ObjectAddress) => CallResult<S, KubeObject, NotFound | BadRequest>
  readonly list: (
    resource: GroupResource,
    query?: ListQuery
  ) => CallResult<S, ObjectList<KubeObject>, BadRequest>
  readonly watch: (resource?: GroupResource, query?: WatchQuery) => ChangeSequence<S, KubeObject>
  readonly patch: (
    address: ObjectAddress,
    patch: object,
    target?: WriteTarget
  ) => CallResult<S, KubeObject, StoreError | UnapplicablePatch>
  readonly delete: (address: ObjectAddress, options?: DeleteOptions) => CallResult<S, KubeObject, StoreError>
  readonly onChange: (
    resource: GroupResource | ChangeListener<KubeObject>,
    listener?: ChangeListener<KubeObject> | SubscribeOptions
  ) => () => void
}

type TypedObjectCall = "create" | "update" | "get" | "list" | "watch" | "patch" | "delete" | "onChange"

export type ChangeListener<O extends KubeObject> = (change: Change<O>, by: WriterName) => unknown

type ChangeSequence<S extends CallStyle, O extends KubeObject> = S extends "effect"
  ? Stream<Change<O>, Expired | BadRequest>
  : AsyncIterable<Change<O>>

export interface ClusterCalls<S extends CallStyle, Self> extends ObjectCalls<S> {
  /** Advances a virtual or paused clock. Concurrent calls advance one after another. */
  readonly advance: (duration: Duration) => CallResult<S, void, ClockNotVirtual>
  /** Waits in the cluster's time; a virtual clock advances. */
  readonly sleep: (duration: Duration) => CallResult<S, void>
  readonly clock: ClusterClock<S>
  readonly now: () => Date
  /** Timers on the cluster's clock. A virtual clock waits for the calls and requests of their callbacks. */
  readonly timers: ProgramTimers
  /** Waits until no actor is moving. False at `limit`, a day by default. */
  readonly settle: (limit?: Duration) => CallResult<S, boolean>
  /**
   * `condition` gets the time of the next timer. False at `limit`, a day by default. `skipsHeartbeats` is for
   * conditions that read no time.
   */
  readonly until: (
    condition: (nextMillis: number) => boolean,
    limit?: Duration,
    options?: UntilOptions
  ) => CallResult<S, boolean>
  /** Waits until the rollout of `web`, `statefulset/db`, `daemonset/log` or `job/backup` is complete or has failed. */
  readonly rollout: (name: string, options?: RolloutOptions) => CallResult<S, RolloutOutcome, NotFound>
  /** Plays a workload's future in copies of the cluster, with other seeds and with changes that may help. */
  readonly forecast: (
    name: string,
    options?: ForecastOptions
  ) => CallResult<S, Forecast, NotFound | CannotSnapshot>
  /** Fails with `CannotSnapshot` while a fault delays a write. */
  readonly snapshot: PlainCall<S, Snapshot, CannotSnapshot>
  /** A new cluster that continues from this instant; without changes both have the same future. */
  readonly fork: (
    options?: ForkOptions
  ) => ScopedResult<S, Self, CannotSnapshot | UnknownBehaviour | InvalidOptions>
  /** Serves the Kubernetes API. Every client with the token may do everything. */
  readonly serve: (
    options?: ServeOptions
  ) => ScopedResult<S, S extends "effect" ? RunningServer : ServedCluster, CannotServe | InvalidOptions>
  /**
   * Sends a request to the API without a socket or token; any host is accepted. Rejects with the signal's reason, or
   * with a `TypeError` where an interceptor closes the connection.
   */
  readonly fetch: (input: Request | URL | string, init?: RequestInit) => CallResult<S, Response>
  readonly requests: RequestLog
  /** The last interceptor runs first. Returns how to remove it. */
  readonly intercept: (which: Interception, interceptor: Interceptor) => () => void
  /** The fault lasts until `for` is over, `end`, or the end of the cluster. */
  readonly fault: (fault: FaultGiven) => CallResult<S, StartedFault<S>, FaultRefused>
  readonly faults: () => ReadonlyArray<LastingFault<S>>
  readonly setLoad: (behaviour: string, load: Load) => CallResult<S, void, InvalidOptions | UnknownBehaviour>
  /** Requests to the Pods of each behaviour with a load. */
  readonly loads: () => ReadonlyArray<LoadAccount>
  /** Sets a metric for autoscalers. */
  readonly setMetric: (metric: OutsideMetric) => CallResult<S, void, InvalidOptions>
  /** The steps of an object's actor, recorded since the first call or by `ClusterOptions.why`. */
  readonly why: (address: ObjectAddress) => CallResult<S, ReadonlyArray<Step>, BadRequest>
  /** The recording that the page shows, since the first call or by `ClusterOptions.record`. */
  readonly recording: PlainCall<S, string>
  readonly note: (text: string) => void
}

/** The scope of the Effect closes its result; the result of a promise has a method to close it. */
type ScopedResult<S extends CallStyle, A, E> = S extends "effect" ? Effect<A, E, Scope> : Promise<A>

export interface ServedCluster extends RunningServer, AsyncDisposable {
  readonly requests: RequestLog
  readonly stop: () => Promise<void>
}

interface FaultCalls<S extends CallStyle> {
  readonly id: string
  readonly end: PlainCall<S, void>
  /** Number of affected Pods or writes; undefined for other faults. */
  readonly met: number | undefined
}

export type StartedFault<S extends CallStyle = "promise"> = FaultCalls<S> & {
  readonly ended: () => Date | undefined
} & (S extends "promise" ? AsyncDisposable : unknown)

export interface LastingFault<S extends CallStyle = "promise"> extends FaultCalls<S> {
  readonly fault: Fault
  readonly beganMillis: number
  /** Undefined where the end is unknown. */
  readonly endsMillis: number | undefined
}

export interface ClusterClock<S extends CallStyle = "effect"> {
  readonly state: () => ClockState
  /** Advances to the next timer; false where there is none. */
  readonly step: PlainCall<S, boolean, ClockNotVirtual>
  readonly pause: PlainCall<S, void>
  /** Continues at the speed before the pause, a virtual clock at the machine's pace. */
  readonly resume: PlainCall<S, void>
  /** The speed is a multiple of the machine's clock. */
  readonly setSpeed: (speed: number) => CallResult<S, void>
  /** Calls back at a time of the cluster. Returns how to cancel. */
  readonly at: CallAt
}
