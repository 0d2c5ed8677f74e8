import type { Broken } from "./judgements.ts"
import type { Deed } from "./deeds.ts"

/** What somebody says must hold. */
export interface Invariant {
  /** As it was written. */
  readonly text: string
  readonly holds: () => boolean
  /** Of whom it is broken, as `namespace/name`; nobody's where it is left out. */
  readonly subject?: () => string
  /** The numbers by which it does not hold; those of every Deployment where it is left out. */
  readonly sums?: () => string
  /** The line that does not hold; the text where it is left out. */
  readonly broken?: () => string
}

/** Looks whether invariants hold, and tells once each time that one no longer does. */
export interface Watchers {
  readonly isWatching: () => boolean
  readonly add: (invariant: Invariant) => void
  /** After somebody has done something. */
  readonly look: (deed: Deed) => void
}

export const makeWatchers = (options: {
  readonly tell: (subject: string, broken: Broken) => void
  readonly sums: () => string
}): Watchers => {
  const watched: Array<{ readonly invariant: Invariant; isHeld: boolean }> = []
  return {
    isWatching: () => watched.length > 0,
    add: (invariant) => void watched.push({ invariant, isHeld: true }),
    look: (deed) => {
      for (const it of watched) {
        const { invariant } = it
        const isHeld = invariant.holds()
        if (!isHeld && it.isHeld) {
          options.tell(invariant.subject?.() ?? "", {
            ...deed,
            rule: "invariant",
            sums: invariant.sums?.() ?? options.sums(),
            broken: invariant.broken?.() ?? invariant.text
          })
        }
        it.isHeld = isHeld
      }
    }
  }
}
