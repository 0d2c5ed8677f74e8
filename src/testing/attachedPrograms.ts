import { millisOf } from "../domain/durations.ts"
import { passReally, takeTurns } from "./realTime.ts"
import type { ApiRequest } from "../api/requestLog.ts"
import type { Duration } from "../openCluster.ts"
import type { ClusterUnderTest } from "./clusterUnderTest.ts"

/** What a program that hears of something at once needs to answer; also how finely a longer quiet is measured. */
const sliceMillis = 5
/** Slices after which programs that never come to rest are no longer waited for. */
const slicesMax = 200
/** What a program in this very process needs from reading something to being heard. */
const turnsOfAnswer = 10

/** The programs that are attached to a served cluster over a socket, as one who moves its time waits for them. */
export interface AttachedPrograms {
  /** Lets them answer to what they have been told, before time goes on. */
  readonly done: () => Promise<void>
  readonly forget: () => void
}

/**
 * A program is done when for the length of `quiet` it has asked for nothing that it had not been told already. Where
 * `quiet` is said, a program that has not come yet is waited for as long; where it is not, only those that have come.
 */
export const attachedPrograms = (
  cluster: ClusterUnderTest,
  quiet: Duration | undefined
): AttachedPrograms => {
  const quietMillis = millisOf(quiet ?? sliceMillis, "quiet")
  if (cluster.isReal) return { done: async () => {}, forget: () => {} }
  const { requests } = cluster
  let changes = 0
  const forget = cluster.onChange(() => {
    changes += 1
  })
  const told = makeTold(cluster)
  /** How all stood when they were done last. */
  let rest: { readonly changes: number; readonly seen: number; readonly isSilent: boolean } | undefined

  /** A long quiet is for those who may have something to say: they keep asking, or are told of what has changed. */
  const mayBeAnswered = (): boolean => {
    if (rest === undefined || requests.seen() !== rest.seen) return true
    return changes !== rest.changes && (requests.watching() > 0 || !rest.isSilent)
  }
  const done = async (): Promise<void> => {
    if (!cluster.canMoveTime) return
    if (requests.seen() === 0 && (quiet === undefined || !cluster.hasBeenServed)) return
    const slice = Math.min(sliceMillis, quietMillis)
    let wantedMillis = mayBeAnswered() ? quietMillis : slice
    let [quietFor, silentFor] = [0, 0]
    for (let slices = 0; slices < slicesMax || slices * slice < 2 * quietMillis; slices += 1) {
      const before = requests.seen()
      await passReally(slice)
      await takeTurns(turnsOfAnswer)
      silentFor = requests.seen() === before ? silentFor + slice : 0
      // Whoever waits for time to pass is answered by nothing else.
      const isAnswered = requests.underWay() === requests.sleeping()
      const hasMoved = told.hasNew(before, changes) || !isAnswered
      quietFor = hasMoved ? 0 : quietFor + slice
      if (hasMoved) wantedMillis = quietMillis
      if (quietFor >= wantedMillis) break
    }
    const seen = requests.seen()
    rest = { changes, seen, isSilent: silentFor >= quietMillis || (rest?.seen === seen && rest.isSilent) }
  }
  return { done, forget }
}

/** What has been read since the last change: whoever asks for it again learns nothing. */
const makeTold = ({ requests }: ClusterUnderTest) => {
  const read = new Set<string>()
  let atChange = 0
  return {
    /** Whether of the requests after a number one is for something else. */
    hasNew: (after: number, changes: number): boolean => {
      if (changes !== atChange) read.clear()
      atChange = changes
      const came = requests.seen() - after
      if (came === 0) return false
      const reads = requests.all({ verb: ["get", "list"] }).filter(({ number }) => number > after)
      // Any other, and one that is not kept, may be for anything.
      let hasNew = reads.length < came
      for (const request of reads) {
        const what = wordsOf(request)
        hasNew ||= !read.has(what)
        read.add(what)
      }
      return hasNew
    }
  }
}

const wordsOf = ({
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
