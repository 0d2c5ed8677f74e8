import { resources } from "../../kubernetes/meta/kinds.ts"
import { attributeChange, attributeLosses, timeHadOnlyBegun, timeHasPassed } from "./attribution.ts"
import { timesBecomingTrue } from "./timesBecomingTrue.ts"
import { makeLedgerTimers } from "./ledgerTimers.ts"
import { makeFaultExcuses } from "./faultExcuses.ts"
import { makeRolloutLedger } from "./rolloutLedger.ts"
import { makeWorkloadLedger } from "./workloadLedger.ts"
import { makeServiceLedger } from "./services/serviceLedger.ts"
import { lossCausesIn, defaultTraffic } from "./services/serviceTraffic.ts"
import { makeInvariantWatchers } from "./invariantWatchers.ts"
import type { LedgerTimers } from "./ledgerTimers.ts"
import type { RolloutLedger } from "./rolloutLedger.ts"
import type { WorkloadLedger } from "./workloadLedger.ts"
import type { ServiceLedger } from "./services/serviceLedger.ts"
import type { RolloutExtremes, LedgerRow } from "./ledgerRows.ts"
import type { Attribution, PodDeletionExplainer } from "./attribution.ts"
import type { ViolationDetails } from "./violations.ts"
import type { Strategy } from "../../../machines/strategies/strategy.ts"
import type { Key, Pod } from "../../kubernetes/meta/objects.ts"
import type { PodLife } from "../../kubernetes/pods/podLife.ts"
import type { WriterName } from "../../runtime/reconciler/currentWriter.ts"
import type { Change, ClusterView } from "../../store/objectStore.ts"
import type { ServiceRow, ServiceTotals, TrafficOptions } from "./services/serviceTraffic.ts"
import type { Violation } from "./violations.ts"
import type { LedgerExcuse } from "../../faults/faultKind.ts"
import type { InvariantWatchers, LedgerInvariant } from "./invariantWatchers.ts"

export interface LedgerEntry {
  readonly rows: () => ReadonlyArray<LedgerRow>
  /** `untilMillis` may lie in the past. */
  readonly extremes: (untilMillis: number) => RolloutExtremes
  readonly now: () => LedgerRow
}

export interface ServiceEntry {
  readonly rows: () => ReadonlyArray<ServiceRow>
  readonly totals: (atMillis: number) => ServiceTotals
  readonly now: () => ServiceRow
}

/** The ledger needs all changes, in order. The cost of a change does not depend on the number of Pods. */
export interface Ledger {
  /**
   * A change without a writer is judged as a write by the controllers of Deployments and ReplicaSets, and by no
   * controller of another workload.
   */
  readonly observe: (change: Change, atMillis: number, writer?: WriterName) => void
  readonly observeExisting: (view: Pick<ClusterView["Service"], "all">, atMillis: number) => void
  /** A fault has begun or ceased to affect the Pod. */
  readonly podFaultChanged: (pod: Pod, atMillis: number) => void
  /** Passes time to the end of an instant without an object change. */
  readonly advanceTo: (atMillis: number) => void
  /** Passes time to just before an instant, whose changes may remove what still exists. */
  readonly advanceBefore: (atMillis: number) => void
  /**
   * Returns the time at which a false condition must be evaluated again. Its thresholds stay true once they hold,
   * unlike a condition such as `lost = 200`.
   */
  readonly nextCheckMillis: (
    holds: () => boolean,
    untilMillis: number,
    thresholds?: ReadonlyArray<() => boolean>
  ) => number
  /** Forgets rows and extremes, not objects. */
  readonly restart: (atMillis: number) => void
  readonly of: (key: Key) => LedgerEntry | undefined
  readonly deployments: () => ReadonlyArray<Key>
  /** Undefined for an unknown Service, or one without a selector. */
  readonly ofService: (key: Key) => ServiceEntry | undefined
  readonly services: () => ReadonlyArray<Key>
  readonly addInvariant: (invariant: LedgerInvariant) => void
  readonly addDeletionExplainer: (explainer: PodDeletionExplainer) => void
  /** Lets a controller, or all of them, break some rules because of a fault. */
  readonly excuse: (ledgerExcuse?: LedgerExcuse) => void
  /** Ends all excuses, and compares every status with the Pods. */
  readonly checkSettled: () => void
  readonly violations: () => ReadonlyArray<Violation>
}

