import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { ClockState } from "./runtime/clusterClock.ts"
import { millisOf } from "./domain/durations.ts"
import { makeInterceptors } from "./api/intercept.ts"
import { makeRequestLog, requestsKeptDefault } from "./api/requestLog.ts"
import {
  answering,
  meantDeleting,
  meantListed,
  meantNamed,
  meantPatching,
  meantRolling,
  meantWatched
} from "./callOptions.ts"
import { makeCluster } from "./cluster.ts"
import { kindAsked } from "./fromOutside.ts"
import { InvalidOptions, spelt } from "./invalidOptions.ts"
import { listOptions, namespaceFor, placed, refOf } from "./storeTerms.ts"
import type { LabelSelector } from "kubernetes-types/meta/v1.js"
import type { Interception, Interceptor } from "./api/intercept.ts"
import type { RequestLog } from "./api/requestLog.ts"
import type { ForkOptions } from "./cluster.ts"
import type { ClusterOptions } from "./clusterOptions.ts"
import type { Step } from "./inspect/why/step.ts"
import type { RolloutOutcome } from "./rollouts.ts"
import type { Snapshot } from "./snapshots/snapshot.ts"
import type { Fault, FaultGiven } from "./faults/fault.ts"
import type { PodBinding } from "./fromOutside.ts"
import type { GroupResource } from "./domain/kinds.ts"
import type { EventObject, KubeObject, Manifest } from "./domain/objects.ts"
import type { Change, DeleteOptions, ObjectList, ObjectOf } from "./store/objectStore.ts"
import type { Applied } from "./manifests/applyManifests.ts"
import type { Served } from "./serve.ts"
import type { ServeOptions } from "./serveOptions.ts"

/** A length of time: milliseconds, or Go's text for it (`10m`, `1h30m`). */
export type Duration = number | string

/**
 * One object by resource and name; in namespace `default` where the kind has namespaces and none is given.
 */
export interface Named<R extends GroupResource = GroupResource> {
  readonly resource: R
  readonly name: string
  readonly namespace?: string
}

export interface Listed {
  readonly namespace?: string
  /** `app=web,tier in (a,b)`, or the structured form. */
  readonly labelSelector?: string | LabelSelector
  /** `spec.nodeName=node-1,status.phase!=Running`: of one resource, by the fields that the API selects it by. */
  readonly fieldSelector?: string
}

export interface Watched extends Listed {
  /** Changes after this version; without it, the present objects first, as additions. */
  readonly resourceVersion?: string
}

export interface PatchOptions {
  /** Of the status, and of nothing else. */
  readonly status?: boolean
}

export interface RolloutOptions {
  readonly namespace?: string
  readonly limit?: Duration
}

/** Somebody who sees what actors do, and learns from the objects whose they are. */
interface Inspecting {
  readonly inspect: NonNullable<ClusterOptions["inspect"]>
  readonly follow: (cluster: Pick<OpenCluster, "onChange">) => () => void
}

/** How a cluster is opened. */
export interface OpenOptions extends Omit<ClusterOptions, "inspect"> {
  /** Sees everything that every actor does: a function, or an inspector such as `openInspector` opens. */
  readonly inspect?: NonNullable<ClusterOptions["inspect"]> | Inspecting
  /** How many requests of clients are kept in `requests`, 1,000 by default; 0 keeps none. */
  readonly requestsKept?: number
}

