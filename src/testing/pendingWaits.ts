import { findRunningTest } from "./runningTest.ts"
import type { Mismatch, RunningTest } from "./runningTest.ts"

/** Ends a call that waits, and returns what it waited for. */
type EndWait = () => Mismatch

interface ClusterWaits {
  readonly pending: Set<EndWait>
  /** What ended calls waited for, while it is read from the cluster. */
  readonly beingRead: Set<Promise<Error>>
}

/** By cluster under test. */
const waitsByCluster = new WeakMap<object, ClusterWaits>()
const followedSignals = new WeakMap<object, WeakSet<AbortSignal>>()

/**
 * Waits until `wait` returns, or the test ends before: at its runner's timeout, or when its cluster closes. Then it
 * rejects with `lastMismatch`, which the runner reports, and aborts the signal of `wait`.
 */
export const waitWhileTestRuns = async <A>(
  cluster: object,
  {
    wait,
    lastMismatch
  }: { readonly wait: (signal: AbortSignal) => Promise<A>; readonly lastMismatch: () => Mismatch }
): Promise<A> => {
  const test = findRunningTest()
  if (test !== undefined) endWaitsWith(test, cluster)
  const { pending, beingRead } = waitsOf(cluster)
  const controller = new AbortController()
  const ended = Promise.withResolvers<never>()
  const end: EndWait = () => {
    pending.delete(end)
    controller.abort()
    const mismatch = lastMismatch()
    if (mismatch instanceof Error) ended.reject(mismatch)
    else {
      beingRead.add(mismatch)
      void mismatch.then((error) => {
        beingRead.delete(mismatch)
        ended.reject(error)
      })
    }
    return mismatch
  }
  pending.add(end)
  try {
    return await Promise.race([wait(controller.signal), ended.promise])
  } finally {
    pending.delete(end)
  }
}

const waitsOf = (cluster: object): ClusterWaits => {
  const waits = waitsByCluster.get(cluster) ?? { pending: new Set(), beingRead: new Set() }
  waitsByCluster.set(cluster, waits)
  return waits
}

/** Ends all calls that wait for a cluster. Returns what they waited for. */
export const endWaits = (cluster: object): ReadonlyArray<Mismatch> =>
  Array.from(waitsOf(cluster).pending, (end) => end())

/** Undefined if nothing is being read, so that a cluster closes at once. */
export const whenMismatchesAreRead = (cluster: object): Promise<unknown> | undefined => {
  const { beingRead } = waitsOf(cluster)
  return beingRead.size === 0 ? undefined : Promise.all(beingRead)
}

/** Ends the calls that wait for a cluster when the runner ends the test, which then reports what they waited for. */
export const endWaitsWith = ({ signal, report }: RunningTest, cluster: object): void => {
  const followed = followedSignals.get(cluster) ?? new WeakSet()
  followedSignals.set(cluster, followed)
  if (followed.has(signal)) return
  followed.add(signal)
  signal.addEventListener("abort", () => report(endWaits(cluster)), { once: true })
}
