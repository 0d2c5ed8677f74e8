import { isSemanticallyEqual } from "../../../kubernetes/meta/semanticEquality.ts"
import type * as Discovery from "kubernetes-types/discovery/v1.js"
import type { EndpointPorts, SilenceReason } from "./servicePods.ts"

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
  /** Clients use a written EndpointSlice after `learn`. */
  readonly write: (sliceUid: string, content: SliceContent) => void
  readonly learn: (sliceUid: string, content: SliceContent) => void
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

export interface SilentPod {
  readonly name: string
  readonly silence: SilenceReason
}

export interface SliceContent {
  readonly endpoints: ReadonlyArray<Discovery.Endpoint>
  readonly ports: EndpointPorts
}

export const emptySlice: SliceContent = { endpoints: [], ports: [] }

/** The uid of the endpoint's Pod; the address of an endpoint that was written by hand. */
export const endpointId = ({ targetRef, addresses }: Discovery.Endpoint): string =>
  targetRef?.uid ?? addresses[0] ?? ""

interface EndpointGroup {
  count: number
  readonly silent: Record<SilenceReason, number>
}

interface KnownEndpoint {
  readonly endpoint: Discovery.Endpoint
  readonly ports: EndpointPorts
  readonly sliceUid: string
  /** Undefined if clients never send to the endpoint. */
  readonly group: EndpointGroup | undefined
  silence: SilenceReason | undefined
}

/** The traffic from a row on, from which later counts are computed. */
interface TrafficMark {
  readonly row: ServiceRow
  /** Counts losses at one request per millisecond. */
  readonly lost: Readonly<Record<LossCause, number>>
  /** The lost share of requests after the row. */
  readonly lostShare: Readonly<Record<LossCause, number>>
  readonly sendingMillis: number
  readonly isSending: boolean
}

/**
 * Clients send to terminating endpoints only if none is ready. Source: pkg/proxy/topology.go (CategorizeEndpoints).
 */