/** The library for those who write promises. Every method fails with what the Effect API fails with. */
export interface OpenCluster extends AsyncDisposable {
  /**
   * Creates or updates objects, or everything in a YAML text, as `kubectl apply` would; all of it or
   * nothing.
   */
  readonly apply: (manifest: string | Manifest | ReadonlyArray<Manifest>) => Promise<ReadonlyArray<Applied>>
  readonly create: (draft: Manifest) => Promise<KubeObject>
  /**
   * An object as the store has it, which never changes. Its `metadata.managedFields`, and those in `list`, `onChange`
   * and what other methods return, end with the last write by a client of the API. The entries of controllers are
   * worked out only when the API shows an object: `cluster.serve()` has them.
   */
  readonly get: <R extends GroupResource>(named: Named<R>) => Promise<ObjectOf<R>>
  readonly list: <R extends GroupResource>(resource: R, options?: Listed) => Promise<ObjectList<ObjectOf<R>>>
  /** Changes from now on, or from a version on; with the present objects first where no version is given. */
  readonly watch: (resource?: GroupResource, options?: Watched) => AsyncIterable<Change>
  /** An RFC 7386 merge patch, or a list of RFC 6902 operations. */
  readonly patch: (named: Named, patch: object, options?: PatchOptions) => Promise<KubeObject>
  readonly delete: (named: Named, options?: DeleteOptions) => Promise<KubeObject>
  /** Puts a Pod on a node, where nobody else does: Pods whose behaviour is `manual`. */
  readonly bind: (binding: PodBinding) => Promise<KubeObject>
  /**
   * Lets time pass that stands still: on a virtual clock, or a paused one. Two that are asked for at once come one
   * after the other; whoever waits meanwhile is answered at the instant for which it waits.
   */
  readonly advance: (duration: Duration) => Promise<void>
  /** How time goes, and other ways to move it. */
  readonly clock: OpenClock
  /**
   * Lets time pass until everything has got where it can; false when `limit` came first. What is only tried again
   * and again has, be it a Pod in CrashLoopBackOff or a creation that was refused; and so has a Pod that nobody knows
   * will crash.
   */
  readonly settle: (limit?: Duration) => Promise<boolean>
  /** Lets time pass until something holds; false when `limit` came first. */
  readonly until: (holds: () => boolean, limit?: Duration) => Promise<boolean>
  /** Waits until a rollout is complete or has failed; a virtual clock is moved as far as that takes. */
  readonly rollout: (name: string, options?: RolloutOptions) => Promise<RolloutOutcome>
  readonly events: (about?: { readonly uid: string }) => Promise<ReadonlyArray<EventObject>>
  /** Silences a node's kubelet, or brings it back. */
  readonly setKubelet: (node: string, state: "running" | "stopped") => Promise<void>
  /**
   * Serves the cluster as a Kubernetes API to kubectl and client libraries, on this machine only unless told
   * otherwise, until `stop` or the cluster's end. Fails with `CannotServe` and `InvalidOptions`.
   */
  readonly serve: (options?: ServeOptions) => Promise<ServedCluster>
  /** The requests that clients have made of the cluster where it is served. */
  readonly requests: RequestLog
  /**
   * Decides about requests of clients instead of the cluster: refuses, delays, answers otherwise, loses the answer.
   * The one that came last is asked first. Returns how to stop.
   */
  readonly intercept: (which: Interception, interceptor: Interceptor) => () => void
  /**
   * The whole cluster at this instant, with its clock, its timers and its seed: `openCluster({ from })` goes on from
   * it, and `snapshotText` makes a file of it. Faults that last go on there as here. Fails with `CannotSnapshot` where
   * something is half way, such as a write that a fault slows down.
   */
  readonly snapshot: () => Promise<Snapshot>
  /**
   * Another cluster that goes on from this instant, on a virtual clock unless told otherwise: what happens in it does
   * not happen here. Left alone, both have the same future to the byte; with a seed of its own, another one.
   */
  readonly fork: (options?: ForkOptions) => Promise<OpenCluster>
  /**
   * Begins a fault now. It ends when `for` is over, when `end` is called, or with the cluster. Fails with `FaultRefused`
   * where it cannot be.
   */
  readonly fault: (fault: FaultGiven) => Promise<FaultOn>
  /** Those that are on now, in the order in which they began. */
  readonly faults: () => ReadonlyArray<LastingFault>
  /**
   * The last steps of an object's actor, each with what it saw, which guards held, what it asked for and what came of
   * it: from when this was first asked, or from the beginning with `openCluster({ why: true })`.
   */
  readonly why: (named: Named) => Promise<ReadonlyArray<Step>>
  /**
   * Everything that a page shows of the cluster, at any moment, as text: from when this was first asked, or from the
   * beginning with `openCluster({ record: true })`. What is kept is bounded: see `RecordSettings`.
   */
  readonly recording: () => Promise<string>
  /** Says something of this moment in the recording, where there is one. */
  readonly note: (text: string) => void
  readonly now: () => Date
  /**
   * Calls back on every change, at once and in order. Returns how to stop. What the listener throws, or what its
   * promise rejects with, is logged once and rejects the next awaited call: see `ClusterOptions.observerErrors`.
   */
  readonly onChange: (listener: (change: Change) => unknown) => () => void
  /**
   * Stops everything; nothing of the cluster is left behind. Whatever is asked of it then fails with `ClusterClosed`;
   * its last instant, and what was logged and recorded, can still be read.
   */
  readonly close: () => Promise<void>
}

/** The clock of an open cluster. */
export interface OpenClock {
  readonly state: () => ClockState
  /** Moves to the next moment at which something happens by itself; false where nothing ever will. */
  readonly step: () => Promise<boolean>
  readonly pause: () => Promise<void>
  /** Goes on as before it was paused; a clock that never went goes at the machine's own pace. */
  readonly resume: () => Promise<void>
  /** So many times as fast as the machine's clock, from now on. */
  readonly setSpeed: (speed: number) => Promise<void>
}

/** A fault that has begun. */
export interface FaultOn extends AsyncDisposable {
  /** By which it is found among `faults()`, and ended from outside where the cluster is served: `fault-1`. */
  readonly id: string
  /** Ends it; nothing happens where it is over already. */
  readonly end: () => Promise<void>
  /** When it was over; undefined while it lasts. */
  readonly ended: () => Date | undefined
  /**
   * How many it has met until now: Pods, or of one that refuses or delays writes, those. Undefined where it is of
   * neither, as one of a node is.
   */
  readonly met: number | undefined
}

