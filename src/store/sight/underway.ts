import type { Alarm, Later, Place } from "../later.ts"
import type { Change } from "../objectStore.ts"

/** Changes on their way to one view. */
export interface Underway {
  /** Changes stay in order, whatever their delays. */
  readonly send: (change: Change, delayMillis: number) => void
  /** Delivers all pending changes now, including those that follow from them. */
  readonly hurry: () => void
  readonly size: () => number
  readonly save: () => UnderwayState
  readonly restore: (state: UnderwayState) => void
}

export interface UnderwayState {
  readonly underway: ReadonlyArray<Due>
  /** When the next change is delivered. */
  readonly next?: Place
}

interface Due {
  readonly change: Change
  readonly dueMillis: number
}

export const makeUnderway = (options: {
  readonly later: Later
  readonly arrive: (change: Change) => void
}): Underway => {
  const { later, arrive } = options
  const underway: Array<Due> = []
  let nextArrival: Alarm | undefined

  const arriveUntil = (millis: number): void => {
    const stillUnderway = underway.findIndex(({ dueMillis }) => dueMillis > millis)
    const arrived = underway.splice(0, stillUnderway < 0 ? underway.length : stillUnderway)
    nextArrival?.cancel()
    nextArrival = undefined
    for (const { change } of arrived) arrive(change)
    planNext()
  }
  const planNext = (): void => {
    const [next] = underway
    if (next === undefined || nextArrival !== undefined) return
    nextArrival = later.after(next.dueMillis - later.nowMillis(), () => arriveUntil(next.dueMillis))
  }
  return {
    send: (change, delayMillis) => {
      const dueMillis = Math.max(later.nowMillis() + delayMillis, underway.at(-1)?.dueMillis ?? 0)
      underway.push({ change, dueMillis })
      planNext()
    },
    hurry: () => {
      while (underway.length > 0) arriveUntil(Infinity)
    },
    size: () => underway.length,
    save: () => ({
      underway: [...underway],
      ...(nextArrival === undefined ? {} : { next: nextArrival.place })
    }),
    restore: (state) => {
      underway.push(...state.underway)
      const [next] = underway
      if (next === undefined || state.next === undefined) return
      nextArrival = later.resume(state.next, () => arriveUntil(next.dueMillis))
    }
  }
}