export const makeServiceTraffic = (
  { requestsPerSecond }: TrafficOptions,
  endpointSource: {
    readonly silenceOf: (endpoint: Discovery.Endpoint, ports: EndpointPorts) => SilenceReason | undefined
    readonly onKnownChange: (endpoint: string, isKnown: boolean) => void
  }
): ServiceTraffic => {
  const writtenSlices = new Map<string, SliceContent>()
  const learnedSlices = new Map<string, SliceContent>()
  const knownEndpoints = new Map<string, KnownEndpoint>()
  const readyGroup = emptyGroup()
  const terminatingGroup = emptyGroup()
  const sliceCounts = { endpoints: 0, ready: 0, terminating: 0 }
  let marks: Array<TrafficMark> = []
  let isSending = true

  const countSlice = ({ endpoints }: SliceContent, delta: 1 | -1): void => {
    sliceCounts.endpoints += delta * endpoints.length
    for (const { conditions } of endpoints) {
      if (conditions?.ready !== false) sliceCounts.ready += delta
      if (conditions?.terminating === true) sliceCounts.terminating += delta
    }
  }
  const countEndpoint = ({ group, silence }: KnownEndpoint, delta: 1 | -1): void => {
    if (group === undefined) return
    group.count += delta
    if (silence !== undefined) group.silent[silence] += delta
  }
  const forgetEndpoint = (id: string, sliceUid: string): void => {
    const entry = knownEndpoints.get(id)
    if (entry?.sliceUid !== sliceUid) return
    countEndpoint(entry, -1)
    knownEndpoints.delete(id)
    endpointSource.onKnownChange(id, false)
  }
  const learnEndpoint = (endpoint: Discovery.Endpoint, sliceUid: string, ports: EndpointPorts): void => {
    const id = endpointId(endpoint)
    const before = knownEndpoints.get(id)
    if (before !== undefined) countEndpoint(before, -1)
    else endpointSource.onKnownChange(id, true)
    const { ready, serving, terminating } = endpoint.conditions ?? {}
    const isServingTerminating = terminating === true && serving !== false
    const group = ready === false ? (isServingTerminating ? terminatingGroup : undefined) : readyGroup
    const entry: KnownEndpoint = {
      endpoint,
      ports,
      sliceUid,
      group,
      silence: endpointSource.silenceOf(endpoint, ports)
    }
    knownEndpoints.set(id, entry)
    countEndpoint(entry, 1)
  }
  const currentGroup = (): EndpointGroup => (readyGroup.count > 0 ? readyGroup : terminatingGroup)
  const currentLostShare = ({ count: endpointCount, silent }: EndpointGroup): TrafficMark["lostShare"] => {
    if (!isSending) return noLosses
    return endpointCount === 0
      ? { ...noLosses, noEndpoint: 1 }
      : {
          starting: silent.starting / endpointCount,
          stopping: silent.stopping / endpointCount,
          failing: silent.failing / endpointCount,
          noEndpoint: 0
        }
  }
  const atActualRate = (count: number): number => (count * requestsPerSecond) / 1000
  const markAt = (atMillis: number): TrafficMark | undefined =>
    marks.findLast(({ row }) => row.atMillis <= atMillis)
  const sendingMillisUntil = (atMillis: number): number => {
    const mark = markAt(atMillis)
    if (mark === undefined) return 0
    return mark.sendingMillis + (mark.isSending ? atMillis - mark.row.atMillis : 0)
  }
  const rowAt = (atMillis: number, lost: TrafficMark["lost"]): ServiceRow => {
    const { count: endpointCount, silent } = currentGroup()
    return {
      atMillis,
      ...sliceCounts,
      known: endpointCount,
      answering: endpointCount - silent.starting - silent.stopping - silent.failing,
      lost: roundUp(atActualRate(sumOf(lost))),
      requests: roundUp(atActualRate(sendingMillisUntil(atMillis)))
    }
  }
  const lostUntil = (atMillis: number): TrafficMark["lost"] => {
    const mark = markAt(atMillis)
    if (mark === undefined) return noLosses
    const millis = atMillis - mark.row.atMillis
    const { lost, lostShare } = mark
    return {
      starting: lost.starting + millis * lostShare.starting,
      stopping: lost.stopping + millis * lostShare.stopping,
      failing: lost.failing + millis * lostShare.failing,
      noEndpoint: lost.noEndpoint + millis * lostShare.noEndpoint
    }
  }
  const record = (atMillis: number): void => {
    const last = marks.at(-1)
    const lostShare = currentLostShare(currentGroup())
    const isSame =
      last !== undefined &&
      last.isSending === isSending &&
      last.row.endpoints === sliceCounts.endpoints &&
      last.row.ready === sliceCounts.ready &&
      last.row.terminating === sliceCounts.terminating &&
      last.row.known === currentGroup().count &&
      last.lostShare.starting === lostShare.starting &&
      last.lostShare.stopping === lostShare.stopping &&
      last.lostShare.failing === lostShare.failing &&
      last.lostShare.noEndpoint === lostShare.noEndpoint
    if (isSame) return
    const [lost, sendingMillis] = [lostUntil(atMillis), sendingMillisUntil(atMillis)]
    const row = rowAt(atMillis, lost)
    if (last?.row.atMillis === atMillis) marks.pop()
    marks.push({ row, lost, lostShare, sendingMillis, isSending })
  }

  return {
    write: (sliceUid, content) => {
      countSlice(writtenSlices.get(sliceUid) ?? emptySlice, -1)
      countSlice(content, 1)
      writtenSlices.set(sliceUid, content)
    },
    learn: (sliceUid, content) => {
      const { endpoints, ports } = content
      const before = learnedSlices.get(sliceUid) ?? emptySlice
      learnedSlices.set(sliceUid, content)
      // Endpoints are frozen: an unchanged one is the same object. With other ports, all have changed.
      const remaining = new Set(isSemanticallyEqual(before.ports, ports) ? endpoints : [])
      const unchanged = new Set<Discovery.Endpoint>()
      for (const endpoint of before.endpoints) {
        if (remaining.has(endpoint)) unchanged.add(endpoint)
        else forgetEndpoint(endpointId(endpoint), sliceUid)
      }
      for (const endpoint of endpoints) if (!unchanged.has(endpoint)) learnEndpoint(endpoint, sliceUid, ports)
    },
    updateSilence: (id, deletionReason) => {
      const entry = knownEndpoints.get(id)
      if (entry === undefined) return
      countEndpoint(entry, -1)
      entry.silence =
        deletionReason === undefined
          ? endpointSource.silenceOf(entry.endpoint, entry.ports)
          : (entry.silence ?? deletionReason)
      countEndpoint(entry, 1)
    },
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
    silentPods: () => {
      const target = currentGroup()
      return [...knownEndpoints].flatMap(([id, { endpoint, group, silence }]) =>
        group === target && silence !== undefined ? [{ name: endpoint.targetRef?.name ?? id, silence }] : []
      )
    },
    now: (atMillis) => rowAt(atMillis, lostUntil(atMillis)),
    totals: (atMillis) => {
      const lost = lostUntil(atMillis)
      return {
        requests: roundUp(atActualRate(sendingMillisUntil(atMillis))),
        lost: roundUp(atActualRate(sumOf(lost))),
        because: {
          starting: roundUp(atActualRate(lost.starting)),
          stopping: roundUp(atActualRate(lost.stopping)),
          failing: roundUp(atActualRate(lost.failing)),
          noEndpoint: roundUp(atActualRate(lost.noEndpoint))
        }
      }
    }
  }
}

const emptyGroup = (): EndpointGroup => ({ count: 0, silent: { starting: 0, stopping: 0, failing: 0 } })

const noLosses: TrafficMark["lost"] = { starting: 0, stopping: 0, failing: 0, noEndpoint: 0 }

const sumOf = ({ starting, stopping, failing, noEndpoint }: TrafficMark["lost"]): number =>
  starting + stopping + failing + noEndpoint

/** Rounds up, but not for a floating-point error. */
const roundUp = (requests: number): number => Math.max(0, Math.ceil(requests - 1e-6))
