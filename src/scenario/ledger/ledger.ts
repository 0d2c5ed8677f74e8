import { resources } from "../../domain/kinds.ts"
import { deedOf, losing, waiting } from "./deeds.ts"
import { turningMillis } from "./firstMillis.ts"
import { makeDueTimes } from "./dueTimes.ts"
import { makeExcuses } from "./excuses.ts"
import { makeRolloutLedger } from "./rolloutLedger.ts"
import { makeServiceLedger } from "./serviceLedger.ts"
import { causesOf, usualTraffic } from "./serviceTraffic.ts"
import { makeWatchers } from "./watchers.ts"
import type { Extremes, LedgerRow } from "./account.ts"
import type { Deed, Doer } from "./deeds.ts"
import type { Broken } from "./violations.ts"
import type { Key, Pod } from "../../domain/objects.ts"
import type { PodLife } from "../../domain/podLife.ts"
import type { Writer } from "../../faults/writing.ts"
import type { Change, ClusterView } from "../../store/objectStore.ts"
import type { ServiceRow, ServiceTotals, Traffic } from "./serviceTraffic.ts"
import type { Violation } from "./violations.ts"
import type { Hindrance } from "./excuses.ts"
import type { Invariant } from "./watchers.ts"

/** One Deployment in the ledger. */
export interface LedgerEntry {
  readonly rows: () => ReadonlyArray<LedgerRow>
  /** Of the time since `begin`, up to this moment, which may have passed already. */
  readonly extremes: (atMillis: number) => Extremes
  readonly now: () => LedgerRow
}

/** One Service in the ledger. */
export interface ServiceEntry {
  readonly rows: () => ReadonlyArray<ServiceRow>
  /** Of the time since `begin`, up to this moment, which may have passed already. */
  readonly totals: (atMillis: number) => ServiceTotals
  readonly now: () => ServiceRow
}

/**
 * Keeps, at every instant of virtual time, how many Pods each Deployment has and how they are, and how many requests
 * each Service would have lost, and sees every rule that is broken. It is fed with all changes of a cluster, in order;
 * each costs the same whatever the number of Pods.
 */
export interface Ledger {
  /** A controller's rules are judged by what it does itself; by all that is done where nobody says who did it. */
  readonly see: (change: Change, atMillis: number, by?: Writer) => void
  /** Sees everything that is there already, where the ledger was not fed from the beginning. */
  readonly seeAll: (view: Pick<ClusterView["Service"], "all">, atMillis: number) => void
  /** Something has come over a Pod that no object tells of, or no longer does: whether it answers is asked anew. */
  readonly befall: (pod: Pod, atMillis: number) => void
  /**
   * Lets time pass in which nothing changed, when the instant that it leads to is over: Pods become available by
   * waiting alone, and requests are lost.
   */
  readonly passTo: (atMillis: number) => void
  /**
   * Lets time pass until just before a moment, where anything comes by waiting alone until then. Whoever feeds the
   * ledger says so while all is still there that is there then: at the next change it no longer is.
   */
  readonly passBefore: (atMillis: number) => void
  /**
   * When to ask again for something that does not hold: when it will, if until then nothing happens but that requests
   * are lost, or when the ledger knows of something else that comes by waiting; no later than `untilMillis`. What
   * holds for a moment alone is found by its `turns`: whatever of it becomes so by that and stays so.
   */
  readonly askAgainAt: (
    holds: () => boolean,
    untilMillis: number,
    turns?: ReadonlyArray<() => boolean>
  ) => number
  /** Forgets rows and extremes so far; what is there stays known. */
  readonly begin: (atMillis: number) => void
  /** By `namespace/name`; undefined for a Deployment that never was. */
  readonly of: (key: Key) => LedgerEntry | undefined
  readonly deployments: () => ReadonlyArray<Key>
  /** By `namespace/name`; undefined for a Service that never was, or that has no selector. */
  readonly ofService: (key: Key) => ServiceEntry | undefined
  readonly services: () => ReadonlyArray<Key>
  /** What must hold from now on, at every instant and after every step. */
  readonly watchFor: (invariant: Invariant) => void
  /** Says of whom a Pod was told to stop that nobody known did; undefined where it does not know either. */
  readonly blame: (doer: Doer) => void
  /** Controllers are hindered from now on; what that excuses is not told as broken. */
  readonly hinder: (how?: Hindrance) => void
  /** Judges what must be right once everything has come to rest. */
  readonly judgeSettled: () => void
  readonly violations: () => ReadonlyArray<Violation>
}

export interface LedgerOptions extends Partial<Traffic> {
  /** The time of whoever asks: what is so `now` is what is so then. When it last heard of anything, where left out. */
  readonly nowMillis?: () => number
  /**
   * How a Pod lives, with what has come over it: one that hangs or flaps answers nobody before its probes have noticed.
   * For as long as it is ready, where nobody says.
   */
  readonly lifeOf?: (pod: Pod) => PodLife
  /** Hears at once of each rule that is broken. */
  readonly onBroken?: (violation: Violation) => void
}

