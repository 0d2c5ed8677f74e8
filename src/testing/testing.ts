import { formatDuration } from "../domain/durations.ts"
import { meantFor } from "../invalidOptions.ts"
import { openCluster } from "../openCluster.ts"
import { accessTo } from "./access.ts"
import { underTest } from "./clusterUnderTest.ts"
import * as polling from "./polling.ts"
import type { GroupResource } from "../domain/kinds.ts"
import type { Deployment } from "../domain/objects.ts"
import type { NamesOf } from "../invalidOptions.ts"
import type { Duration, Listed, Named, OpenOptions } from "../openCluster.ts"
import type { ServeOptions } from "../serveOptions.ts"
import type { ObjectOf } from "../store/objectStore.ts"
import type { Access } from "./access.ts"
import type { ClusterUnderTest } from "./clusterUnderTest.ts"
import type { Assertion, ConsistentlyOptions, EventuallyOptions } from "./polling.ts"

export type { Access } from "./access.ts"
export { ForeignWrite, LeftBehind, NotOnRealCluster } from "./realLimits.ts"
export { RemoteRefused, Unreachable, UnusableKubeconfig } from "../remote/errors.ts"
export type { ClusterUnderTest } from "./clusterUnderTest.ts"
export type { Assertion, ConsistentlyOptions, EventuallyOptions, PollingOptions } from "./polling.ts"

/** How a cluster for a test is started. */
export interface StartOptions extends OpenOptions {
  /** Over HTTP as well: plain, unless `tls` is asked for. kubectl and Go's clients send no token over plain HTTP. */
  readonly serve?: boolean | ServeOptions
}

/** A cluster for a test, and how to look at it. Everything can be taken out of it and used alone. */
export interface StartedCluster extends AsyncDisposable, Polling {
  readonly cluster: ClusterUnderTest
  readonly requests: ClusterUnderTest["requests"]
  readonly intercept: ClusterUnderTest["intercept"]
  readonly stop: () => Promise<void>
}

/** A cluster that clients can be sent to. */
export interface StartedServer extends StartedCluster, Access {}

/** What moves a cluster's time until something is so, bound to that cluster. */
export interface Polling {
  readonly eventually: <A>(assertion: Assertion<A>, options?: EventuallyOptions) => Promise<A>
  readonly consistently: (assertion: Assertion, options?: ConsistentlyOptions) => Promise<void>
  readonly settled: (limit?: Duration) => Promise<void>
  readonly rolledOut: (name: string, options?: RolledOutOptions) => Promise<Deployment>
  readonly object: <R extends GroupResource>(named: Named<R>) => Getter<ObjectOf<R>>
  readonly objects: <R extends GroupResource>(
    resource: R,
    listed?: Listed
  ) => Getter<ReadonlyArray<ObjectOf<R>>>
}

export interface RolledOutOptions {
  readonly namespace?: string
  /** The cluster's time. */
  readonly within?: Duration
}

/** Reads anew whenever it is called, and knows of which cluster. */
export interface Getter<A> {
  (): Promise<A>
  readonly cluster: ClusterUnderTest
}

const variable = "CHARTHOUSE_USE_KUBECONFIG"

/** Whether tests run against a real cluster: `CHARTHOUSE_USE_KUBECONFIG` is set to `1`, or to a kubeconfig. */
export const usesRealCluster = (): boolean => realKubeconfig() !== undefined

const realKubeconfig = (): string | undefined => {
  const stated = process.env[variable] ?? ""
  return stated === "" || stated === "0" || stated === "false" ? undefined : stated
}

/**
 * Starts a cluster for a test: in the process, with `serve` over HTTP as well. With `CHARTHOUSE_USE_KUBECONFIG` it is a
 * namespace of a real one, where what only ours can do fails with a sentence. Stop it, or say `await using`.
 */
