import type { Fault } from "./fault.ts"

export interface FaultChange {
  /** `REFUSED` revokes a `BEGAN`: the fault could not begin. */
  readonly change: "BEGAN" | "ENDED" | "REFUSED"
  readonly id: string
  readonly fault: Fault
}

export interface FaultChanges {
  readonly publish: (change: FaultChange) => void
  /** Calls the listener before a fault begins and when it ends. Returns the unsubscribe function. */
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
