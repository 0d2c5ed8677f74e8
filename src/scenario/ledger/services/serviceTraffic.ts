import { emptySlice, makeKnownEndpoints } from "./knownEndpoints.ts"
import type { EndpointGroup, EndpointSource, SilentPod, SliceContent } from "./knownEndpoints.ts"
import type { SilenceReason } from "./servicePods.ts"

export interface TrafficOptions {
  /** Requests are spread evenly over the endpoints that clients know. */
  readonly requestsPerSecond: number
  /** The time from an EndpointSlice's write until all clients use it. */
  readonly propagationMillis: number
}

/** One second is kube-proxy's default `minSyncPeriod`. Source: pkg/proxy/apis/config/v1alpha1/defaults.go. */
export const defaultTraffic: TrafficOptions = { requestsPerSecond: 100, propagationMillis: 1000 }

export interface ServiceRow {
  readonly atMillis: number
  /** Endpoints in EndpointSlices, known to clients or not. */
  readonly endpoints: number
  readonly ready: number
  readonly terminating: number
  /** Endpoints that clients send to. */
  readonly known: number
  readonly answering: number
  /** `requests` includes lost ones. */
  readonly lost: number
  readonly requests: number
}

export type LossCause = SilenceReason | "noEndpoint"

export const lossCauses: ReadonlyArray<LossCause> = ["stopping", "starting", "failing", "noEndpoint"]

export const lossCausesIn = ({ because }: Pick<ServiceTotals, "because">): ReadonlyArray<LossCause> =>
  lossCauses.filter((cause) => because[cause] > 0)

export interface ServiceTotals {
  readonly requests: number
  readonly lost: number
  readonly because: Readonly<Record<LossCause, number>>
}

export interface ServiceTraffic {
  /** Clients use a written EndpointSlice after `propagateSlice`. */
  readonly writeSlice: (sliceUid: string, content: SliceContent) => void
  readonly propagateSlice: (sliceUid: string, content: SliceContent) => void
  readonly updateSilence: (endpoint: string, deletionReason?: SilenceReason) => void
  /** Must follow every change: adds a row if a count differs. */
  readonly record: (atMillis: number) => void
  /** Clients send no requests from `end` to `resume`. */
  readonly end: (atMillis: number) => void
  readonly resume: (atMillis: number) => void
  /** Forgets rows and losses, not endpoints. */
  readonly restart: (atMillis: number) => void
  readonly rows: () => ReadonlyArray<ServiceRow>
  readonly silentPods: () => ReadonlyArray<SilentPod>
  readonly now: (atMillis: number) => ServiceRow
  readonly totals: (atMillis: number) => ServiceTotals
}

type ByCause = Readonly<Record<LossCause, number>>

/** The traffic from a row on, from which later counts are computed. */
interface TrafficMark {
  readonly row: ServiceRow
  /** How long requests were lost until the row; a time in which half of them are lost counts half. */
  readonly lostMillis: ByCause
  /** The lost share of requests after the row. */
  readonly lostShare: ByCause
  readonly sendingMillis: number
  readonly isSending: boolean
}