export function startCluster(
  options: StartOptions & { readonly serve: true | ServeOptions }
): Promise<StartedServer>
export function startCluster(options?: StartOptions): Promise<StartedCluster>
export async function startCluster(options: StartOptions = {}): Promise<StartedCluster> {
  const { serve = false, ...opening } = options
  const cluster = await clusterFor(opening)
  try {
    if (serve === false) return started(cluster)
    const access = accessTo(await cluster.serve({ tls: false, ...(serve === true ? {} : serve) }))
    const stop = async (): Promise<void> => {
      access.forget()
      await cluster.close()
    }
    return { ...started(cluster), ...access, stop, [Symbol.asyncDispose]: stop }
  } catch (error) {
    await cluster.close()
    throw error
  }
}

/** What a real cluster needs is not read before one is asked for. */
export const clusterFor = async (options: OpenOptions): Promise<ClusterUnderTest> => {
  const stated = realKubeconfig()
  if (stated === undefined) return underTest(await openCluster(options))
  const { openRealCluster } = await import("./realCluster.ts")
  return openRealCluster(stated === "1" || stated === "true" ? undefined : stated)
}

const started = (cluster: ClusterUnderTest): StartedCluster => ({
  cluster,
  requests: cluster.requests,
  intercept: cluster.intercept,
  ...pollingOf(cluster),
  stop: cluster.close,
  [Symbol.asyncDispose]: cluster.close
})

/** Everything that polls, for one cluster. */
export const pollingOf = (cluster: ClusterUnderTest): Polling => ({
  eventually: (assertion, options) => eventually(cluster, assertion, options),
  consistently: (assertion, options) => consistently(cluster, assertion, options),
  settled: (limit) => settled(cluster, limit),
  rolledOut: (name, options) => rolledOut(cluster, name, options),
  object: (named) => object(cluster, named),
  objects: (resource, listed) => objects(cluster, resource, listed)
})

/**
 * Tries until something holds, and answers with what it gave. Virtual time is moved as far as that takes, `within` 10
 * minutes of it unless told otherwise; of a cluster whose time goes by itself it is waited for.
 */
export const eventually = <A>(
  cluster: ClusterUnderTest,
  assertion: Assertion<A>,
  options?: EventuallyOptions
): Promise<A> => polling.eventually(cluster, assertion, options)

/** Tries that something holds at every moment of a time, one minute unless told otherwise. */
export const consistently = (
  cluster: ClusterUnderTest,
  assertion: Assertion,
  options?: ConsistentlyOptions
): Promise<void> => polling.consistently(cluster, assertion, options)

/** Lets time pass until nothing moves by itself; of a real cluster, until all rollouts are over. */
export const settled = async (cluster: ClusterUnderTest, limit?: Duration): Promise<void> => {
  if (await cluster.settle(limit)) return
  const over =
    limit === undefined ? "" : ` after ${typeof limit === "number" ? formatDuration(limit) : limit}`
  throw new Error(`something still moves${over}`)
}

const rolledOutNames: NamesOf<RolledOutOptions> = { namespace: true, within: true }

/** Lets time pass until a rollout is complete, and answers with its Deployment. */
export const rolledOut = async (
  cluster: ClusterUnderTest,
  name: string,
  options: RolledOutOptions = {}
): Promise<Deployment> => {
  const { namespace, within } = meantFor("rolledOut", options, rolledOutNames)
  const { outcome, message, deployment } = await cluster.rollout(name, {
    ...(namespace === undefined ? {} : { namespace }),
    ...(within === undefined ? {} : { limit: within })
  })
  if (outcome === "complete" && deployment !== undefined) return deployment
  throw new Error(`the rollout of ${JSON.stringify(name)} is ${outcome}: ${message}`)
}

/** A function that reads one object anew whenever it is called, for what polls. */
export const object = <R extends GroupResource>(
  cluster: ClusterUnderTest,
  named: Named<R>
): Getter<ObjectOf<R>> => Object.assign(() => cluster.get(named), { cluster })

/** A function that lists objects anew whenever it is called, for what polls. */
export const objects = <R extends GroupResource>(
  cluster: ClusterUnderTest,
  resource: R,
  listed?: Listed
): Getter<ReadonlyArray<ObjectOf<R>>> =>
  Object.assign(async () => (await cluster.list(resource, listed)).items, { cluster })
