import { turningMillis } from "./firstMillis.ts"
import type { Broken } from "./violations.ts"
import type { Deed } from "./deeds.ts"
import type { Key } from "../../domain/objects.ts"
import type { LossCause } from "./serviceTraffic.ts"

export interface Invariant {
  readonly text: string
  readonly index?: number
  readonly holds: () => boolean
  /** `namespace/name` of the object that violates it; empty if omitted. */
  readonly subject?: () => string
  /** The numbers that violate it; default those of all Deployments. */
  readonly sums?: () => string | undefined
  /** The Service whose lost requests violate it. */
  readonly losing?: () => Key | undefined
  /** Predicates that turn true for good as requests are lost; default: that the invariant is violated. */
  readonly turns?: () => ReadonlyArray<() => boolean>
  readonly broken?: () => string
}

/** Checks invariants, and reports each once whenever it starts to be violated. */
export interface Watchers {
  readonly isWatching: () => boolean
  readonly add: (invariant: Invariant) => void
  readonly look: (attribution: Deed) => void
  /** Time passed without a change. Each violation is reported at the moment at which it started. */
  readonly pass: (fromMillis: number, toMillis: number) => void
}

export const makeWatchers = (options: {
  readonly tell: (subject: string, broken: Broken) => void
  readonly sums: () => string
  /** Evaluates at a moment after the last change. */
  readonly asAt: <A>(atMillis: number, ask: () => A) => A
  readonly deedFor: (service: Key) => Deed
  readonly lostBecause: (service: Key) => ReadonlyArray<LossCause>
}): Watchers => {
  const { asAt, deedFor } = options
  const watchedInvariants: Array<{ readonly invariant: Invariant; isHeld: boolean }> = []
  const report = (invariant: Invariant, attribution: Deed): void => {
    const service = invariant.losing?.()
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
    look: (attribution) => {
      for (const entry of watchedInvariants) {
        const { invariant } = entry
        const held = invariant.holds()
        if (!held && entry.isHeld) report(invariant, attribution)
        entry.isHeld = held
      }
    },
    pass: (fromMillis, toMillis) => {
      const moments = watchedInvariants.flatMap((entry) => {
        const { losing, turns } = entry.invariant
        if (!entry.isHeld || losing === undefined) return []
        const predicates = (turns?.() ?? [() => losing() !== undefined]).map(
          (turn) => (atMillis: number) => asAt(atMillis, turn)
        )
        return turningMillis(fromMillis, toMillis, predicates).map((atMillis) => ({
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
