import { isSameValue } from "../../domain/sameness.ts"
import type * as Discovery from "kubernetes-types/discovery/v1.js"
import type { Ports, Silence } from "./servicePods.ts"

/** How many requests there are, and how soon clients hear where to send them. */
export interface Traffic {
  /** For each Service, spread evenly over the endpoints that its clients know. */
  readonly requestsPerSecond: number
  /** From an EndpointSlice being written until nobody sends by what it said before. */
  readonly propagationMillis: number
}

/**
 * A hundred requests a second are easily pictured. A second is what kube-proxy waits at the most before it writes
 * down what it has heard: `minSyncPeriod`.
 *
 * Source: pkg/proxy/apis/config/v1alpha1/defaults.go.
 */
export const usualTraffic: Traffic = { requestsPerSecond: 100, propagationMillis: 1000 }

/** What is true of one Service from `atMillis` on, until the next row. */
export interface ServiceRow {
  readonly atMillis: number
  /** What its EndpointSlices hold, in whatever state. */
  readonly endpoints: number
  /** Those of them that are told as ready. */
  readonly ready: number
  /** Those that are told as on their way out. */
  readonly terminating: number
  /** To how many clients still send. */
  readonly known: number
  /** How many of those answer. */
  readonly answering: number
  /** Since the beginning, until this row began. */
  readonly lost: number
  readonly requests: number
}

/** Why a request is lost: what is wrong with the Pod that it goes to, or that there is none. */
export type LossCause = Silence | "nobody"

/** In the order in which they are told. */
export const lossCauses: ReadonlyArray<LossCause> = ["stopping", "starting", "failing", "nobody"]

/** Why requests were lost, as far as any were. */
export const causesOf = ({ because }: Pick<ServiceTotals, "because">): ReadonlyArray<LossCause> =>
  lossCauses.filter((cause) => because[cause] > 0)

/** Requests since the beginning: those that came, those that nobody answered, and why. */
export interface ServiceTotals {
  readonly requests: number
  readonly lost: number
  readonly because: Readonly<Record<LossCause, number>>
}

export interface ServiceTraffic {
  /** What a slice says from now on; clients have heard of it when they `learn` of it. */
  readonly write: (slice: string, told: Told) => void
  readonly learn: (slice: string, told: Told) => void
  /** One of those that clients know answers otherwise than before; of one that is gone, why it no longer does. */
  readonly hear: (endpoint: string, gone?: Silence) => void
  /** Writes down what is so now. */
  readonly note: (atMillis: number) => void
  /** The Service is gone: nobody sends anything until it goes on. */
  readonly end: (atMillis: number) => void
  /** There is one of that name again: what was counted before it still counts. */
  readonly goOn: (atMillis: number) => void
  /** Counts anew, from what is there. */
  readonly begin: (atMillis: number) => void
  readonly rows: () => ReadonlyArray<ServiceRow>
  /** Those that clients send to and that answer nobody. */
  readonly silent: () => ReadonlyArray<SilentPod>
  readonly now: (atMillis: number) => ServiceRow
  /** Up to a moment that may have passed already. */
  readonly totals: (atMillis: number) => ServiceTotals
}

export interface SilentPod {
  readonly name: string
  readonly silence: Silence
}

/** What a slice says. */
export interface Told {
  readonly endpoints: ReadonlyArray<Discovery.Endpoint>
  readonly ports: Ports
}

export const tellsNothing: Told = { endpoints: [], ports: [] }

/** By what an endpoint is known: the uid of its Pod, or its address where somebody has written it down by hand. */
export const endpointId = ({ targetRef, addresses }: Discovery.Endpoint): string =>
  targetRef?.uid ?? addresses[0] ?? ""

/** Endpoints that may be sent to: how many there are, and how many of them answer nobody. */
interface Crowd {
  count: number
  readonly silent: Record<Silence, number>
}

