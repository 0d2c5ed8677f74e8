import { turningMillis } from "./firstMillis.ts"
import type { Broken } from "./violations.ts"
import type { Deed } from "./deeds.ts"
import type { Key } from "../../domain/objects.ts"
import type { LossCause } from "./serviceTraffic.ts"

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
  /** What becomes so of it and stays so while requests are lost: that it is broken, where it is left out. */
  readonly turns?: () => ReadonlyArray<() => boolean>
  /** The line that does not hold; the text where it is left out. */
  readonly broken?: () => string
}

/** Looks whether invariants hold, and tells once each time that one no longer does. */
export interface Watchers {
  readonly isWatching: () => boolean
  readonly add: (invariant: Invariant) => void
  /** After somebody has done something. */
  readonly look: (deed: Deed) => void
  /** Time has gone by, and nobody has done anything since: each is told of the moment at which it was broken. */
  readonly pass: (fromMillis: number, toMillis: number) => void
}

export const makeWatchers = (options: {
  readonly tell: (subject: string, broken: Broken) => void
  readonly sums: () => string
  /** Asks something as it was at a moment since the last that somebody did something. */
  readonly asAt: <A>(atMillis: number, ask: () => A) => A
  readonly deedFor: (service: Key) => Deed
  readonly lostBecause: (service: Key) => ReadonlyArray<LossCause>
}): Watchers => {
  const { asAt, deedFor } = options
  const watched: Array<{ readonly invariant: Invariant; isHeld: boolean }> = []
  const tell = (invariant: Invariant, deed: Deed): void => {
    const service = invariant.losing?.()
    options.tell(invariant.subject?.() ?? "", {
      ...deed,
      rule: "invariant",
      sums: invariant.sums?.() ?? options.sums(),
      broken: invariant.broken?.() ?? invariant.text,
      ...(service === undefined ? {} : { lostBecause: options.lostBecause(service) }),
      ...(invariant.index === undefined ? {} : { invariant: invariant.index })
    })
  }
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
    pass: (fromMillis, toMillis) => {
      const moments = watched.flatMap((it) => {
        const { losing, turns } = it.invariant
        if (!it.isHeld || losing === undefined) return []
        const turnsAt = (turns?.() ?? [() => losing() !== undefined]).map(
          (turn) => (atMillis: number) => asAt(atMillis, turn)
        )
        return turningMillis(fromMillis, toMillis, turnsAt).map((atMillis) => ({ it, losing, atMillis }))
      })
      for (const { it, losing, atMillis } of moments.sort((one, other) => one.atMillis - other.atMillis)) {
        asAt(atMillis, () => {
          const service = losing()
          if (service !== undefined && it.isHeld) tell(it.invariant, deedFor(service))
          it.isHeld = service === undefined
        })
      }
    }
  }
}
