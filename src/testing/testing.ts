import { formatDuration } from "../kubernetes/meta/amounts/durations.ts"
import { errorText } from "../kubernetes/meta/text/errorText.ts"
import { validateOptionNames } from "../options/invalidOptions.ts"
import { openCluster } from "../cluster/openCluster.ts"
import { makeClusterAccess } from "./clusterAccess.ts"
import { toClusterUnderTest } from "./clusterUnderTest.ts"
import { endWaitsAtTestEnd, waitWhileTestRuns } from "./pendingWaits.ts"
import { findRunningTest, warnOfLastErrors } from "./runningTest.ts"
import * as polling from "./polling.ts"
import type { ObjectOf } from "../kubernetes/meta/resourceTypes.ts"
import type { GroupResource } from "../kubernetes/meta/kinds.ts"
import type { KubeObject } from "../kubernetes/meta/objects.ts"
import type { OptionNames } from "../options/invalidOptions.ts"
import type { RunningTest } from "./runningTest.ts"
import type { RolloutOutcome } from "../cluster/calls/rolloutWait.ts"
import type { WorkloadNamed } from "../kubernetes/apps/workloadNames.ts"
import type { OpenOptions } from "../cluster/openCluster.ts"
import type { Duration, ListQuery, ObjectAddress } from "../cluster/calls/callOptions.ts"
import type { ServeOptions } from "../cluster/serving/serveOptions.ts"
import type { Access } from "./clusterAccess.ts"
import type { ClusterUnderTest } from "./clusterUnderTest.ts"
import type { Assertion, ConsistentlyOptions, EventuallyOptions } from "./polling.ts"

export type { Access } from "./clusterAccess.ts"
export { ForeignWrite, LeftBehind, NotOnRealCluster } from "./realClusterLimits.ts"
export { RemoteRefused, Unreachable, UnusableKubeconfig } from "../client/clientErrors.ts"
export type { ClusterUnderTest } from "./clusterUnderTest.ts"
export type { Assertion, ConsistentlyOptions, EventuallyOptions, PollingOptions } from "./polling.ts"

export interface StartOptions extends OpenOptions {
  /** Serves the cluster over HTTP; TLS only if asked for. kubectl and Go clients send no token over plain HTTP. */
  readonly serve?: boolean | ServeOptions
  /**
   * Ends the calls that wait for the cluster, and prints what they waited for. Needed only for node:test before Node
   * 24: `t.signal`.
   */
  readonly signal?: AbortSignal
}

export interface StartedCluster extends AsyncDisposable, Polling {
  readonly cluster: ClusterUnderTest
  readonly requests: ClusterUnderTest["requests"]
  readonly intercept: ClusterUnderTest["intercept"]
  readonly stop: () => Promise<void>
}

export interface StartedServer extends StartedCluster, Access {}

export interface Polling {
  readonly eventually: <A>(assertion: Assertion<A>, options?: EventuallyOptions) => Promise<A>
  readonly consistently: (assertion: Assertion, options?: ConsistentlyOptions) => Promise<void>
  readonly settled: (limit?: Duration) => Promise<void>
  readonly rolledOut: <const Name extends string>(
    name: Name,
    options?: RolledOutOptions
  ) => Promise<WorkloadNamed<Name>>
  readonly object: {
    <const R extends GroupResource>(address: ObjectAddress<R>): Getter<ObjectOf<R>>
    <O extends KubeObject>(address: ObjectAddress): Getter<O>
  }
  readonly objects: {
    <const R extends GroupResource>(resource: R, query?: ListQuery): Getter<ReadonlyArray<ObjectOf<R>>>
    <O extends KubeObject>(resource: GroupResource, query?: ListQuery): Getter<ReadonlyArray<O>>
  }
}

export interface RolledOutOptions {
  readonly namespace?: string
  readonly within?: Duration
}

/** Reads an object or list at each call. Matchers use its `cluster`. */
export interface Getter<A> {
  (): Promise<A>
  readonly cluster: ClusterUnderTest
}

const kubeconfigVariable = "CHARTHOUSE_USE_KUBECONFIG"

/** `CHARTHOUSE_USE_KUBECONFIG` is `1` or the path of a kubeconfig. */
export const usesRealCluster = (): boolean => realKubeconfig() !== undefined

const realKubeconfig = (): string | undefined => {
  const value = process.env[kubeconfigVariable] ?? ""
  return value === "" || value === "0" || value === "false" ? undefined : value
}

/**
 * Starts a cluster in this process. With `CHARTHOUSE_USE_KUBECONFIG` it uses a new namespace of a real cluster. Call
 * `stop`, or use `await using`.
 */