interface Known {
  readonly endpoint: Discovery.Endpoint
  readonly ports: Ports
  readonly slice: string
  /** Undefined for one that nobody sends to. */
  readonly crowd: Crowd | undefined
  silence: Silence | undefined
}

interface Mark {
  readonly row: ServiceRow
  /** Thousandths of what a thousand requests a second would have come to, until the row began. */
  readonly lost: Readonly<Record<LossCause, number>>
  /** What part of all requests is lost from then on. */
  readonly share: Readonly<Record<LossCause, number>>
  /** How long requests had been sent until the row began, and whether they are from then on. */
  readonly sentMillis: number
  readonly isSending: boolean
}

/**
 * The requests of one Service. Clients send to those that are ready; where none is, to those on their way out that
 * still serve; where there are none of those, to nobody.
 *
 * Source: pkg/proxy/topology.go (CategorizeEndpoints).
 */
export const makeServiceTraffic = (
  { requestsPerSecond }: Traffic,
  followed: {
    readonly silenceOf: (endpoint: Discovery.Endpoint, ports: Ports) => Silence | undefined
    /** Says whether an endpoint is known from now on. */
    readonly follow: (endpoint: string, isKnown: boolean) => void
  }
): ServiceTraffic => {
  const written = new Map<string, Told>()
  const learned = new Map<string, Told>()
  const known = new Map<string, Known>()
  const ready = emptyCrowd()
  const leaving = emptyCrowd()
  const shown = { endpoints: 0, ready: 0, terminating: 0 }
  let marks: Array<Mark> = []
  let isSending = true

  const show = ({ endpoints }: Told, by: 1 | -1): void => {
    shown.endpoints += by * endpoints.length
    for (const { conditions } of endpoints) {
      if (conditions?.ready !== false) shown.ready += by
      if (conditions?.terminating === true) shown.terminating += by
    }
  }
  const count = ({ crowd, silence }: Known, by: 1 | -1): void => {
    if (crowd === undefined) return
    crowd.count += by
    if (silence !== undefined) crowd.silent[silence] += by
  }
  const drop = (id: string, slice: string): void => {
    const it = known.get(id)
    if (it?.slice !== slice) return
    count(it, -1)
    known.delete(id)
    followed.follow(id, false)
  }
  const take = (endpoint: Discovery.Endpoint, slice: string, ports: Ports): void => {
    const id = endpointId(endpoint)
    const before = known.get(id)
    if (before !== undefined) count(before, -1)
    else followed.follow(id, true)
    const { ready: isReady, serving, terminating } = endpoint.conditions ?? {}
    const isLeaving = terminating === true && serving !== false
    const crowd = isReady === false ? (isLeaving ? leaving : undefined) : ready
    const it: Known = { endpoint, ports, slice, crowd, silence: followed.silenceOf(endpoint, ports) }
    known.set(id, it)
    count(it, 1)
  }
  const chosen = (): Crowd => (ready.count > 0 ? ready : leaving)
  const shareOf = ({ count: all, silent }: Crowd): Mark["share"] => {
    if (!isSending) return nothing
    return all === 0
      ? { ...nothing, nobody: 1 }
      : {
          starting: silent.starting / all,
          stopping: silent.stopping / all,
          failing: silent.failing / all,
          nobody: 0
        }
  }
  const requestsOf = (units: number): number => (units * requestsPerSecond) / 1000
  const markAt = (atMillis: number): Mark | undefined => marks.findLast(({ row }) => row.atMillis <= atMillis)
  const sentUntil = (atMillis: number): number => {
    const mark = markAt(atMillis)
    if (mark === undefined) return 0
    return mark.sentMillis + (mark.isSending ? atMillis - mark.row.atMillis : 0)
  }
  const rowAt = (atMillis: number, lost: Mark["lost"]): ServiceRow => {
    const { count: all, silent } = chosen()
    return {
      atMillis,
      ...shown,
      known: all,
      answering: all - silent.starting - silent.stopping - silent.failing,
      lost: whole(requestsOf(sumOf(lost))),
      requests: whole(requestsOf(sentUntil(atMillis)))
    }
  }
  const lostUntil = (atMillis: number): Mark["lost"] => {
    const mark = markAt(atMillis)
    if (mark === undefined) return nothing
    const millis = atMillis - mark.row.atMillis
    const { lost, share } = mark
    return {
      starting: lost.starting + millis * share.starting,
      stopping: lost.stopping + millis * share.stopping,
      failing: lost.failing + millis * share.failing,
      nobody: lost.nobody + millis * share.nobody
    }
  }
  const note = (atMillis: number): void => {
    const last = marks.at(-1)
    const share = shareOf(chosen())
    const isSame =
      last !== undefined &&
      last.isSending === isSending &&
      last.row.endpoints === shown.endpoints &&
      last.row.ready === shown.ready &&
      last.row.terminating === shown.terminating &&
      last.row.known === chosen().count &&
      last.share.starting === share.starting &&
      last.share.stopping === share.stopping &&
      last.share.failing === share.failing &&
      last.share.nobody === share.nobody
    if (isSame) return
    const [lost, sentMillis] = [lostUntil(atMillis), sentUntil(atMillis)]
    const row = rowAt(atMillis, lost)
    if (last?.row.atMillis === atMillis) marks.pop()
    marks.push({ row, lost, share, sentMillis, isSending })
  }

  return {
    write: (slice, told) => {
      show(written.get(slice) ?? tellsNothing, -1)
      show(told, 1)
      written.set(slice, told)
    },
    learn: (slice, told) => {
      const { endpoints, ports } = told
      const before = learned.get(slice) ?? tellsNothing
      learned.set(slice, told)
      const after = new Set(isSameValue(before.ports, ports) ? endpoints : [])
      const kept = new Set<Discovery.Endpoint>()
      for (const endpoint of before.endpoints) {
        if (after.has(endpoint)) kept.add(endpoint)
        else drop(endpointId(endpoint), slice)
      }
      for (const endpoint of endpoints) if (!kept.has(endpoint)) take(endpoint, slice, ports)
    },
    hear: (id, gone) => {
      const it = known.get(id)
      if (it === undefined) return
      count(it, -1)
      it.silence = gone === undefined ? followed.silenceOf(it.endpoint, it.ports) : (it.silence ?? gone)
      count(it, 1)
    },
    note,
    end: (atMillis) => {
      isSending = false
      note(atMillis)
    },
    goOn: (atMillis) => {
      isSending = true
      note(atMillis)
    },
    begin: (atMillis) => {
      marks = []
      note(atMillis)
    },
    rows: () => marks.map(({ row }) => row),
    silent: () => {
      const sentTo = chosen()
      return [...known].flatMap(([id, { endpoint, crowd, silence }]) =>
        crowd === sentTo && silence !== undefined ? [{ name: endpoint.targetRef?.name ?? id, silence }] : []
      )
    },
    now: (atMillis) => rowAt(atMillis, lostUntil(atMillis)),
    totals: (atMillis) => {
      const lost = lostUntil(atMillis)
      return {
        requests: whole(requestsOf(sentUntil(atMillis))),
        lost: whole(requestsOf(sumOf(lost))),
        because: {
          starting: whole(requestsOf(lost.starting)),
          stopping: whole(requestsOf(lost.stopping)),
          failing: whole(requestsOf(lost.failing)),
          nobody: whole(requestsOf(lost.nobody))
        }
      }
    }
  }
}

const emptyCrowd = (): Crowd => ({ count: 0, silent: { starting: 0, stopping: 0, failing: 0 } })

const nothing: Mark["lost"] = { starting: 0, stopping: 0, failing: 0, nobody: 0 }

const sumOf = ({ starting, stopping, failing, nobody }: Mark["lost"]): number =>
  starting + stopping + failing + nobody

/** What is lost in part is lost; what a sum of parts is off by is nothing. */
const whole = (requests: number): number => Math.max(0, Math.ceil(requests - 1e-6))
