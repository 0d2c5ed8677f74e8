import { isSameValue } from "../../kubernetes/meta/semanticEquality.ts"
import type * as Discovery from "kubernetes-types/discovery/v1.js"
import type { EndpointPorts, SilenceReason } from "./servicePods.ts"

/** How many requests there are, and how fast clients learn of endpoints. */
export interface TrafficOptions {
  /** Per Service, spread evenly over the endpoints that its clients know. */
  readonly requestsPerSecond: number
  /** From the write of an EndpointSlice until no client uses the former content. */
  readonly propagationMillis: number
}

/**
 * One second is kube-proxy's default `minSyncPeriod`.
 *
 * Source: pkg/proxy/apis/config/v1alpha1/defaults.go.
 */
export const defaultTraffic: TrafficOptions = { requestsPerSecond: 100, propagationMillis: 1000 }

/** A Service's counts from `atMillis` until the next row. */
export interface ServiceRow {
  readonly atMillis: number
  readonly endpoints: number
  readonly ready: number
  readonly terminating: number
  /** Endpoints that clients send to. */
  readonly known: number
  /** Of `known`, the endpoints that answer. */
  readonly answering: number
  /** Total until `atMillis`. */
  readonly lost: number
  readonly requests: number
}

/** Why a request is lost: the reason of its Pod, or the last one if there is no endpoint. */
export type LossCause = SilenceReason | "noEndpoint"

/** In the order of reports. */
export const lossCauses: ReadonlyArray<LossCause> = ["stopping", "starting", "failing", "noEndpoint"]

export const lossCausesIn = ({ because }: Pick<ServiceTotals, "because">): ReadonlyArray<LossCause> =>
  lossCauses.filter((cause) => because[cause] > 0)

/** Totals since the start, or since the last reset. */
export interface ServiceTotals {
  readonly requests: number
  readonly lost: number
  readonly because: Readonly<Record<LossCause, number>>
}

