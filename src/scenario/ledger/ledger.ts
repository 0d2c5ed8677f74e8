import { resources } from "../../kubernetes/meta/kinds.ts"
import { attributeChange, attributeLosses, attributeToTime } from "./attribution.ts"
import { turningPoints } from "./turningPoints.ts"
import { makeLedgerTimers } from "./ledgerTimers.ts"
import { makeFaultExcuses } from "./faultExcuses.ts"
import { makeRolloutLedger } from "./rolloutLedger.ts"
import { makeWorkloadLedger } from "./workloadLedger.ts"
import { makeServiceLedger } from "./serviceLedger.ts"
import { lossCausesIn, defaultTraffic } from "./serviceTraffic.ts"
import { makeInvariantWatchers } from "./invariantWatchers.ts"
import type { RolloutExtremes, LedgerRow } from "./podAccount.ts"
import type { Attribution, PodDeletionExplainer } from "./attribution.ts"
import type { ViolationDetails } from "./violations.ts"
import type { Strategy } from "../../../machines/strategies/strategy.ts"
import type { Key, Pod } from "../../kubernetes/meta/objects.ts"
import type { PodLife } from "../../kubernetes/pods/podLife.ts"
import type { WriterName } from "../../runtime/reconciler/currentWriter.ts"
import type { Change, ClusterView } from "../../store/objectStore.ts"
import type { ServiceRow, ServiceTotals, TrafficOptions } from "./serviceTraffic.ts"
import type { Violation } from "./violations.ts"
import type { ControllerHindrance } from "../../faults/faultKind.ts"
import type { LedgerInvariant } from "./invariantWatchers.ts"

export interface LedgerEntry {
  /** Since the last `restart`, one row for each time at which a count changed. */
  readonly rows: () => ReadonlyArray<LedgerRow>
  /** The most and the fewest Pods from the last `restart` to this time, which may lie in the past. */
  readonly extremes: (untilMillis: number) => RolloutExtremes
  readonly now: () => LedgerRow
}

export interface ServiceEntry {
  /** Since the last `restart`, one row for each time at which a count changed. */
  readonly rows: () => ReadonlyArray<ServiceRow>
  readonly totals: (atMillis: number) => ServiceTotals
  readonly now: () => ServiceRow
}

/**
 * Accounts for every instant: Pods of Deployments, lost requests of Services, broken rules. Needs all changes, in
 * order. The cost of a change does not depend on the number of Pods.
 */
export interface Ledger {
  /**
   * `writer`: the controller that wrote the change. Without it, the controllers of Deployments and ReplicaSets are
   * judged by every change, and those of other workloads by none.
   */
  readonly observe: (change: Change, atMillis: number, writer?: WriterName) => void
  /** Reads the present objects of a cluster that is older than the ledger. */
  readonly seeAll: (view: Pick<ClusterView["Service"], "all">, atMillis: number) => void
  /** A fault began or ended for a Pod, without an object change. */
  readonly podFaultChanged: (pod: Pod, atMillis: number) => void
  /** Time passes to the end of an instant without an object change: Pods become available, requests are lost. */
  readonly passTo: (atMillis: number) => void
  /** Time passes to just before an instant. Must precede that instant's changes, which may remove what still exists. */
  readonly passBefore: (atMillis: number) => void
  /**
   * When to evaluate again a condition that does not hold: when lost requests alone fulfil it, or at the next timer.
   * `thresholds` become true, and stay true, as requests are lost, unlike conditions such as `lost = 200`.
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
  /** Checks the invariant from now on, at every instant and after every change. */
  readonly addInvariant: (invariant: LedgerInvariant) => void
  /** The explainer names the fault that deleted a Pod. Violations are then attributed to that fault. */
  readonly addDeletionExplainer: (explainer: PodDeletionExplainer) => void
  /** Lets a controller break some rules because of a fault. Default: all controllers. */
  readonly excuse: (hindrance?: ControllerHindrance) => void
  /** The cluster has settled: ends all excuses, and compares every status with the Pods. */
  readonly checkSettled: () => void
  readonly violations: () => ReadonlyArray<Violation>
}