export interface LedgerOptions extends Partial<TrafficOptions> {
  /** Times of violations count from this Unix time; default 0. */
  readonly startMillis?: number
  /** Default: the time of the last change. */
  readonly nowMillis?: () => number
  /** By default, a Pod answers while it is ready. */
  readonly lifeOf?: (pod: Pod) => PodLife
  readonly strategies?: ReadonlyArray<Strategy>
  readonly onViolation?: (violation: Violation) => void
}

export const makeLedger = (options: LedgerOptions = {}): Ledger => {
  const { startMillis = 0 } = options
  const violations: Array<Violation> = []
  const timers = makeLedgerTimers()
  const services = makeServiceLedger({
    traffic: { ...defaultTraffic, ...options },
    schedule: timers.add,
    lifeOf: options.lifeOf ?? (() => undefined)
  })
  const clock: LedgerClock = { instantMillis: -Infinity, isEvaluating: false }
  const nowMillis = (): number => clock.instantMillis
  let isObservingExisting = false
  const deletionExplainers: Array<PodDeletionExplainer> = []

  const report = (subject: string, details: ViolationDetails): void => {
    if (isObservingExisting) return
    const violation = { ...details, atMillis: clock.instantMillis - startMillis, subject }
    violations.push(violation)
    options.onViolation?.(violation)
  }
  const excuses = makeFaultExcuses()
  const rollouts = makeRolloutLedger({
    schedule: timers.add,
    nowMillis,
    report,
    excuses,
    strategies: options.strategies
  })
  const workloads = makeWorkloadLedger({
    schedule: timers.add,
    nowMillis,
    report,
    excuses
  })
  const ledgers = { rollouts, workloads, services }
  const watchers = makeInvariantWatchers({
    report,
    countsOfDeployments: () => rollouts.allCountsText(),
    evaluateAt: (atMillis, evaluate) => evaluateAt(clock, atMillis, evaluate),
    attributeLossesOf: (service) => attributeLosses(service, services.of(service)?.silentPods() ?? []),
    lostBecause: (service) => {
      const totals = services.of(service)?.totals(clock.instantMillis)
      return totals === undefined ? [] : lossCausesIn(totals)
    }
  })
  const { advanceTo, checkInvariants } = makeTimePassing({ clock, startMillis, timers, rollouts, watchers })
  const advanceToNow = (): void => {
    if (!clock.isEvaluating && options.nowMillis !== undefined) advanceTo(options.nowMillis())
  }

  return {
    observe: (change, atMillis, writer) => {
      advanceTo(atMillis)
      countChange(ledgers, clock.instantMillis, change, writer)
      if (watchers.isWatching() && watchedResources.has(change.resource))
        checkInvariants(
          attributeChange({
            change,
            writer,
            ownerHasSurplusPods: rollouts.ownerHasSurplusPods(change),
            deletionExplainers
          })
        )
    },
    observeExisting: (view, atMillis) => {
      advanceTo(atMillis)
      isObservingExisting = true
      services.whileObservingExisting(() => {
        for (const resource of countedResources) {
          for (const object of view.all(resource))
            countChange(ledgers, clock.instantMillis, {
              type: "ADDED",
              resource,
              object,
              old: undefined,
              resourceVersion: 0
            })
        }
      })
      rollouts.endInstant()
      isObservingExisting = false
    },
    podFaultChanged: (pod, atMillis) => {
      advanceTo(atMillis)
      services.podFaultChanged(pod, atMillis)
    },
    advanceBefore: (atMillis) => {
      if ((timers.nextMillis() ?? Infinity) < atMillis) advanceTo(atMillis - 1)
    },
    advanceTo: (atMillis) => {
      advanceTo(atMillis)
      checkInvariants(timeHasPassed)
    },
    nextCheckMillis: (holds, untilMillis, thresholds = [holds]) => {
      advanceToNow()
      const endMillis = Math.min(untilMillis, timers.nextMillis() ?? Infinity)
      const predicates = thresholds.map(
        (threshold) => (atMillis: number) => evaluateAt(clock, atMillis, threshold)
      )
      const checkTimes = timesBecomingTrue(clock.instantMillis, endMillis, predicates)
      return checkTimes.find((atMillis) => evaluateAt(clock, atMillis, holds)) ?? endMillis
    },
    restart: (atMillis) => {
      advanceTo(atMillis)
      rollouts.restart(atMillis)
      services.restart(atMillis)
    },
    of: (key) => {
      const account = rollouts.of(key)
      if (account === undefined) return undefined
      return {
        rows: account.rows,
        extremes: account.extremes,
        now: () => {
          advanceToNow()
          return { atMillis: clock.instantMillis, ...account.now() }
        }
      }
    },
    deployments: rollouts.keys,
    ofService: (key) => {
      const service = services.of(key)
      if (service === undefined) return undefined
      const { rows, totals } = service
      const now = (): ServiceRow => {
        advanceToNow()
        return service.now(clock.instantMillis)
      }
      return { rows, totals, now }
    },
    services: services.keys,
    addInvariant: (invariant) => {
      watchers.add(invariant)
      checkInvariants(timeHadOnlyBegun)
    },
    addDeletionExplainer: (explainer) => void deletionExplainers.push(explainer),
    excuse: (ledgerExcuse = {}) => excuses.excuse(ledgerExcuse, clock.instantMillis),
    checkSettled: () => {
      rollouts.endInstant()
      excuses.settle()
      rollouts.checkSettled()
    },
    violations: () => violations
  }
}

