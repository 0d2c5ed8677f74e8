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
import type { LedgerInvariant } from "./invariantWatchers.ts"

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
  let instantMillis = -Infinity
  let isObservingExisting = false
  /** While conditions are evaluated at a given time, reading a count passes no time. */
  let isEvaluating = false
  const deletionExplainers: Array<PodDeletionExplainer> = []

  const report = (subject: string, details: ViolationDetails): void => {
    if (isObservingExisting) return
    const violation = { ...details, atMillis: instantMillis - startMillis, subject }
    violations.push(violation)
    options.onViolation?.(violation)
  }
  const excuses = makeFaultExcuses()
  const rollouts = makeRolloutLedger({
    schedule: timers.add,
    nowMillis: () => instantMillis,
    report,
    excuses,
    strategies: options.strategies
  })
  const workloads = makeWorkloadLedger({
    schedule: timers.add,
    nowMillis: () => instantMillis,
    report,
    excuses
  })
  const evaluateAt = <A>(atMillis: number, evaluate: () => A): A => {
    const before = { instantMillis, isEvaluating }
    instantMillis = atMillis
    isEvaluating = true
    try {
      return evaluate()
    } finally {
      ;({ instantMillis, isEvaluating } = before)
    }
  }
  const watchers = makeInvariantWatchers({
    report,
    countsOfDeployments: () => rollouts.allCountsText(),
    evaluateAt,
    attributeLossesOf: (service) => attributeLosses(service, services.of(service)?.silentPods() ?? []),
    lostBecause: (service) => {
      const totals = services.of(service)?.totals(instantMillis)
      return totals === undefined ? [] : lossCausesIn(totals)
    }
  })
  const checkInvariants = (attribution: Attribution): void => {
    if (watchers.isWatching()) evaluateAt(instantMillis, () => watchers.check(attribution))
  }
  const checkUntil = (atMillis: number): void => {
    if (watchers.isWatching()) watchers.passTime(Math.max(instantMillis, startMillis), atMillis)
    instantMillis = Math.max(instantMillis, atMillis)
  }
  const advanceTo = (atMillis: number): void => {
    if (atMillis <= instantMillis) return
    rollouts.endInstant()
    for (let next = timers.nextMillis(); next !== undefined && next <= atMillis; next = timers.nextMillis()) {
      checkUntil(next)
      timers.runNext()
      checkInvariants(timeHasPassed)
    }
    checkUntil(atMillis)
  }
  const advanceToNow = (): void => {
    if (!isEvaluating && options.nowMillis !== undefined) advanceTo(options.nowMillis())
  }

  const applyChange = (change: Change, writer?: WriterName): void => {
    switch (change.resource) {
      case resources.pods:
        rollouts.observe(change, writer)
        workloads.observe(change, writer)
        return services.observe(change, instantMillis)
      case resources.nodes:
        workloads.observe(change, writer)
        return services.observe(change, instantMillis)
      case resources.statefulSets:
      case resources.daemonSets:
      case resources.jobs:
        return workloads.observe(change, writer)
      case resources.replicaSets:
      case resources.deployments:
      case resources.events:
        return rollouts.observe(change, writer)
      default:
        return services.observe(change, instantMillis)
    }
  }
  return {
    observe: (change, atMillis, writer) => {
      advanceTo(atMillis)
      applyChange(change, writer)
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
            applyChange({ type: "ADDED", resource, object, old: undefined, resourceVersion: 0 })
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
      const predicates = thresholds.map((threshold) => (atMillis: number) => evaluateAt(atMillis, threshold))
      const checkTimes = timesBecomingTrue(instantMillis, endMillis, predicates)
      return checkTimes.find((atMillis) => evaluateAt(atMillis, holds)) ?? endMillis
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
        advanceToNow()
        return service.now(instantMillis)
      }
      return { rows, totals, now }
    },
    services: services.keys,
    addInvariant: (invariant) => {
      watchers.add(invariant)
      checkInvariants(timeHadOnlyBegun)
    },
    addDeletionExplainer: (explainer) => void deletionExplainers.push(explainer),
    excuse: (ledgerExcuse = {}) => excuses.excuse(ledgerExcuse, instantMillis),
    checkSettled: () => {
      rollouts.endInstant()
      excuses.settle()
      rollouts.checkSettled()
    },
    violations: () => violations
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
