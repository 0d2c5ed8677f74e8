import type {
  Duration,
  ObjectAddress,
  ListQuery,
  WatchQuery,
  PatchOptions,
  RolloutOptions
} from "./callOptions.ts"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { ClockState } from "../runtime/time/clusterClock.ts"
import { toDurationMillis } from "../kubernetes/meta/amounts/durations.ts"
import { makeInterceptors } from "../server/traffic/interceptors.ts"
import { makeRequestLog, retainedRequestsDefault } from "../server/traffic/requestLog.ts"
import {
  requireSynchronous,
  validateDeleteOptions,
  validateListQuery,
  validateObjectAddress,
  validatePatchOptions,
  validateRolloutOptions,
  validateWatchQuery
} from "./callOptions.ts"
import { makeCluster } from "./cluster.ts"
import { resolveKind } from "./objectApi.ts"
import { InvalidOptions, showValue } from "../options/invalidOptions.ts"
import { toListOptions, namespaceOrDefault, withDefaultNamespace, toStoreRef } from "./toStoreRequest.ts"
import type { Interception, Interceptor } from "../server/traffic/interceptors.ts"
import type { RequestLog } from "../server/traffic/requestLog.ts"
import type { ForkOptions } from "./cluster.ts"
import type { ClusterOptions } from "./clusterOptions.ts"
import type { Step } from "../explain/steps/step.ts"
import type { RolloutOutcome } from "./rolloutWait.ts"
import type { Snapshot } from "./snapshots/snapshot.ts"
import type { Fault, FaultGiven } from "../faults/fault.ts"
import type { PodBinding } from "./objectApi.ts"
import type { GroupResource } from "../kubernetes/meta/kinds.ts"
import type { EventObject, KubeObject, Manifest } from "../kubernetes/meta/objects.ts"
import type { Change, DeleteOptions, ObjectList, ObjectOf } from "../store/objectStore.ts"
import type { AppliedDocument } from "../manifests/manifestDocument.ts"
import type { RunningServer } from "./serveCluster.ts"
import type { ServeOptions } from "./serveOptions.ts"

/** An inspector that also follows the objects of actors. */
interface Inspecting {
  readonly inspect: NonNullable<ClusterOptions["inspect"]>
  readonly follow: (cluster: Pick<OpenCluster, "onChange">) => () => void
}

export interface OpenOptions extends Omit<ClusterOptions, "inspect"> {
  /** XState's inspection of every actor: a function, or an inspector as `openInspector` returns. */
  readonly inspect?: NonNullable<ClusterOptions["inspect"]> | Inspecting
  /** Most requests in `requests`, 1,000 by default; 0 keeps none. */
  readonly requestsKept?: number
}

export interface OpenCluster extends AsyncDisposable {
  /** Creates or updates objects, or all objects in a YAML text, as `kubectl apply` does; all of them or none. */
  readonly apply: (
    manifest: string | Manifest | ReadonlyArray<Manifest>
  ) => Promise<ReadonlyArray<AppliedDocument>>
  readonly create: (draft: Manifest) => Promise<KubeObject>
  /** An immutable object of the store. Only `serve()` shows the controllers' entries of `metadata.managedFields`. */
  readonly get: <R extends GroupResource>(address: ObjectAddress<R>) => Promise<ObjectOf<R>>
  readonly list: <R extends GroupResource>(
    resource: R,
    options?: ListQuery
  ) => Promise<ObjectList<ObjectOf<R>>>
  /** Changes after a version; without one, the present objects as additions, then changes. */
  readonly watch: (resource?: GroupResource, options?: WatchQuery) => AsyncIterable<Change>
  /** An RFC 7386 merge patch, or a list of RFC 6902 operations. */
  readonly patch: (address: ObjectAddress, patch: object, options?: PatchOptions) => Promise<KubeObject>
  readonly delete: (address: ObjectAddress, options?: DeleteOptions) => Promise<KubeObject>
  readonly bind: (binding: PodBinding) => Promise<KubeObject>
  /** Advances a virtual or paused clock. Concurrent calls advance one after another. */
  readonly advance: (duration: Duration) => Promise<void>
  readonly clock: OpenClock
  /**
   * Lets time pass until no actor is moving. What is only retried (CrashLoopBackOff) is not moving. False at `limit`.
   */
  readonly settle: (limit?: Duration) => Promise<boolean>
  /** Lets time pass until `holds` returns true; false when `limit` comes first. */
  readonly until: (holds: () => boolean, limit?: Duration) => Promise<boolean>
  /** Waits until a rollout is complete or has failed, advancing a virtual clock. */
  readonly rollout: (name: string, options?: RolloutOptions) => Promise<RolloutOutcome>
  readonly events: (about?: { readonly uid: string }) => Promise<ReadonlyArray<EventObject>>
  readonly setKubelet: (node: string, state: "running" | "stopped") => Promise<void>
  /** Serves the cluster as a Kubernetes API. Rejects with `CannotServe` and `InvalidOptions`. */
  readonly serve: (options?: ServeOptions) => Promise<ServedCluster>
  readonly requests: RequestLog
  /** Intercepts clients' requests, the last interceptor first. Returns how to remove it. */
  readonly intercept: (which: Interception, interceptor: Interceptor) => () => void
  /** For `openCluster({ from })` and `snapshotText`. Rejects with `CannotSnapshot` while a fault delays a write. */
  readonly snapshot: () => Promise<Snapshot>
  /** A new cluster that continues from this instant; without changes both have the same future, to the byte. */
  readonly fork: (options?: ForkOptions) => Promise<OpenCluster>
  /** Begins a fault, until `for` is over, `end` or `close`. Rejects with `FaultRefused` where it is impossible. */
  readonly fault: (fault: FaultGiven) => Promise<StartedFault>
  readonly faults: () => ReadonlyArray<LastingFault>
  /** Steps of an object's actor, with guards, commands and outcome: since the first call, or `ClusterOptions.why`. */
  readonly why: (address: ObjectAddress) => Promise<ReadonlyArray<Step>>
  /** The recording that the page shows, as text: since the first call, or as `ClusterOptions.record` says. */
  readonly recording: () => Promise<string>
  readonly note: (text: string) => void
  readonly now: () => Date
  /** Calls back on every change, synchronously and in order; errors: `observerErrors`. Returns how to unsubscribe. */
  readonly onChange: (listener: (change: Change) => unknown) => () => void
  /** Stops everything. Later calls fail with `ClusterClosed`; `now`, `requests` and `recording` can still be read. */
  readonly close: () => Promise<void>
}

