import { turningPoints } from "./turningPoints.ts"
import type { ViolationDetails } from "./violations.ts"
import type { Attribution } from "./attribution.ts"
import type { Key } from "../../kubernetes/meta/objects.ts"
import type { LossCause } from "./serviceTraffic.ts"

export interface LedgerInvariant {
  readonly text: string
  readonly index?: number
  readonly holds: () => boolean
  /** `namespace/name` of the object that violates it; empty if omitted. */
  readonly subject?: () => string
  /** The numbers that violate it; default those of all Deployments. */
  readonly sums?: () => string | undefined
  /** The Service whose lost requests violate it. */
  readonly losingService?: () => Key | undefined
  /** Predicates that turn true for good as requests are lost; default: that the invariant is violated. */
  readonly lossThresholds?: () => ReadonlyArray<() => boolean>
  readonly broken?: () => string
}

/** Checks invariants, and reports each once whenever it starts to be violated. */
export interface InvariantWatchers {
  readonly isWatching: () => boolean
  readonly add: (invariant: LedgerInvariant) => void
  readonly check: (attribution: Attribution) => void
  /** Time passed without a change. Each violation is reported at the moment at which it started. */
  readonly passTime: (fromMillis: number, toMillis: number) => void
}

export const makeInvariantWatchers = (options: {
  readonly tell: (subject: string, broken: ViolationDetails) => void
  readonly sums: () => string
  /** Evaluates at a moment after the last change. */
  readonly asAt: <A>(atMillis: number, ask: () => A) => A
  readonly deedFor: (service: Key) => Attribution
  readonly lostBecause: (service: Key) => ReadonlyArray<LossCause>
}): InvariantWatchers => {
  const { asAt, deedFor } = options
  const watchedInvariants: Array<{ readonly invariant: LedgerInvariant; isHeld: boolean }> = []
  const report = (invariant: LedgerInvariant, attribution: Attribution): void => {
    const service = invariant.losingService?.()
    options.tell(invariant.subject?.() ?? "", {
      ...attribution,
      rule: "invariant",
      sums: invariant.sums?.() ?? options.sums(),
      broken: invariant.broken?.() ?? invariant.text,
      ...(service === undefined ? {} : { lostBecause: options.lostBecause(service) }),
      ...(invariant.index === undefined ? {} : { invariant: invariant.index })
    })
  }
  return {
    isWatching: () => watchedInvariants.length > 0,
    add: (invariant) => void watchedInvariants.push({ invariant, isHeld: true }),
    check: (attribution) => {
      for (const entry of watchedInvariants) {
        const { invariant } = entry
        const held = invariant.holds()
        if (!held && entry.isHeld) report(invariant, attribution)
        entry.isHeld = held
      }
    },
    passTime: (fromMillis, toMillis) => {
      const moments = watchedInvariants.flatMap((entry) => {
        const { losingService: losing, lossThresholds: turns } = entry.invariant
        if (!entry.isHeld || losing === undefined) return []
        const predicates = (turns?.() ?? [() => losing() !== undefined]).map(
          (turn) => (atMillis: number) => asAt(atMillis, turn)
        )
        return turningPoints(fromMillis, toMillis, predicates).map((atMillis) => ({
          entry,
          losing,
          atMillis
        }))
      })
      for (const { entry, losing, atMillis } of moments.sort((one, other) => one.atMillis - other.atMillis)) {
        asAt(atMillis, () => {
          const service = losing()
          if (service !== undefined && entry.isHeld) report(entry.invariant, deedFor(service))
          entry.isHeld = service === undefined
        })
      }
    }
  }
}
