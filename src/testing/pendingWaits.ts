import { findRunningTest } from "./runningTest.ts"
import type { Mismatch, RunningTest } from "./runningTest.ts"

type EndWait = () => Mismatch

interface ClusterWaits {
  readonly pendingEnds: Set<EndWait>
  readonly pendingMismatches: Set<Promise<Error>>
}

const waitsByCluster = new WeakMap<object, ClusterWaits>()
const followedSignals = new WeakMap<object, WeakSet<AbortSignal>>()

/**
 * Rejects with `errorAtTimeout` when the test ends before `wait`: at the runner's timeout, or when its cluster
 * closes.
 */
export const waitWhileTestRuns = async <A>(
  cluster: object,
  {
    wait,
    errorAtTimeout
  }: { readonly wait: (signal: AbortSignal) => Promise<A>; readonly errorAtTimeout: () => Mismatch }
): Promise<A> => {
  const test = findRunningTest()
  if (test !== undefined) endWaitsAtTestEnd(test, cluster)
  const { pendingEnds, pendingMismatches } = waitsOf(cluster)
  const controller = new AbortController()
  const ended = Promise.withResolvers<never>()
  const end: EndWait = () => {
    pendingEnds.delete(end)
    controller.abort()
    const mismatch = errorAtTimeout()
    if (mismatch instanceof Error) ended.reject(mismatch)
    else {
      pendingMismatches.add(mismatch)
      void mismatch.then((error) => {
        pendingMismatches.delete(mismatch)
        ended.reject(error)
      })
    }
    return mismatch
  }
  pendingEnds.add(end)
  try {
    return await Promise.race([wait(controller.signal), ended.promise])
  } finally {
    pendingEnds.delete(end)
  }
}

const waitsOf = (cluster: object): ClusterWaits => {
  const waits = waitsByCluster.get(cluster) ?? { pendingEnds: new Set(), pendingMismatches: new Set() }
  waitsByCluster.set(cluster, waits)
  return waits
}

export const endWaits = (cluster: object): ReadonlyArray<Mismatch> =>
  Array.from(waitsOf(cluster).pendingEnds, (end) => end())

/** Undefined if no mismatch is pending: a cluster then closes at once. */
export const whenMismatchesSettle = (cluster: object): Promise<unknown> | undefined => {
  const { pendingMismatches } = waitsOf(cluster)
  return pendingMismatches.size === 0 ? undefined : Promise.all(pendingMismatches)
}

export const endWaitsAtTestEnd = ({ signal, report }: RunningTest, cluster: object): void => {
  const followed = followedSignals.get(cluster) ?? new WeakSet()
  followedSignals.set(cluster, followed)
  if (followed.has(signal)) return
  followed.add(signal)
  signal.addEventListener("abort", () => report(endWaits(cluster)), { once: true })
}
