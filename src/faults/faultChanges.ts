import type { Fault } from "./fault.ts"

/** The beginning or end of a fault, for recordings and the page. */
export interface FaultChange {
  /** `REFUSED` revokes a `BEGAN`: the fault could not begin. */
  readonly change: "BEGAN" | "ENDED" | "REFUSED"
  readonly id: string
  readonly fault: Fault
}

export interface FaultChanges {
  readonly publish: (change: FaultChange) => void
  /** Calls back on each beginning, before the fault has any effect, and on each end. Returns how to unsubscribe. */
  readonly onFaultChange: (listener: (change: FaultChange) => void) => () => void
}

export const makeFaultChanges = (): FaultChanges => {
  const listeners = new Set<(change: FaultChange) => void>()
  return {
    publish: (change) => {
      for (const listener of listeners) listener(change)
    },
    onFaultChange: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    }
  }
}
