import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { makeClusterService } from "./cluster.ts"
import { callSiteOf, makePromiseCalls, runPromise } from "./calls/promiseCalls.ts"
import { isFields } from "../kubernetes/meta/fields.ts"
import { formatOptionValue, InvalidOptions } from "../options/invalidOptions.ts"
import type { ClusterCalls, ServedCluster, StartedFault } from "./calls/clusterCalls.ts"
import type { ClusterOptions, ForkOptions } from "./clusterOptions.ts"
import type { ClusterService } from "./clusterService.ts"
import type { PromiseCalls } from "./calls/promiseCalls.ts"
import type { FaultGiven } from "../faults/fault.ts"
import type { ServeOptions } from "./serving/serveOptions.ts"

interface ObjectFollowingInspector {
  readonly inspect: NonNullable<ClusterOptions["inspect"]>
  readonly follow: (cluster: Pick<OpenCluster, "onChange">) => () => void
}

export interface OpenOptions extends Omit<ClusterOptions, "inspect"> {
  /** XState's inspection of every actor: a function, or an inspector as `openInspector` returns. */
  readonly inspect?: NonNullable<ClusterOptions["inspect"]> | ObjectFollowingInspector
}

/** A cluster whose calls return promises. */
export interface OpenCluster extends ClusterCalls<"promise", OpenCluster>, AsyncDisposable {
  /** Later calls fail with `ClusterClosed`; `now`, `requests` and `recording` can still be read. */
  readonly close: () => Promise<void>
}

export const openCluster = async (options: OpenOptions = {}): Promise<OpenCluster> => {
  const callSite = callSiteOf(openCluster)
  const given: unknown = options
  if (!isFields(given))
    throw new InvalidOptions({ problems: [`the options must be an object, not ${JSON.stringify(options)}`] })
  const { inspect, ...clusterOptions } = options
  requireInspector(inspect)
  const scope = Scope.makeUnsafe()
  const inspectOption =
    inspect === undefined ? {} : { inspect: typeof inspect === "function" ? inspect : inspect.inspect }
  const cluster = await runPromise(
    Scope.provide(makeClusterService({ ...clusterOptions, ...inspectOption }), scope),
    callSite
  )
  if (typeof inspect === "object") inspect.follow(cluster)
  return toOpenCluster(cluster, scope)
}

const requireInspector = (inspect: unknown): void => {
  if (inspect === undefined || typeof inspect === "function") return
  if (isFields(inspect) && ["inspect", "follow"].every((name) => typeof inspect[name] === "function")) return
  const given = inspect instanceof Promise ? "a promise" : formatOptionValue(inspect)
  const problem = `inspect must be a function, or what openInspector resolves with, not ${given}`
  throw new InvalidOptions({ problems: [problem] })
}

/** The type keeps the list complete. */
const promiseCallNames: Readonly<
  Record<Exclude<keyof ClusterCalls<"promise", OpenCluster>, keyof AdaptedCalls>, true>
> = {
  advance: true,
  apply: true,
  bind: true,
  create: true,
  delete: true,
  events: true,
  fetch: true,
  forecast: true,
  get: true,
  intercept: true,
  list: true,
  loads: true,
  note: true,
  now: true,
  onChange: true,
  patch: true,
  recording: true,
  requests: true,
  rollout: true,
  setKubelet: true,
  setLoad: true,
  setMetric: true,
  settle: true,
  sleep: true,
  snapshot: true,
  timers: true,
  until: true,
  update: true,
  watch: true,
  why: true
}

/** Calls whose results have calls of their own. */
type AdaptedCalls = Pick<OpenCluster, "clock" | "fault" | "faults" | "fork" | "serve">

const toOpenCluster = (cluster: ClusterService, scope: Scope.Closeable): OpenCluster => {
  const promises = makePromiseCalls()
  const close = makeClose(promises, scope)
  const names = Object.keys(promiseCallNames) as ReadonlyArray<keyof typeof promiseCallNames>
  const calls = promises.toPromiseCalls(
    Object.fromEntries(names.map((name) => [name, name === "watch" ? cluster.feed : cluster[name]]))
  )
  return {
    ...(calls as Pick<OpenCluster, keyof typeof promiseCallNames>),
    ...adaptedCalls(cluster, scope, promises),
    close,
    [Symbol.asyncDispose]: close
  }
}

/** Later calls wait for the first one, which alone rejects. */
const makeClose = ({ toPromiseCall }: PromiseCalls, scope: Scope.Closeable): (() => Promise<void>) => {
  const close = toPromiseCall(() => Scope.close(scope, Exit.void))
  let firstClose: Promise<void> | undefined
  return () => (firstClose === undefined ? (firstClose = close()) : firstClose.catch(() => {}))
}

const adaptedCalls = (cluster: ClusterService, scope: Scope.Scope, promises: PromiseCalls): AdaptedCalls => {
  const { toPromiseCall } = promises
  return {
    clock: promises.toPromiseCalls(cluster.clock) as OpenCluster["clock"],
    fault: toPromiseCall((given: FaultGiven) =>
      Effect.map(cluster.fault(given), (fault): StartedFault => {
        const end = toPromiseCall(() => fault.end)
        // `met`, the number of Pods or writes affected so far, changes while the fault lasts.
        return Object.defineProperties(
          { ...fault, end, [Symbol.asyncDispose]: end },
          { met: { get: () => fault.met, enumerable: true } }
        )
      })
    ),
    faults: () => cluster.faults().map((fault) => ({ ...fault, end: toPromiseCall(() => fault.end) })),
    fork: toPromiseCall((changes: ForkOptions = {}) =>
      Effect.suspend(() => {
        // A fork stays open when the cluster it came from is closed.
        const forkScope = Scope.makeUnsafe()
        return Effect.map(Scope.provide(cluster.fork(changes), forkScope), (fork) =>
          toOpenCluster(fork, forkScope)
        )
      })
    ),
    serve: toPromiseCall((serveOptions: ServeOptions = {}) =>
      Effect.suspend(() => {
        const serverScope = Scope.forkUnsafe(scope)
        const stop = makeClose(promises, serverScope)
        return Effect.map(
          Scope.provide(cluster.serve(serveOptions), serverScope),
          (served): ServedCluster => ({
            ...served,
            requests: cluster.requests,
            stop,
            [Symbol.asyncDispose]: stop
          })
        )
      })
    )
  }
}
