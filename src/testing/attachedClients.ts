import { toDurationMillis } from "../kubernetes/meta/amounts/durations.ts"
import { sleepRealTime, runEventLoopTurns } from "./realTime.ts"
import type { ApiRequest } from "../server/traffic/requestLog.ts"
import type { Duration } from "../cluster/calls/callOptions.ts"
import type { ClusterUnderTest } from "./clusterUnderTest.ts"

/** Real time in which a watching client usually reacts; also the resolution of `quiet`. */
const sliceMillis = 5
/** Limits the wait for a client that never stops asking, unless twice `quiet` is longer. */
const slicesMax = 200
/** Event loop turns between a response and the next request of a client in this process. */
const turnsUntilRequest = 10

export interface AttachedClients {
  readonly waitUntilIdle: () => Promise<void>
  readonly dispose: () => void
}

/** A client is idle after `quiet` without a new request. Its first request is awaited only if `quiet` is given. */
export const watchAttachedClients = (
  cluster: ClusterUnderTest,
  quiet: Duration | undefined
): AttachedClients => {
  const quietMillis = toDurationMillis(quiet ?? sliceMillis, "quiet")
  if (cluster.isReal) return { waitUntilIdle: async () => {}, dispose: () => {} }
  const { requests } = cluster
  let changes = 0
  const unsubscribe = cluster.onChange(() => {
    changes += 1
  })
  const reads = trackReads(cluster)
  /** `isSilent`: the clients had sent nothing for `quiet`. */
  let lastIdle:
    | { readonly changes: number; readonly requestsSeen: number; readonly isSilent: boolean }
    | undefined

  /** Waits for the full `quiet` only if a client keeps sending requests, or watches and something changed. */
  const mayReact = (): boolean => {
    if (lastIdle === undefined || requests.seen() !== lastIdle.requestsSeen) return true
    return changes !== lastIdle.changes && (requests.watching() > 0 || !lastIdle.isSilent)
  }
  const waitUntilIdle = async (): Promise<void> => {
    if (!cluster.canMoveTime) return
    if (requests.seen() === 0 && (quiet === undefined || !cluster.hasBeenServed)) return
    const slice = Math.min(sliceMillis, quietMillis)
    let waitMillis = mayReact() ? quietMillis : slice
    let [millisWithoutNewRequests, millisWithoutRequests] = [0, 0]
    for (let slices = 0; slices < slicesMax || slices * slice < 2 * quietMillis; slices += 1) {
      const before = requests.seen()
      await sleepRealTime(slice)
      await runEventLoopTurns(turnsUntilRequest)
      millisWithoutRequests = requests.seen() === before ? millisWithoutRequests + slice : 0
      // Sleeping requests are answered only when time passes.
      const areAllAnswered = requests.underWay() === requests.sleeping()
      const hasNewRequests = reads.hasNew(before, changes) || !areAllAnswered
      millisWithoutNewRequests = hasNewRequests ? 0 : millisWithoutNewRequests + slice
      if (hasNewRequests) waitMillis = quietMillis
      if (millisWithoutNewRequests >= waitMillis) break
    }
    const requestsSeen = requests.seen()
    lastIdle = {
      changes,
      requestsSeen,
      isSilent:
        millisWithoutRequests >= quietMillis || (lastIdle?.requestsSeen === requestsSeen && lastIdle.isSilent)
    }
  }
  return { waitUntilIdle, dispose: unsubscribe }
}

/** A read is new unless the same one was made since the last change. */
const trackReads = ({ requests }: ClusterUnderTest) => {
  const readKeys = new Set<string>()
  let changesBefore = 0
  return {
    /** `after` is a request's number. */
    hasNew: (after: number, changes: number): boolean => {
      if (changes !== changesBefore) readKeys.clear()
      changesBefore = changes
      const count = requests.seen() - after
      if (count === 0) return false
      const reads = requests.all({ verb: ["get", "list"] }).filter(({ number }) => number > after)
      // Writes, and requests that the log has dropped, count as new.
      let hasNew = reads.length < count
      for (const request of reads) {
        const key = requestKey(request)
        hasNew ||= !readKeys.has(key)
        readKeys.add(key)
      }
      return hasNew
    }
  }
}

const requestKey = ({
  verb,
  resource,
  subresource,
  namespace,
  name,
  query,
  userAgent,
  user
}: ApiRequest): string =>
  JSON.stringify([verb, resource, subresource, namespace, name, query, userAgent, user.username])
