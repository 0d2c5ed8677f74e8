import type { Broken } from "./judgements.ts"
import type { Deed } from "./deeds.ts"
import type { Key } from "../../domain/objects.ts"

/** What somebody says must hold. */
export interface Invariant {
  /** As it was written. */
  readonly text: string
  /** Which of several it is, from 0 on. */
  readonly index?: number
  readonly holds: () => boolean
  /** Of whom it is broken, as `namespace/name`; nobody's where it is left out. */
  readonly subject?: () => string
  /** The numbers by which it does not hold; those of every Deployment where it is left out. */
  readonly sums?: () => string | undefined
  /** The Service whose lost requests break it, which time alone brings about; undefined while none does. */
  readonly losing?: () => Key | undefined
  /** The line that does not hold; the text where it is left out. */
  readonly broken?: () => string
}

/** Looks whether invariants hold, and tells once each time that one no longer does. */
export interface Watchers {
  readonly isWatching: () => boolean
  readonly add: (invariant: Invariant) => void
  /** After somebody has done something. */
  readonly look: (deed: Deed) => void
  /** Time has gone by, and nobody has done anything since. */
  readonly pass: (deedFor: (service: Key) => Deed) => void
}

export const makeWatchers = (options: {
  readonly tell: (subject: string, broken: Broken) => void
  readonly sums: () => string
}): Watchers => {
  const watched: Array<{ readonly invariant: Invariant; isHeld: boolean }> = []
  const tell = (invariant: Invariant, deed: Deed): void =>
    options.tell(invariant.subject?.() ?? "", {
      ...deed,
      rule: "invariant",
      sums: invariant.sums?.() ?? options.sums(),
      broken: invariant.broken?.() ?? invariant.text,
      ...(invariant.index === undefined ? {} : { invariant: invariant.index })
    })
  return {
    isWatching: () => watched.length > 0,
    add: (invariant) => void watched.push({ invariant, isHeld: true }),
    look: (deed) => {
      for (const it of watched) {
        const { invariant } = it
        const isHeld = invariant.holds()
        if (!isHeld && it.isHeld) tell(invariant, deed)
        it.isHeld = isHeld
      }
    },
    pass: (deedFor) => {
      for (const it of watched) {
        const service = it.isHeld ? it.invariant.losing?.() : undefined
        if (service === undefined) continue
        tell(it.invariant, deedFor(service))
        it.isHeld = false
      }
    }
  }
}
