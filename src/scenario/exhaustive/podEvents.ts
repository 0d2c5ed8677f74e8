import { countMax, one, stoppingOf, unreadyOf, readyOf, availableOf } from "./brood.ts"
import { nameOf } from "./step.ts"
import type { Packed } from "./brood.ts"
import type { Step } from "./step.ts"

/** Something that happens to one Pod of a ReplicaSet, by itself or because something fails. */
export interface PodEvent {
  /** Whether there is a Pod to which it can happen. `isWaiting` where ready Pods are not available at once. */
  readonly mayHappen: (packed: Packed, isWaiting: boolean) => boolean
  /** What it adds to the brood and takes away. */
  readonly change: number
  readonly step: Step
}

interface Happening {
  readonly what: string
  readonly isFailure?: true
  readonly mayHappen: PodEvent["mayHappen"]
  readonly change: number
}

const ready: Happening = {
  what: "became ready",
  mayHappen: (packed, isWaiting) => isWaiting && unreadyOf(packed) > 0,
  change: one.ready - one.unready
}
const readyAtOnce: Happening = {
  what: "became ready, and so available",
  mayHappen: (packed, isWaiting) => !isWaiting && unreadyOf(packed) > 0,
  change: one.available - one.unready
}
const available: Happening = {
  what: "became available",
  mayHappen: (packed) => readyOf(packed) > 0,
  change: one.available - one.ready
}
const gone: Happening = {
  what: "that was stopping is gone",
  mayHappen: (packed) => stoppingOf(packed) > 0,
  change: -one.stopping
}

type Condition = "unready" | "ready" | "available"

const states: Readonly<
  Record<Condition, { readonly of: (packed: Packed) => number; readonly said: string }>
> = {
  unready: { of: unreadyOf, said: "not ready" },
  ready: { of: readyOf, said: "ready" },
  available: { of: availableOf, said: "available" }
}

const falls = (from: "ready" | "available"): Happening => ({
  what: `is no longer ${from} (crash or probe)`,
  isFailure: true,
  mayHappen: (packed) => states[from].of(packed) > 0,
  change: one.unready - one[from]
})

/** It fails for good, as an evicted one does; nobody counts it any more. */
const fails = (from: Condition, what: string): Happening => ({
  what: `that was ${states[from].said} ${what}`,
  isFailure: true,
  mayHappen: (packed) => states[from].of(packed) > 0,
  change: -one[from]
})

const isDeleted = (from: Condition): Happening => ({
  what: `that was ${states[from].said} is deleted by somebody`,
  isFailure: true,
  mayHappen: (packed) => states[from].of(packed) > 0 && stoppingOf(packed) < countMax,
  change: one.stopping - one[from]
})

const conditions = ["available", "ready", "unready"] as const

/** What may happen to the Pods in either place. Where nobody looks at Pods that are stopping, they are gone at once. */
export const podEvents = (options: {
  readonly tracksStopping: boolean
}): readonly [ReadonlyArray<PodEvent>, ReadonlyArray<PodEvent>] => {
  const happenings: ReadonlyArray<Happening> = [
    ready,
    readyAtOnce,
    available,
    ...(options.tracksStopping ? [gone] : []),
    falls("available"),
    falls("ready"),
    ...conditions.flatMap((from) =>
      options.tracksStopping
        ? [fails(from, "fails for good"), isDeleted(from)]
        : [fails(from, "is lost (failed or deleted)")]
    )
  ]
  return [eventsOf(happenings, 0), eventsOf(happenings, 1)]
}

const eventsOf = (happenings: ReadonlyArray<Happening>, slot: number): ReadonlyArray<PodEvent> =>
  happenings.map(({ what, isFailure = false, mayHappen, change }) => ({
    mayHappen,
    change,
    step: { who: (chapter) => `a Pod of ${nameOf(chapter, slot)}`, what: () => what, isFailure }
  }))