/** A fault that is on, whoever began it. */
export interface LastingFault {
  /** `fault-1`, the first that began. */
  readonly id: string
  readonly fault: Fault
  readonly beganMillis: number
  /** When it ends by itself; undefined where that is not known. */
  readonly endsMillis: number | undefined
  /** How many it has met until now, as `met` of a fault that begins. */
  readonly met: number | undefined
  /** Ends it; nothing happens where it is over already. */
  readonly end: () => Promise<void>
}

/** A cluster that is being served: its URL, its kubeconfig, and how to stop. */
export interface ServedCluster extends Served, AsyncDisposable {
  /** Those of the cluster, whichever of its servers they came to. */
  readonly requests: RequestLog
  readonly stop: () => Promise<void>
}

/** Opens a cluster. Close it, or say `await using`. */
export const openCluster = async (options: OpenOptions = {}): Promise<OpenCluster> => {
  if (typeof options !== "object" || options === null) {
    throw new InvalidOptions({ problems: [`the options must be an object, not ${JSON.stringify(options)}`] })
  }
  const { requestsKept = requestsKeptDefault, inspect, ...others } = options
  if (!Number.isInteger(requestsKept) || requestsKept < 0) {
    const problem = `requestsKept must be an integer from 0 on, not ${spelt(requestsKept)}`
    throw new InvalidOptions({ problems: [problem] })
  }
  const scope = Scope.makeUnsafe()
  const cluster = await run(
    Effect.provideService(
      makeCluster({
        ...others,
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
  const loaded = <M, A, E>(load: () => Promise<M>, act: (module: M) => Effect.Effect<A, E>): Promise<A> =>
    run(Effect.flatMap(cluster.loading(load), act))

  return {
    apply: (manifest) =>
      loaded(
        () => import("./manifests/applyManifests.ts"),
        ({ applyManifest }) => cluster.run(applyManifest(cluster.store, manifest))
      ),
    create: async (draft) => run(cluster.create(placed(draft))),
    get: async (named) => {
      const { resource, name } = meantNamed("get", named)
      return run(cluster.get(resource, name, namespaceFor(kinds, named)))
    },
    list: async (resource, wanted = {}) =>
      run(cluster.list(resource, listOptions(kinds, { ...meantListed(wanted), resource }))),
    watch: (resource, wanted = {}) =>
      Stream.toAsyncIterable(
        cluster.watch({
          ...listOptions(kinds, { ...meantWatched(wanted), resource }),
          ...(resource === undefined ? {} : { resource }),
          ...(wanted.resourceVersion === undefined ? {} : { resourceVersion: wanted.resourceVersion })
        })
      ),
    patch: async (named, patch, options = {}) => {
      const ref = refOf(kinds, meantNamed("patch", named))
      const only = meantPatching(options)
      return loaded(
        () => import("./domain/patches.ts"),
        ({ patched }) => cluster.modify(ref, (object) => patched(object, patch, kinds), only)
      )
    },
    delete: async (named, request = {}) =>
      run(cluster.delete(refOf(kinds, meantNamed("delete", named)), meantDeleting(request))),
    bind: (binding) => run(cluster.bind(binding)),
    advance: async (duration) => run(cluster.advance(millisOf(duration, "duration"))),
    clock: {
      state: cluster.clock.state,
      step: () => run(cluster.clock.step),
      pause: () => run(cluster.clock.pause),
      resume: () => run(cluster.clock.resume),
      setSpeed: (speed) => run(cluster.clock.setSpeed(speed))
    },
    settle: async (limit) => run(cluster.settle(limit === undefined ? undefined : millisOf(limit, "limit"))),
    until: async (holds, limit) =>
      run(cluster.until(answering(holds), limit === undefined ? undefined : millisOf(limit, "limit"))),
    rollout: async (name, options = {}) => {
      const { namespace, limit } = meantRolling(options)
      return run(
        cluster.rollout(name, {
          ...(namespace === undefined ? {} : { namespace }),
          ...(limit === undefined ? {} : { limitMillis: millisOf(limit, "limit") })
        })
      )
    },
    events: (about) => run(cluster.events(about)),
    setKubelet: (node, state) => run(cluster.setKubelet(node, state)),
    serve: async (serving = {}) => {
      const { serve } = await run(cluster.loading(() => import("./serve.ts")))
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
    why: async (named) => {
      const { kind } = await run(kindAsked(kinds, meantNamed("why", named).resource))
      const { steps } = await run(cluster.why)
      return steps({ kind, name: named.name, namespace: namespaceFor(kinds, named) })
    },
    recording: async () => (await run(cluster.recording)).text(),
    note: (text) => cluster.note("step", text),
    now: () => new Date(cluster.nowMillis()),
    onChange: cluster.onChange,
    close,
    [Symbol.asyncDispose]: close
  }
}

/** Runs to the end; a failure is thrown as itself, so that `catch` sees NotFound and not a wrapper. */
const run = async <A, E>(effect: Effect.Effect<A, E>): Promise<A> => {
  const exit = await Effect.runPromiseExit(effect)
  if (Exit.isSuccess(exit)) return exit.value
  throw Cause.squash(exit.cause)
}