export interface OpenClock {
  readonly state: () => ClockState
  /** Advances to the next timer; false where there is none. */
  readonly step: () => Promise<boolean>
  readonly pause: () => Promise<void>
  /** Continues at the speed before the pause; a virtual clock continues at the machine's pace. */
  readonly resume: () => Promise<void>
  /** Sets the speed as a multiple of the machine's clock. */
  readonly setSpeed: (speed: number) => Promise<void>
}

export interface StartedFault extends AsyncDisposable {
  readonly id: string
  readonly end: () => Promise<void>
  readonly ended: () => Date | undefined
  /** Number of Pods, or of refused or delayed writes, that it has affected; undefined for faults of neither. */
  readonly met: number | undefined
}

export interface LastingFault {
  readonly id: string
  readonly fault: Fault
  readonly beganMillis: number
  /** When it ends by itself; undefined where that is unknown. */
  readonly endsMillis: number | undefined
  readonly met: number | undefined
  readonly end: () => Promise<void>
}

export interface ServedCluster extends RunningServer, AsyncDisposable {
  readonly requests: RequestLog
  readonly stop: () => Promise<void>
}

export const openCluster = async (options: OpenOptions = {}): Promise<OpenCluster> => {
  if (typeof options !== "object" || options === null) {
    throw new InvalidOptions({ problems: [`the options must be an object, not ${JSON.stringify(options)}`] })
  }
  const { requestsKept = retainedRequestsDefault, inspect, ...clusterOptions } = options
  if (!Number.isInteger(requestsKept) || requestsKept < 0) {
    const problem = `requestsKept must be an integer from 0 on, not ${showValue(requestsKept)}`
    throw new InvalidOptions({ problems: [problem] })
  }
  const scope = Scope.makeUnsafe()
  const cluster = await run(
    Effect.provideService(
      makeCluster({
        ...clusterOptions,
        ...(inspect === undefined
          ? {}
          : { inspect: typeof inspect === "function" ? inspect : inspect.inspect })
      }),
      Scope.Scope,
      scope
    )
  )
  if (typeof inspect === "object") inspect.follow(cluster)
  const { kinds } = cluster.view
  const requests = makeRequestLog(requestsKept, cluster.checkOpen)
  const interceptors = makeInterceptors(async (millis, signal) => {
    await Effect.runPromiseExit(cluster.run(Effect.sleep(millis)), { signal })
  }, cluster.outside.observers)
  const close = async (): Promise<void> => {
    await run(Scope.close(scope, Exit.void))
    requests.close()
  }
  const runWithModule = <M, A, E>(
    load: () => Promise<M>,
    act: (module: M) => Effect.Effect<A, E>
  ): Promise<A> => run(Effect.flatMap(cluster.loading(load), act))

  return {
    apply: (manifest) =>
      runWithModule(
        () => import("../manifests/applyManifests.ts"),
        ({ applyManifest }) => cluster.run(applyManifest(cluster.store, manifest))
      ),
    create: async (draft) => run(cluster.create(withDefaultNamespace(draft))),
    get: async (address) => {
      const { resource, name } = validateObjectAddress("get", address)
      return run(cluster.get(resource, name, namespaceOrDefault(kinds, address)))
    },
    list: async (resource, query = {}) =>
      run(cluster.list(resource, toListOptions(kinds, { ...validateListQuery(query), resource }))),
    watch: (resource, query = {}) =>
      Stream.toAsyncIterable(
        cluster.watch({
          ...toListOptions(kinds, { ...validateWatchQuery(query), resource }),
          ...(resource === undefined ? {} : { resource }),
          ...(query.resourceVersion === undefined ? {} : { resourceVersion: query.resourceVersion })
        })
      ),
    patch: async (address, patch, options = {}) => {
      const ref = toStoreRef(kinds, validateObjectAddress("patch", address))
      const patchOptions = validatePatchOptions(options)
      return runWithModule(
        () => import("../kubernetes/apply/patches/jsonPatches.ts"),
        ({ applyPatch }) => cluster.modify(ref, (object) => applyPatch(object, patch, kinds), patchOptions)
      )
    },
    delete: async (address, request = {}) =>
      run(
        cluster.delete(
          toStoreRef(kinds, validateObjectAddress("delete", address)),
          validateDeleteOptions(request)
        )
      ),
    bind: (binding) => run(cluster.bind(binding)),
    advance: async (duration) => run(cluster.advance(toDurationMillis(duration, "duration"))),
    clock: {
      state: cluster.clock.state,
      step: () => run(cluster.clock.step),
      pause: () => run(cluster.clock.pause),
      resume: () => run(cluster.clock.resume),
      setSpeed: (speed) => run(cluster.clock.setSpeed(speed))
    },
    settle: async (limit) =>
      run(cluster.settle(limit === undefined ? undefined : toDurationMillis(limit, "limit"))),
    until: async (holds, limit) =>
      run(
        cluster.until(
          requireSynchronous(holds),
          limit === undefined ? undefined : toDurationMillis(limit, "limit")
        )
      ),
    rollout: async (name, options = {}) => {
      const { namespace, limit } = validateRolloutOptions(options)
      return run(
        cluster.rollout(name, {
          ...(namespace === undefined ? {} : { namespace }),
          ...(limit === undefined ? {} : { limitMillis: toDurationMillis(limit, "limit") })
        })
      )
    },
    events: (about) => run(cluster.events(about)),
    setKubelet: (node, state) => run(cluster.setKubelet(node, state)),
    serve: async (serving = {}) => {
      const { serve } = await run(cluster.loading(() => import("./serveCluster.ts")))
      const serverScope = Scope.forkUnsafe(scope)
      const stop = (): Promise<void> => run(Scope.close(serverScope, Exit.void))
      const served = await run(
        Effect.provideService(serve(cluster, serving, { requests, interceptors }), Scope.Scope, serverScope)
      )
      return { ...served, requests, stop, [Symbol.asyncDispose]: stop }
    },
    requests,
    intercept: (which, interceptor) => {
      cluster.checkOpen()
      return interceptors.add(which, interceptor)
    },
    snapshot: () => run(cluster.snapshot),
    fork: async (changes = {}) => openCluster({ ...changes, from: await run(cluster.snapshot) }),
    fault: async (fault) => {
      const handle = await run(cluster.faults.begin(fault))
      const end = (): Promise<void> => run(handle.end)
      const ended = (): Date | undefined => {
        const millis = handle.endedMillis()
        return millis === undefined ? undefined : new Date(millis)
      }
      return {
        id: handle.id,
        end,
        ended,
        get met() {
          return handle.met()
        },
        [Symbol.asyncDispose]: end
      }
    },
    faults: () => cluster.faults.active().map((it) => ({ ...it, met: it.met(), end: () => run(it.end) })),
    why: async (address) => {
      const { kind } = await run(resolveKind(kinds, validateObjectAddress("why", address).resource))
      const { steps } = await run(cluster.why)
      return steps({ kind, name: address.name, namespace: namespaceOrDefault(kinds, address) })
    },
    recording: async () => (await run(cluster.recording)).text(),
    note: (text) => cluster.note("step", text),
    now: () => new Date(cluster.nowMillis()),
    onChange: cluster.onChange,
    close,
    [Symbol.asyncDispose]: close
  }
}

/** Runs an effect. A failure is thrown as itself, so that `catch` sees `NotFound` and no wrapper. */
const run = async <A, E>(effect: Effect.Effect<A, E>): Promise<A> => {
  const exit = await Effect.runPromiseExit(effect)
  if (Exit.isSuccess(exit)) return exit.value
  throw Cause.squash(exit.cause)
}