export const makeLedger = (startMillis = 0, options: LedgerOptions = {}): Ledger => {
  const violations: Array<Violation> = []
  const due = makeDueTimes()
  const services = makeServiceLedger({
    traffic: { ...usualTraffic, ...options },
    dueAt: due.add,
    lifeOf: options.lifeOf ?? (() => undefined)
  })
  let instantMillis = -Infinity
  let isCatchingUp = false
  /** Whether somebody is asked about a moment that the ledger itself has chosen. */
  let isAsking = false
  const doers: Array<Doer> = []

  const tell = (subject: string, broken: Broken): void => {
    if (isCatchingUp) return
    const violation = { ...broken, atMillis: instantMillis - startMillis, subject }
    violations.push(violation)
    options.onBroken?.(violation)
  }
  const excuses = makeExcuses()
  const rollouts = makeRolloutLedger({ dueAt: due.add, nowMillis: () => instantMillis, tell, excuses })
  const asAt = <A>(atMillis: number, ask: () => A): A => {
    const before = { instantMillis, isAsking }
    instantMillis = atMillis
    isAsking = true
    try {
      return ask()
    } finally {
      ;({ instantMillis, isAsking } = before)
    }
  }
  const watchers = makeWatchers({
    tell,
    sums: () => rollouts.sums(),
    asAt,
    deedFor: (service) => losing(service, services.of(service)?.silent() ?? []),
    lostBecause: (service) => {
      const totals = services.of(service)?.totals(instantMillis)
      return totals === undefined ? [] : causesOf(totals)
    }
  })
  const look = (deed: Deed): void => {
    if (watchers.isWatching()) asAt(instantMillis, () => watchers.look(deed))
  }
  const waitTo = (atMillis: number): void => {
    if (watchers.isWatching()) watchers.pass(Math.max(instantMillis, startMillis), atMillis)
    instantMillis = Math.max(instantMillis, atMillis)
  }
  const passTo = (atMillis: number): void => {
    if (atMillis <= instantMillis) return
    rollouts.endInstant()
    for (let next = due.nextMillis(); next !== undefined && next <= atMillis; next = due.nextMillis()) {
      waitTo(next)
      due.happen()
      look(waiting("has passed"))
    }
    waitTo(atMillis)
  }
  /** Brings what is read to the moment at which it is read. */
  const catchUp = (): void => {
    if (!isAsking && options.nowMillis !== undefined) passTo(options.nowMillis())
  }

  const take = (change: Change, by?: Writer): void => {
    switch (change.resource) {
      case resources.pods:
        rollouts.see(change, by)
        return services.see(change, instantMillis)
      case resources.replicaSets:
      case resources.deployments:
      case resources.events:
        return rollouts.see(change, by)
      default:
        return services.see(change, instantMillis)
    }
  }
  return {
    see: (change, atMillis, by) => {
      passTo(atMillis)
      take(change, by)
      if (watchers.isWatching() && watched.has(change.resource))
        look(deedOf({ change, by, isSurplus: rollouts.isSurplus(change), doers }))
    },
    seeAll: (view, atMillis) => {
      passTo(atMillis)
      isCatchingUp = true
      services.settled(() => {
        for (const resource of watched) {
          for (const object of view.all(resource))
            take({ type: "ADDED", resource, object, old: undefined, resourceVersion: 0 })
        }
      })
      rollouts.endInstant()
      isCatchingUp = false
    },
    befall: (pod, atMillis) => {
      passTo(atMillis)
      services.befall(pod, atMillis)
    },
    passBefore: (atMillis) => {
      if ((due.nextMillis() ?? Infinity) < atMillis) passTo(atMillis - 1)
    },
    passTo: (atMillis) => {
      passTo(atMillis)
      look(waiting("has passed"))
    },
    askAgainAt: (holds, untilMillis, turns = [holds]) => {
      catchUp()
      const endMillis = Math.min(untilMillis, due.nextMillis() ?? Infinity)
      const turnsAt = turns.map((turn) => (atMillis: number) => asAt(atMillis, turn))
      const moments = turningMillis(instantMillis, endMillis, turnsAt)
      return moments.find((atMillis) => asAt(atMillis, holds)) ?? endMillis
    },
    begin: (atMillis) => {
      passTo(atMillis)
      rollouts.begin(atMillis)
      services.begin(atMillis)
    },
    of: (key) => {
      const account = rollouts.of(key)
      if (account === undefined) return undefined
      return {
        rows: account.rows,
        extremes: account.extremes,
        now: () => {
          catchUp()
          return { atMillis: instantMillis, ...account.now() }
        }
      }
    },
    deployments: rollouts.keys,
    ofService: (key) => {
      const service = services.of(key)
      if (service === undefined) return undefined
      const { rows, totals } = service
      const now = (): ServiceRow => {
        catchUp()
        return service.now(instantMillis)
      }
      return { rows, totals, now }
    },
    services: services.keys,
    watchFor: (invariant) => {
      watchers.add(invariant)
      look(waiting("had only begun"))
    },
    blame: (doer) => void doers.push(doer),
    hinder: (how = {}) => excuses.hinder(how, instantMillis),
    judgeSettled: () => {
      rollouts.endInstant()
      excuses.settle()
      rollouts.judgeSettled()
    },
    violations: () => violations
  }
}

/** What counts are made of, in the order in which one thing is known by another. */
const watched: ReadonlySet<Change["resource"]> = new Set([
  resources.nodes,
  resources.services,
  resources.deployments,
  resources.replicaSets,
  resources.pods,
  resources.endpointSlices
])
