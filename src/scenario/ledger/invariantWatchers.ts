import { timesBecomingTrue } from "./timesBecomingTrue.ts"
import type { ViolationDetails } from "./violations.ts"
import type { Attribution } from "./attribution.ts"
import type { Key } from "../../kubernetes/meta/objects.ts"
import type { LossCause } from "./services/serviceTraffic.ts"

export interface LedgerInvariant {
  readonly text: string
  readonly index?: number
  readonly holds: () => boolean
  /** `namespace/name` of the object that violates the invariant. */
  readonly subject?: () => string
  /** The counts with which the invariant is violated; default: those of all Deployments. */
  readonly countsText?: () => string | undefined
  /** The Service whose losses violate the invariant; omitted for invariants that read no losses. */
  readonly serviceWithLosses?: () => Key | undefined
  /** Conditions that stay true once enough requests are lost. Default: that the invariant is violated. */
  readonly lossThresholds?: () => ReadonlyArray<() => boolean>
  /** How the invariant is violated now; default: `text`. */
  readonly broken?: () => string
}

/** Reports each invariant once whenever it begins to be violated. */
export interface InvariantWatchers {
  readonly isWatching: () => boolean
  readonly add: (invariant: LedgerInvariant) => void
  /** `attribution` says who made the change that may violate an invariant. */
  readonly check: (attribution: Attribution) => void
  /** Reports each violation with the time at which it began. */
  readonly passTime: (fromMillis: number, toMillis: number) => void
}

export const makeInvariantWatchers = (options: {
  readonly report: (subject: string, broken: ViolationDetails) => void
  readonly countsOfDeployments: () => string
  /** Evaluates the state after the last change, with the ledger's time set to `atMillis`. */
  readonly evaluateAt: <A>(atMillis: number, evaluate: () => A) => A
  readonly attributeLossesOf: (service: Key) => Attribution
  readonly lostBecause: (service: Key) => ReadonlyArray<LossCause>
}): InvariantWatchers => {
  const { evaluateAt, attributeLossesOf } = options
  const watchers: Array<{ readonly invariant: LedgerInvariant; heldBefore: boolean }> = []
  const report = (invariant: LedgerInvariant, attribution: Attribution): void => {
    const service = invariant.serviceWithLosses?.()
    options.report(invariant.subject?.() ?? "", {
      ...attribution,
      rule: "invariant",
      sums: invariant.countsText?.() ?? options.countsOfDeployments(),
      broken: invariant.broken?.() ?? invariant.text,
      ...(service === undefined ? {} : { lostBecause: options.lostBecause(service) }),
      ...(invariant.index === undefined ? {} : { invariant: invariant.index })
    })
  }
  return {
    isWatching: () => watchers.length > 0,
    add: (invariant) => void watchers.push({ invariant, heldBefore: true }),
    check: (attribution) => {
      for (const watcher of watchers) {
        const { invariant } = watcher
        const holds = invariant.holds()
        if (!holds && watcher.heldBefore) report(invariant, attribution)
        watcher.heldBefore = holds
      }
    },
    passTime: (fromMillis, toMillis) => {
      const checks = watchers.flatMap((watcher) => {
        const { serviceWithLosses, lossThresholds } = watcher.invariant
        if (!watcher.heldBefore || serviceWithLosses === undefined) return []
        const predicates = (lossThresholds?.() ?? [() => serviceWithLosses() !== undefined]).map(
          (threshold) => (atMillis: number) => evaluateAt(atMillis, threshold)
        )
        return timesBecomingTrue(fromMillis, toMillis, predicates).map((atMillis) => ({
          watcher,
          serviceWithLosses,
          atMillis
        }))
      })
      for (const { watcher, serviceWithLosses, atMillis } of checks.sort(
        (one, other) => one.atMillis - other.atMillis
      )) {
        evaluateAt(atMillis, () => {
          const service = serviceWithLosses()
          if (service !== undefined && watcher.heldBefore)
            report(watcher.invariant, attributeLossesOf(service))
          watcher.heldBefore = service === undefined
        })
      }
    }
  }
}