export interface LedgerOptions extends Partial<TrafficOptions> {
  /** The caller's clock, for `now`. Default: the time of the last change. */
  readonly nowMillis?: () => number
  /** The Pod's life with faults. By default, a Pod answers while it is ready. */
  readonly lifeOf?: (pod: Pod) => PodLife
  /** Default: the built-in strategies. */
  readonly strategies?: ReadonlyArray<Strategy>
  readonly onBroken?: (violation: Violation) => void
}

export const makeLedger = (startMillis = 0, options: LedgerOptions = {}): Ledger => {
  const violations: Array<Violation> = []
  const timers = makeLedgerTimers()
  const services = makeServiceLedger({
    traffic: { ...defaultTraffic, ...options },
    schedule: timers.add,
    lifeOf: options.lifeOf ?? (() => undefined)
  })
  let instantMillis = -Infinity
  /** True while present objects are read: they are not checked. */
  let isReadingPresent = false
  /** True while conditions are evaluated at a given time: then no time passes when a count is read. */
  let isEvaluating = false
  const deletionExplainers: Array<PodDeletionExplainer> = []

  const report = (subject: string, details: ViolationDetails): void => {
    if (isReadingPresent) return
    const violation = { ...details, atMillis: instantMillis - startMillis, subject }
    violations.push(violation)
    options.onBroken?.(violation)
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
    sums: () => rollouts.sums(),
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
  const passTo = (atMillis: number): void => {
    if (atMillis <= instantMillis) return
    rollouts.endInstant()
    for (let next = timers.nextMillis(); next !== undefined && next <= atMillis; next = timers.nextMillis()) {
      checkUntil(next)
      timers.runNext()
      checkInvariants(attributeToTime("has passed"))
    }
    checkUntil(atMillis)
  }
  const passToNow = (): void => {
    if (!isEvaluating && options.nowMillis !== undefined) passTo(options.nowMillis())
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
      passTo(atMillis)
      applyChange(change, writer)
      if (watchers.isWatching() && watchedResources.has(change.resource))
        checkInvariants(
          attributeChange({
            change,
            writer,
            isSurplus: rollouts.isSurplus(change),
            deletionExplainers
          })
        )
    },
    seeAll: (view, atMillis) => {
      passTo(atMillis)
      isReadingPresent = true
      services.observeSettled(() => {
        for (const resource of countedResources) {
          for (const object of view.all(resource))
            applyChange({ type: "ADDED", resource, object, old: undefined, resourceVersion: 0 })
        }
      })
      rollouts.endInstant()
      isReadingPresent = false
    },
    podFaultChanged: (pod, atMillis) => {
      passTo(atMillis)
      services.podFaultChanged(pod, atMillis)
    },
    passBefore: (atMillis) => {
      if ((timers.nextMillis() ?? Infinity) < atMillis) passTo(atMillis - 1)
    },
    passTo: (atMillis) => {
      passTo(atMillis)
      checkInvariants(attributeToTime("has passed"))
    },
    nextCheckMillis: (holds, untilMillis, thresholds = [holds]) => {
      passToNow()
      const endMillis = Math.min(untilMillis, timers.nextMillis() ?? Infinity)
      const predicates = thresholds.map((threshold) => (atMillis: number) => evaluateAt(atMillis, threshold))
      const checkTimes = turningPoints(instantMillis, endMillis, predicates)
      return checkTimes.find((atMillis) => evaluateAt(atMillis, holds)) ?? endMillis
    },
    restart: (atMillis) => {
      passTo(atMillis)
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
          passToNow()
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
        passToNow()
        return service.now(instantMillis)
      }
      return { rows, totals, now }
    },
    services: services.keys,
    addInvariant: (invariant) => {
      watchers.add(invariant)
      // A violation then reads: time had only begun.
      checkInvariants(attributeToTime("had only begun"))
    },
    addDeletionExplainer: (explainer) => void deletionExplainers.push(explainer),
    excuse: (hindrance = {}) => excuses.excuse(hindrance, instantMillis),
    checkSettled: () => {
      rollouts.endInstant()
      excuses.settle()
      rollouts.checkSettled()
    },
    violations: () => violations
  }
}

/** The resources whose objects are counted, in an order in which objects refer only to those of earlier resources. */
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

/** The resources whose changes may break an invariant. */
const watchedResources: ReadonlySet<Change["resource"]> = new Set([
  ...countedResources,
  resources.cronJobs,
  resources.autoscalers,
  resources.controllerRevisions
])