/** Clients send requests at a constant rate to the endpoints that they know. */
export const makeServiceTraffic = (
  { requestsPerSecond }: TrafficOptions,
  endpointSource: EndpointSource
): ServiceTraffic => {
  const slices = makeSliceCounts()
  const knownEndpoints = makeKnownEndpoints(endpointSource)
  let marks: Array<TrafficMark> = []
  let isSending = true

  const markAt = (atMillis: number): TrafficMark | undefined =>
    marks.findLast(({ row }) => row.atMillis <= atMillis)
  const requestsIn = (sendingMillis: number): number => roundUp((sendingMillis * requestsPerSecond) / 1000)
  const sendingMillisUntil = (atMillis: number): number => {
    const mark = markAt(atMillis)
    if (mark === undefined) return 0
    return mark.sendingMillis + (mark.isSending ? atMillis - mark.row.atMillis : 0)
  }
  const lostMillisUntil = (atMillis: number): ByCause => {
    const mark = markAt(atMillis)
    if (mark === undefined) return noLosses
    const millis = atMillis - mark.row.atMillis
    const { lostMillis, lostShare } = mark
    return {
      starting: lostMillis.starting + millis * lostShare.starting,
      stopping: lostMillis.stopping + millis * lostShare.stopping,
      failing: lostMillis.failing + millis * lostShare.failing,
      noEndpoint: lostMillis.noEndpoint + millis * lostShare.noEndpoint
    }
  }
  const rowAt = (atMillis: number, lostMillis: ByCause): ServiceRow => {
    const { count, silent } = knownEndpoints.target()
    return {
      atMillis,
      ...slices.counts,
      known: count,
      answering: count - silent.starting - silent.stopping - silent.failing,
      lost: requestsIn(sumOf(lostMillis)),
      requests: requestsIn(sendingMillisUntil(atMillis))
    }
  }
  const record = (atMillis: number): void => {
    const last = marks.at(-1)
    const target = knownEndpoints.target()
    const lostShare = isSending ? lostShareOf(target) : noLosses
    const isSame =
      last !== undefined &&
      last.isSending === isSending &&
      last.row.endpoints === slices.counts.endpoints &&
      last.row.ready === slices.counts.ready &&
      last.row.terminating === slices.counts.terminating &&
      last.row.known === target.count &&
      hasSameShares(last.lostShare, lostShare)
    if (isSame) return
    const [lostMillis, sendingMillis] = [lostMillisUntil(atMillis), sendingMillisUntil(atMillis)]
    const row = rowAt(atMillis, lostMillis)
    if (last?.row.atMillis === atMillis) marks.pop()
    marks.push({ row, lostMillis, lostShare, sendingMillis, isSending })
  }

  return {
    writeSlice: slices.write,
    propagateSlice: knownEndpoints.learn,
    updateSilence: knownEndpoints.updateSilence,
    record,
    end: (atMillis) => {
      isSending = false
      record(atMillis)
    },
    resume: (atMillis) => {
      isSending = true
      record(atMillis)
    },
    restart: (atMillis) => {
      marks = []
      record(atMillis)
    },
    rows: () => marks.map(({ row }) => row),
    silentPods: knownEndpoints.silentPods,
    now: (atMillis) => rowAt(atMillis, lostMillisUntil(atMillis)),
    totals: (atMillis) => {
      const lostMillis = lostMillisUntil(atMillis)
      return {
        requests: requestsIn(sendingMillisUntil(atMillis)),
        lost: requestsIn(sumOf(lostMillis)),
        because: {
          starting: requestsIn(lostMillis.starting),
          stopping: requestsIn(lostMillis.stopping),
          failing: requestsIn(lostMillis.failing),
          noEndpoint: requestsIn(lostMillis.noEndpoint)
        }
      }
    }
  }
}

const makeSliceCounts = () => {
  const writtenSlices = new Map<string, SliceContent>()
  const counts = { endpoints: 0, ready: 0, terminating: 0 }
  const change = ({ endpoints }: SliceContent, delta: 1 | -1): void => {
    counts.endpoints += delta * endpoints.length
    for (const { conditions } of endpoints) {
      if (conditions?.ready !== false) counts.ready += delta
      if (conditions?.terminating === true) counts.terminating += delta
    }
  }
  return {
    counts: counts as Readonly<typeof counts>,
    write: (sliceUid: string, content: SliceContent): void => {
      change(writtenSlices.get(sliceUid) ?? emptySlice, -1)
      change(content, 1)
      writtenSlices.set(sliceUid, content)
    }
  }
}

/** The share of requests that is lost, by cause. */
const lostShareOf = ({ count, silent }: EndpointGroup): ByCause =>
  count === 0
    ? { ...noLosses, noEndpoint: 1 }
    : {
        starting: silent.starting / count,
        stopping: silent.stopping / count,
        failing: silent.failing / count,
        noEndpoint: 0
      }

const hasSameShares = (one: ByCause, other: ByCause): boolean =>
  one.starting === other.starting &&
  one.stopping === other.stopping &&
  one.failing === other.failing &&
  one.noEndpoint === other.noEndpoint

const noLosses: ByCause = { starting: 0, stopping: 0, failing: 0, noEndpoint: 0 }

const sumOf = ({ starting, stopping, failing, noEndpoint }: ByCause): number =>
  starting + stopping + failing + noEndpoint

/** Rounds up, but not for a floating-point error. */
const roundUp = (requests: number): number => Math.max(0, Math.ceil(requests - 1e-6))