export function startCluster(
  options: StartOptions & { readonly serve: true | ServeOptions }
): Promise<StartedServer>
export function startCluster(options?: StartOptions): Promise<StartedCluster>
export async function startCluster(options: StartOptions = {}): Promise<StartedCluster> {
  const { serve = false, signal, ...openOptions } = options
  const cluster = await openClusterForTest(openOptions)
  if (signal !== undefined) endWaitsAtTestEnd(testOfSignal(signal), cluster)
  try {
    if (serve === false) return toStartedCluster(cluster)
    const access = makeClusterAccess(await cluster.serve({ tls: false, ...(serve === true ? {} : serve) }))
    const stop = async (): Promise<void> => {
      access.deleteKubeconfigFile()
      await cluster.close()
    }
    return { ...toStartedCluster(cluster), ...access, stop, [Symbol.asyncDispose]: stop }
  } catch (error) {
    await cluster.close()
    throw error
  }
}

/** Errors of another test than the running one can only be printed as warnings. */
const testOfSignal = (signal: AbortSignal): RunningTest => {
  const test = findRunningTest()
  return test?.signal === signal ? test : { signal, report: warnOfLastErrors }
}

export const openClusterForTest = async (options: OpenOptions): Promise<ClusterUnderTest> => {
  const kubeconfig = realKubeconfig()
  if (kubeconfig === undefined) return toClusterUnderTest(await openCluster(options))
  const { openRealCluster } = await import("./realCluster.ts")
  return openRealCluster(kubeconfig === "1" || kubeconfig === "true" ? undefined : kubeconfig)
}

const toStartedCluster = (cluster: ClusterUnderTest): StartedCluster => ({
  cluster,
  requests: cluster.requests,
  intercept: cluster.intercept,
  ...bindPolling(cluster),
  stop: cluster.close,
  [Symbol.asyncDispose]: cluster.close
})

export const bindPolling = (cluster: ClusterUnderTest): Polling => ({
  eventually: (assertion, options) => eventually(cluster, assertion, options),
  consistently: (assertion, options) => consistently(cluster, assertion, options),
  settled: (limit) => settled(cluster, limit),
  rolledOut: (name, options) => rolledOut(cluster, name, options),
  object: (address: ObjectAddress) => object(cluster, address) as Getter<never>,
  objects: (resource: GroupResource, query?: ListQuery) => objects(cluster, resource, query) as Getter<never>
})

/** Retries the assertion until it holds. Virtual time advances, by default at most 10 minutes. */
export const eventually = <A>(
  cluster: ClusterUnderTest,
  assertion: Assertion<A>,
  options?: EventuallyOptions
): Promise<A> => polling.pollEventually(cluster, assertion, options)

export const consistently = (
  cluster: ClusterUnderTest,
  assertion: Assertion,
  options?: ConsistentlyOptions
): Promise<void> => polling.pollConsistently(cluster, assertion, options)

/** Waits until no actor is moving; on a real cluster, until all rollouts are finished. */
export const settled = async (cluster: ClusterUnderTest, limit?: Duration): Promise<void> => {
  const isSettled = await waitWhileTestRuns(cluster, {
    wait: () => cluster.settle(limit),
    errorAtTimeout: () => new Error("an actor is still moving")
  })
  if (isSettled) return
  const limitText =
    limit === undefined ? "" : ` after ${typeof limit === "number" ? formatDuration(limit) : limit}`
  throw new Error(`an actor is still moving${limitText}`)
}

const rolledOutNames: OptionNames<RolledOutOptions> = { namespace: true, within: true }

/**
 * Waits until a rollout (or a Job) is complete, and returns the object. The error of a failed rollout has the
 * sentences of `charthouse explain`.
 */
export const rolledOut = async <const Name extends string>(
  cluster: ClusterUnderTest,
  name: Name,
  options: RolledOutOptions = {}
): Promise<WorkloadNamed<Name>> => {
  const { namespace, within } = validateOptionNames("rolledOut", options, rolledOutNames)
  const inNamespace = namespace === undefined ? {} : { namespace }
  const rollout = await waitWhileTestRuns(cluster, {
    wait: () => cluster.rollout(name, { ...inNamespace, ...(within === undefined ? {} : { limit: within }) }),
    errorAtTimeout: () =>
      cluster.rollout(name, { ...inNamespace, limit: 0 }).then(failedRollout(name), toError)
  })
  // The name determines the type.
  if (rollout.outcome === "complete" && rollout.workload !== undefined)
    return rollout.workload as WorkloadNamed<Name>
  throw failedRollout(name)(rollout)
}

const failedRollout =
  (name: string) =>
  ({ outcome, message, reasons }: RolloutOutcome): Error => {
    const state = `the rollout of ${JSON.stringify(name)} is ${outcome}: ${message}`
    return new Error(reasons.length === 0 ? state : `${state}\n\n${reasons.join("\n")}`)
  }

const toError = (error: unknown): Error => (error instanceof Error ? error : new Error(errorText(error)))

export const object = <R extends GroupResource>(
  cluster: ClusterUnderTest,
  address: ObjectAddress<R>
): Getter<ObjectOf<R>> => Object.assign(() => cluster.get(address), { cluster })

export const objects = <R extends GroupResource>(
  cluster: ClusterUnderTest,
  resource: R,
  query?: ListQuery
): Getter<ReadonlyArray<ObjectOf<R>>> =>
  Object.assign(async () => (await cluster.list(resource, query)).items, { cluster })