interface LedgerClock {
  instantMillis: number
  /** While conditions are evaluated at a given time, reading a count passes no time. */
  isEvaluating: boolean
}

const evaluateAt = <A>(clock: LedgerClock, atMillis: number, evaluate: () => A): A => {
  const { instantMillis, isEvaluating } = clock
  clock.instantMillis = atMillis
  clock.isEvaluating = true
  try {
    return evaluate()
  } finally {
    clock.instantMillis = instantMillis
    clock.isEvaluating = isEvaluating
  }
}

const makeTimePassing = (options: {
  readonly clock: LedgerClock
  readonly startMillis: number
  readonly timers: LedgerTimers
  readonly rollouts: RolloutLedger
  readonly watchers: InvariantWatchers
}) => {
  const { clock, startMillis, timers, rollouts, watchers } = options
  const checkInvariants = (attribution: Attribution): void => {
    if (watchers.isWatching()) evaluateAt(clock, clock.instantMillis, () => watchers.check(attribution))
  }
  const checkUntil = (atMillis: number): void => {
    if (watchers.isWatching()) watchers.passTime(Math.max(clock.instantMillis, startMillis), atMillis)
    clock.instantMillis = Math.max(clock.instantMillis, atMillis)
  }
  const advanceTo = (atMillis: number): void => {
    if (atMillis <= clock.instantMillis) return
    rollouts.endInstant()
    for (let next = timers.nextMillis(); next !== undefined && next <= atMillis; next = timers.nextMillis()) {
      checkUntil(next)
      timers.runNext()
      checkInvariants(timeHasPassed)
    }
    checkUntil(atMillis)
  }
  return { advanceTo, checkInvariants }
}

interface LedgersByConcern {
  readonly rollouts: RolloutLedger
  readonly workloads: WorkloadLedger
  readonly services: ServiceLedger
}

const countChange = (
  { rollouts, workloads, services }: LedgersByConcern,
  atMillis: number,
  change: Change,
  writer?: WriterName
): void => {
  switch (change.resource) {
    case resources.pods:
      rollouts.observe(change, writer)
      workloads.observe(change, writer)
      return services.observe(change, atMillis)
    case resources.nodes:
      workloads.observe(change, writer)
      return services.observe(change, atMillis)
    case resources.statefulSets:
    case resources.daemonSets:
    case resources.jobs:
      return workloads.observe(change, writer)
    case resources.replicaSets:
    case resources.deployments:
    case resources.events:
      return rollouts.observe(change, writer)
    default:
      return services.observe(change, atMillis)
  }
}

/** In this order, objects are observed after those that they refer to. */
const countedResources: ReadonlySet<Change["resource"]> = new Set([
  resources.nodes,
  resources.services,
  resources.deployments,
  resources.replicaSets,
  resources.statefulSets,
  resources.daemonSets,
  resources.jobs,
  resources.pods,
  resources.endpointSlices
])

const watchedResources: ReadonlySet<Change["resource"]> = new Set([
  ...countedResources,
  resources.cronJobs,
  resources.autoscalers,
  resources.controllerRevisions
])
