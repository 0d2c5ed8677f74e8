import type { ScheduledTimer, Timers } from "../../runtime/timers.ts"
import type { TimerPlace } from "../../runtime/time/timerHeap.ts"
import type { Change } from "../../store/objectStore.ts"

export interface PendingChanges {
  /** Keeps the order of changes, whatever their delays. */
  readonly send: (change: Change, delayMillis: number) => void
  /** Delivers all, including the changes that subscribers make in response. */
  readonly deliverAll: () => void
  readonly size: () => number
  readonly save: () => PendingChangesState
  readonly restore: (state: PendingChangesState) => void
}

export interface PendingChangesState {
  /** Oldest first. */
  readonly underway: ReadonlyArray<PendingChange>
  /** The timer of the oldest change. */
  readonly next?: TimerPlace
}

interface PendingChange {
  readonly change: Change
  readonly dueMillis: number
}

export const makePendingChanges = (options: {
  readonly timers: Timers
  readonly deliver: (change: Change) => void
}): PendingChanges => {
  const { timers, deliver } = options
  const pending: Array<PendingChange> = []
  let nextTimer: ScheduledTimer | undefined

  const deliverUntil = (millis: number): void => {
    const firstLater = pending.findIndex(({ dueMillis }) => dueMillis > millis)
    const due = pending.splice(0, firstLater < 0 ? pending.length : firstLater)
    nextTimer?.cancel()
    nextTimer = undefined
    for (const { change } of due) deliver(change)
    scheduleNext()
  }
  const scheduleNext = (): void => {
    const [next] = pending
    if (next === undefined || nextTimer !== undefined) return
    nextTimer = timers.after(next.dueMillis - timers.nowMillis(), () => deliverUntil(next.dueMillis))
  }
  return {
    send: (change, delayMillis) => {
      const dueMillis = Math.max(timers.nowMillis() + delayMillis, pending.at(-1)?.dueMillis ?? 0)
      pending.push({ change, dueMillis })
      scheduleNext()
    },
    deliverAll: () => {
      while (pending.length > 0) deliverUntil(Infinity)
    },
    size: () => pending.length,
    save: () => ({
      underway: [...pending],
      ...(nextTimer === undefined ? {} : { next: nextTimer.place })
    }),
    restore: (state) => {
      pending.push(...state.underway)
      const [next] = pending
      if (next === undefined || state.next === undefined) return
      nextTimer = timers.resume(state.next, () => deliverUntil(next.dueMillis))
    }
  }
}
