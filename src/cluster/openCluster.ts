import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { makeInterceptors } from "../server/traffic/interceptors.ts"
import { makeRequestLog, retainedRequestsDefault } from "../server/traffic/requestLog.ts"
import { makeCluster } from "./cluster.ts"
import { InvalidOptions, mustBe } from "../options/invalidOptions.ts"
import type { Interception, Interceptor } from "../server/traffic/interceptors.ts"
import type { RequestLog } from "../server/traffic/requestLog.ts"
import type { ForkOptions } from "./cluster.ts"
import type { ClusterCalls } from "./clusterCalls.ts"
import type { ClusterOptions } from "./clusterOptions.ts"
import type { Fault, FaultGiven } from "../faults/fault.ts"
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

export interface OpenCluster extends ClusterCalls<"promise">, AsyncDisposable {
  /** Serves the cluster as a Kubernetes API. Rejects with `CannotServe` and `InvalidOptions`. */
  readonly serve: (options?: ServeOptions) => Promise<ServedCluster>
  readonly requests: RequestLog
  /** Intercepts clients' requests, the last interceptor first. Returns how to remove it. */
  readonly intercept: (which: Interception, interceptor: Interceptor) => () => void
  /** A new cluster that continues from this instant; without changes both have the same future, to the byte. */
  readonly fork: (options?: ForkOptions) => Promise<OpenCluster>
  /** Begins a fault, until `for` is over, `end` or `close`. Rejects with `FaultRefused` where it is impossible. */
  readonly fault: (fault: FaultGiven) => Promise<StartedFault>
  readonly faults: () => ReadonlyArray<LastingFault>
  /** The recording that the page shows, as text: since the first call, or as `ClusterOptions.record` says. */
  readonly recording: () => Promise<string>
  readonly note: (text: string) => void
  readonly now: () => Date
  /** Stops everything. Later calls fail with `ClusterClosed`; `now`, `requests` and `recording` can still be read. */
  readonly close: () => Promise<void>
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

const requestsKeptCheck = mustBe(
  "an integer from 0 on",
  (count) => Number.isInteger(count) && (count as number) >= 0
)

export const openCluster = async (options: OpenOptions = {}): Promise<OpenCluster> => {
  if (typeof options !== "object" || options === null) {
    throw new InvalidOptions({ problems: [`the options must be an object, not ${JSON.stringify(options)}`] })
  }
  const { requestsKept = retainedRequestsDefault, inspect, ...clusterOptions } = options
  const problems = requestsKeptCheck("requestsKept", requestsKept)
  if (problems.length > 0) throw new InvalidOptions({ problems })
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
  const requests = makeRequestLog(requestsKept, cluster.checkOpen)
  const interceptors = makeInterceptors(async (millis, signal) => {
    await Effect.runPromiseExit(cluster.run(Effect.sleep(millis)), { signal })
  }, cluster.outside.observers)
  const close = async (): Promise<void> => {
    await run(Scope.close(scope, Exit.void))
    requests.close()
  }
  const { clock } = cluster

  return {
    apply: promised(cluster.apply),
    create: promised(cluster.create),
    get: promised(cluster.get),
    list: promised(cluster.list),
    watch: (resource, query) => Stream.toAsyncIterable(cluster.watch(resource, query)),
    patch: promised(cluster.patch),
    delete: promised(cluster.delete),
    bind: promised(cluster.bind),
    events: promised(cluster.events),
    setKubelet: promised(cluster.setKubelet),
    onChange: cluster.onChange,
    advance: promised(cluster.advance),
    clock: {
      state: clock.state,
      step: () => run(clock.step),
      pause: () => run(clock.pause),
      resume: () => run(clock.resume),
      setSpeed: promised(clock.setSpeed)
    },
    settle: promised(cluster.settle),
    until: promised(cluster.until),
    rollout: promised(cluster.rollout),
    snapshot: () => run(cluster.snapshot),
    why: promised(cluster.why),
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
    recording: async () => (await run(cluster.recording)).text(),
    note: (text) => cluster.note("step", text),
    now: () => new Date(cluster.nowMillis()),
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

const promised =
  <Args extends ReadonlyArray<unknown>, A, E>(call: (...args: Args) => Effect.Effect<A, E>) =>
  (...args: Args): Promise<A> =>
    run(call(...args))
