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

/** A call without arguments, which as an Effect needs no function. */
export type PlainCall<S extends CallStyle, A, E = never> = S extends "effect"
  ? Effect<A, E>
  : () => Promise<A>

/**
 * Unknown options die with `InvalidOptions`. An unusable duration or selector, a listener that is no function, and a
 * condition that returns a promise die with `TypeError`.
 */
export interface ObjectCalls<S extends CallStyle> {
  /** Creates or updates objects, or all objects in a YAML text, as `kubectl apply` does; all of them or none. */
  readonly apply: (
    manifest: string | Manifest | ReadonlyArray<Manifest>
  ) => CallResult<S, ReadonlyArray<AppliedDocument>, ManifestsRefused>
  readonly create: {
    <const M extends Manifest>(manifest: M): CallResult<S, ObjectOfManifest<M>, StoreError>
    <O extends KubeObject>(manifest: ManifestOf<O>): CallResult<S, O, StoreError>
  }
  /** Replaces an object, or its status. Fails with `Conflict` if it has another `resourceVersion` by now. */
  readonly update: {
    <const M extends Manifest>(
      manifest: M,
      options?: WriteTarget
    ): CallResult<S, ObjectOfManifest<M>, StoreError>
    <O extends KubeObject>(manifest: ManifestOf<O>, options?: WriteTarget): CallResult<S, O, StoreError>
  }
  /** An immutable object of the store. Only `serve()` shows the controllers' entries of `metadata.managedFields`. */
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
  /**
   * Without a version: the present objects as additions, then changes. Throws for unknown options and bad selectors.
   */
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
  /** Binds a Pod to a node: for Pods with the behaviour `manual`, which change only when a client writes them. */
  readonly bind: (binding: PodBinding) => CallResult<S, KubeObject, StoreError>
  /** All Events, or those that involve the object with this uid. */
  readonly events: (about?: { readonly uid: string }) => CallResult<S, ReadonlyArray<EventObject>>
  /** Stops or starts the kubelet of a node. A node whose kubelet has stopped is lost after a while. */
  readonly setKubelet: (node: string, state: "running" | "stopped") => CallResult<S, void, StoreError>
  /**
   * Calls back synchronously, in order, on every change or on changes of a resource; returns how to unsubscribe. Throws
   * `BadRequest` for a resource that is not served. The option `observerErrors` says what an error in the listener
   * does.
   */
  readonly onChange: {
    (listener: ChangeListener<KubeObject>, options?: SubscribeOptions): () => void
    <const R extends GroupResource>(resource: R, listener: ChangeListener<ObjectOf<R>>): () => void
    <O extends KubeObject>(resource: GroupResource, listener: ChangeListener<O>): () => void
  }
}

/** The calls as implemented. `ObjectCalls` types the results by resource, which the store's validation ensures. */
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