export interface ServiceTraffic {
  /** The content of a slice changed; clients use it after `learn`. */
  readonly write: (slice: string, content: SliceContent) => void
  readonly learn: (slice: string, content: SliceContent) => void
  /** A known endpoint started or stopped answering. With a reason if its Pod was deleted. */
  readonly updateSilence: (endpoint: string, goneReason?: SilenceReason) => void
  readonly record: (atMillis: number) => void
  /** The Service was deleted: clients send no requests. */
  readonly end: (atMillis: number) => void
  readonly resume: (atMillis: number) => void
  readonly restart: (atMillis: number) => void
  readonly rows: () => ReadonlyArray<ServiceRow>
  readonly silentPods: () => ReadonlyArray<SilentPod>
  readonly now: (atMillis: number) => ServiceRow
  /** Up to `atMillis`, which may lie in the past. */
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

/** The uid of the endpoint's Pod, or its address if it was written by hand. */
export const endpointId = ({ targetRef, addresses }: Discovery.Endpoint): string =>
  targetRef?.uid ?? addresses[0] ?? ""

/** A group of endpoints: how many there are, and how many of them do not answer, by reason. */
interface EndpointGroup {
  count: number
  readonly silent: Record<SilenceReason, number>
}

interface KnownEndpoint {
  readonly endpoint: Discovery.Endpoint
  readonly ports: EndpointPorts
  readonly slice: string
  readonly crowd: EndpointGroup | undefined
  silence: SilenceReason | undefined
}

interface TrafficMark {
  readonly row: ServiceRow
  /** Lost requests until the row starts, for a rate of one request per millisecond. */
  readonly lost: Readonly<Record<LossCause, number>>
  /** The share of all requests that is lost from then on. */
  readonly share: Readonly<Record<LossCause, number>>
  /** How long requests were sent until the row starts, and whether they are from then on. */
  readonly sentMillis: number
  readonly isSending: boolean
}

/**
 * The requests of one Service. Clients send to ready endpoints; if there are none, to terminating ones that still
 * serve.
 *
 * Source: pkg/proxy/topology.go (CategorizeEndpoints).
 */
export const makeServiceTraffic = (
  { requestsPerSecond }: TrafficOptions,
  endpointSource: {
    readonly silenceOf: (endpoint: Discovery.Endpoint, ports: EndpointPorts) => SilenceReason | undefined
    /** Tells whether clients know an endpoint. */
    readonly follow: (endpoint: string, isKnown: boolean) => void
  }
): ServiceTraffic => {
  const written = new Map<string, SliceContent>()
  const learned = new Map<string, SliceContent>()
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
  const count = ({ crowd: group, silence }: KnownEndpoint, delta: 1 | -1): void => {
    if (group === undefined) return
    group.count += delta
    if (silence !== undefined) group.silent[silence] += delta
  }
  const forgetEndpoint = (id: string, slice: string): void => {
    const entry = knownEndpoints.get(id)
    if (entry?.slice !== slice) return
    count(entry, -1)
    knownEndpoints.delete(id)
    endpointSource.follow(id, false)
  }
  const learnEndpoint = (endpoint: Discovery.Endpoint, slice: string, ports: EndpointPorts): void => {
    const id = endpointId(endpoint)
    const before = knownEndpoints.get(id)
    if (before !== undefined) count(before, -1)
    else endpointSource.follow(id, true)
    const { ready: isReady, serving, terminating } = endpoint.conditions ?? {}
    const isLeaving = terminating === true && serving !== false
    const group = isReady === false ? (isLeaving ? terminatingGroup : undefined) : readyGroup
    const entry: KnownEndpoint = {
      endpoint,
      ports,
      slice,
      crowd: group,
      silence: endpointSource.silenceOf(endpoint, ports)
    }
    knownEndpoints.set(id, entry)
    count(entry, 1)
  }
  const currentGroup = (): EndpointGroup => (readyGroup.count > 0 ? readyGroup : terminatingGroup)
  const lossShare = ({ count: all, silent }: EndpointGroup): TrafficMark["share"] => {
    if (!isSending) return noLosses
    return all === 0
      ? { ...noLosses, noEndpoint: 1 }
      : {
          starting: silent.starting / all,
          stopping: silent.stopping / all,
          failing: silent.failing / all,
          noEndpoint: 0
        }
  }
  const requestsOf = (units: number): number => (units * requestsPerSecond) / 1000
  const markAt = (atMillis: number): TrafficMark | undefined =>
    marks.findLast(({ row }) => row.atMillis <= atMillis)
  const sentUntil = (atMillis: number): number => {
    const mark = markAt(atMillis)
    if (mark === undefined) return 0
    return mark.sentMillis + (mark.isSending ? atMillis - mark.row.atMillis : 0)
  }
  const rowAt = (atMillis: number, lost: TrafficMark["lost"]): ServiceRow => {
    const { count: all, silent } = currentGroup()
    return {
      atMillis,
      ...sliceCounts,
      known: all,
      answering: all - silent.starting - silent.stopping - silent.failing,
      lost: roundUp(requestsOf(sumOf(lost))),
      requests: roundUp(requestsOf(sentUntil(atMillis)))
    }
  }
  const lostUntil = (atMillis: number): TrafficMark["lost"] => {
    const mark = markAt(atMillis)
    if (mark === undefined) return noLosses
    const millis = atMillis - mark.row.atMillis
    const { lost, share } = mark
    return {
      starting: lost.starting + millis * share.starting,
      stopping: lost.stopping + millis * share.stopping,
      failing: lost.failing + millis * share.failing,
      noEndpoint: lost.noEndpoint + millis * share.noEndpoint
    }
  }
  const note = (atMillis: number): void => {
    const last = marks.at(-1)
    const share = lossShare(currentGroup())
    const isSame =
      last !== undefined &&
      last.isSending === isSending &&
      last.row.endpoints === sliceCounts.endpoints &&
      last.row.ready === sliceCounts.ready &&
      last.row.terminating === sliceCounts.terminating &&
      last.row.known === currentGroup().count &&
      last.share.starting === share.starting &&
      last.share.stopping === share.stopping &&
      last.share.failing === share.failing &&
      last.share.noEndpoint === share.noEndpoint
    if (isSame) return
    const [lost, sentMillis] = [lostUntil(atMillis), sentUntil(atMillis)]
    const row = rowAt(atMillis, lost)
    if (last?.row.atMillis === atMillis) marks.pop()
    marks.push({ row, lost, share, sentMillis, isSending })
  }

  return {
    write: (slice, content) => {
      countSlice(written.get(slice) ?? emptySlice, -1)
      countSlice(content, 1)
      written.set(slice, content)
    },
    learn: (slice, content) => {
      const { endpoints, ports } = content
      const before = learned.get(slice) ?? emptySlice
      learned.set(slice, content)
      const after = new Set(isSameValue(before.ports, ports) ? endpoints : [])
      const unchanged = new Set<Discovery.Endpoint>()
      for (const endpoint of before.endpoints) {
        if (after.has(endpoint)) unchanged.add(endpoint)
        else forgetEndpoint(endpointId(endpoint), slice)
      }
      for (const endpoint of endpoints) if (!unchanged.has(endpoint)) learnEndpoint(endpoint, slice, ports)
    },
    updateSilence: (id, goneReason) => {
      const entry = knownEndpoints.get(id)
      if (entry === undefined) return
      count(entry, -1)
      entry.silence =
        goneReason === undefined
          ? endpointSource.silenceOf(entry.endpoint, entry.ports)
          : (entry.silence ?? goneReason)
      count(entry, 1)
    },
    record: note,
    end: (atMillis) => {
      isSending = false
      note(atMillis)
    },
    resume: (atMillis) => {
      isSending = true
      note(atMillis)
    },
    restart: (atMillis) => {
      marks = []
      note(atMillis)
    },
    rows: () => marks.map(({ row }) => row),
    silentPods: () => {
      const target = currentGroup()
      return [...knownEndpoints].flatMap(([id, { endpoint, crowd: group, silence }]) =>
        group === target && silence !== undefined ? [{ name: endpoint.targetRef?.name ?? id, silence }] : []
      )
    },
    now: (atMillis) => rowAt(atMillis, lostUntil(atMillis)),
    totals: (atMillis) => {
      const lost = lostUntil(atMillis)
      return {
        requests: roundUp(requestsOf(sentUntil(atMillis))),
        lost: roundUp(requestsOf(sumOf(lost))),
        because: {
          starting: roundUp(requestsOf(lost.starting)),
          stopping: roundUp(requestsOf(lost.stopping)),
          failing: roundUp(requestsOf(lost.failing)),
          noEndpoint: roundUp(requestsOf(lost.noEndpoint))
        }
      }
    }
  }
}

const emptyGroup = (): EndpointGroup => ({ count: 0, silent: { starting: 0, stopping: 0, failing: 0 } })

const noLosses: TrafficMark["lost"] = { starting: 0, stopping: 0, failing: 0, noEndpoint: 0 }

const sumOf = ({ starting, stopping, failing, noEndpoint }: TrafficMark["lost"]): number =>
  starting + stopping + failing + noEndpoint

/** Rounds up; the tolerance absorbs floating-point errors. */
const roundUp = (requests: number): number => Math.max(0, Math.ceil(requests - 1e-6))
