import { findRunningTest } from "./runningTest.ts"
import type { LastError, RunningTest } from "./runningTest.ts"

type EndWait = () => LastError

interface ClusterWaits {
  readonly pendingEnds: Set<EndWait>
  readonly pendingLastErrors: Set<Promise<Error>>
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
  }: { readonly wait: (signal: AbortSignal) => Promise<A>; readonly errorAtTimeout: () => LastError }
): Promise<A> => {
  const test = findRunningTest()
  if (test !== undefined) endWaitsAtTestEnd(test, cluster)
  const { pendingEnds, pendingLastErrors } = waitsOf(cluster)
  const controller = new AbortController()
  const ended = Promise.withResolvers<never>()
  const end: EndWait = () => {
    pendingEnds.delete(end)
    controller.abort()
    const lastError = errorAtTimeout()
    if (lastError instanceof Error) ended.reject(lastError)
    else {
      pendingLastErrors.add(lastError)
      void lastError.then((error) => {
        pendingLastErrors.delete(lastError)
        ended.reject(error)
      })
    }
    return lastError
  }
  pendingEnds.add(end)
  try {
    return await Promise.race([wait(controller.signal), ended.promise])
  } finally {
    pendingEnds.delete(end)
  }
}

const waitsOf = (cluster: object): ClusterWaits => {
  const waits = waitsByCluster.get(cluster) ?? { pendingEnds: new Set(), pendingLastErrors: new Set() }
  waitsByCluster.set(cluster, waits)
  return waits
}

export const endWaits = (cluster: object): ReadonlyArray<LastError> =>
  Array.from(waitsOf(cluster).pendingEnds, (end) => end())

/** Undefined if no error is awaited: a cluster then closes at once. */
export const whenLastErrorsSettle = (cluster: object): Promise<unknown> | undefined => {
  const { pendingLastErrors } = waitsOf(cluster)
  return pendingLastErrors.size === 0 ? undefined : Promise.all(pendingLastErrors)
}

export const endWaitsAtTestEnd = ({ signal, report }: RunningTest, cluster: object): void => {
  const followed = followedSignals.get(cluster) ?? new WeakSet()
  followedSignals.set(cluster, followed)
  if (followed.has(signal)) return
  followed.add(signal)
  signal.addEventListener("abort", () => report(endWaits(cluster)), { once: true })
}