/** All that a cluster can do. `Self` is the cluster's own type: the service `Cluster`, or `OpenCluster`. */
export interface ClusterCalls<S extends CallStyle, Self> extends ObjectCalls<S> {
  /** Advances a virtual or paused clock. Concurrent calls advance one after another. */
  readonly advance: (duration: Duration) => CallResult<S, void, ClockNotVirtual>
  /** Waits for so much of the cluster's time. A virtual clock advances, as far as other waiting calls let it. */
  readonly sleep: (duration: Duration) => CallResult<S, void>
  readonly clock: ClusterClock<S>
  readonly now: () => Date
  /**
   * Timers and dates on the cluster's clock, for a program that runs beside the cluster. A virtual clock moves on only
   * when the callback of a timer has made its calls and requests.
   */
  readonly timers: ProgramTimers
  /** Waits until no actor is moving; a Pod in CrashLoopBackOff is not. False at `limit`, a day by default. */
  readonly settle: (limit?: Duration) => CallResult<S, boolean>
  /**
   * Waits until `condition`, given the time of the next timer, is true. False at `limit`, a day by default. For a
   * condition that reads no time: with `skipsHeartbeats` a period with nothing but heartbeats of nodes passes at once.
   */
  readonly until: (
    condition: (nextTimerMillis: number) => boolean,
    limit?: Duration,
    options?: UntilOptions
  ) => CallResult<S, boolean>
  /**
   * Waits until a rollout is complete or has failed, advancing a virtual clock: of a Deployment by its name, or of
   * `statefulset/db`, `daemonset/log`, `job/backup`, with kubectl's short names.
   */
  readonly rollout: (name: string, options?: RolloutOptions) => CallResult<S, RolloutOutcome, NotFound>
  /**
   * What happens to a workload if nothing else is done, with other seeds, and after each change that may help. Played
   * in copies of the cluster, which itself does not change. `CannotSnapshot` while the cluster cannot be copied.
   */
  readonly forecast: (
    name: string,
    options?: ForecastOptions
  ) => CallResult<S, Forecast, NotFound | CannotSnapshot>
  /** For `ClusterOptions.from` and `snapshotText`. Fails with `CannotSnapshot` while a fault delays a write. */
  readonly snapshot: PlainCall<S, Snapshot, CannotSnapshot>
  /** A new cluster that continues from this instant; without changes both have the same future, to the byte. */
  readonly fork: (
    options?: ForkOptions
  ) => ScopedResult<S, Self, CannotSnapshot | UnknownBehaviour | InvalidOptions>
  /** Serves the cluster as a Kubernetes API. Every client with the token may do everything. */
  readonly serve: (
    options?: ServeOptions
  ) => ScopedResult<S, S extends "effect" ? RunningServer : ServedCluster, CannotServe | InvalidOptions>
  /**
   * Sends a request to the API without a socket, as `fetch` does: `{ fetch: cluster.fetch }` for a client, also in a
   * mock of the network. The path decides; any host is accepted. It needs no token. A watch is
   * a body that goes on until it is cancelled or `signal` is aborted. Rejects with the signal's reason, and with a
   * `TypeError` where an interceptor closes the connection; an Effect dies with these.
   */
  readonly fetch: (input: Request | URL | string, init?: RequestInit) => CallResult<S, Response>
  /** The requests of clients to the API, served or by `fetch`. */
  readonly requests: RequestLog
  /** Intercepts clients' requests, the last interceptor first. Returns how to remove it. */
  readonly intercept: (which: Interception, interceptor: Interceptor) => () => void
  /** Begins a fault, until `for` is over, `end`, or the end of the cluster. `FaultRefused` where it is impossible. */
  readonly fault: (fault: FaultGiven) => CallResult<S, StartedFault<S>, FaultRefused>
  /** The faults that have begun and not ended. */
  readonly faults: () => ReadonlyArray<LastingFault<S>>
  /**
   * Gives a behaviour another load from now on. `InvalidOptions` for an invalid load, `UnknownBehaviour` for a name
   * that no behaviour has.
   */
  readonly setLoad: (behaviour: string, load: Load) => CallResult<S, void, InvalidOptions | UnknownBehaviour>
  /** Requests to the Pods of each behaviour with a load, and how many of them too few Pods could not answer. */
  readonly loads: () => ReadonlyArray<LoadAccount>
  /** Sets a metric of an object, or of something outside the cluster, for autoscalers. */
  readonly setMetric: (metric: OutsideMetric) => CallResult<S, void, InvalidOptions>
  /**
   * Steps of an object's actor, with guards, commands and outcome, as recorded since the first call of `why`; since the
   * start of the cluster with `ClusterOptions.why`.
   */
  readonly why: (address: ObjectAddress) => CallResult<S, ReadonlyArray<Step>, BadRequest>
  /** The recording that the page shows, as text: since the first call, or as `ClusterOptions.record` says. */
  readonly recording: PlainCall<S, string>
  /** Adds a line to the recording. */
  readonly note: (text: string) => void
}

/** The result of an Effect is closed with its scope; that of a promise has a method to close it. */
type ScopedResult<S extends CallStyle, A, E> = S extends "effect" ? Effect<A, E, Scope> : Promise<A>

export interface ServedCluster extends RunningServer, AsyncDisposable {
  readonly requests: RequestLog
  readonly stop: () => Promise<void>
}

interface FaultCalls<S extends CallStyle> {
  readonly id: string
  readonly end: PlainCall<S, void>
  /** Number of Pods, or of refused or delayed writes, that the fault has affected; undefined for other faults. */
  readonly met: number | undefined
}

export type StartedFault<S extends CallStyle = "promise"> = FaultCalls<S> & {
  readonly ended: () => Date | undefined
} & (S extends "promise" ? AsyncDisposable : unknown)

export interface LastingFault<S extends CallStyle = "promise"> extends FaultCalls<S> {
  readonly fault: Fault
  readonly beganMillis: number
  /** When the fault ends by itself; undefined if unknown. */
  readonly endsMillis: number | undefined
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
  /** Calls back at a time of the cluster. Returns how to cancel. */
  readonly at: CallAt
}
