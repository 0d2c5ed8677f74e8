import type { Fault } from "./fault.ts"

/** What is told of faults to those who look on. */
export interface FaultNews {
  /** `REFUSED` takes a beginning back: the fault could not be. */
  readonly change: "BEGAN" | "ENDED" | "REFUSED"
  /** The same at its beginning and its end. */
  readonly id: string
  readonly fault: Fault
}

export interface FaultNewsLine {
  readonly tell: (news: FaultNews) => void
  /** Calls back on each beginning, before anything comes of it, and on each end. Returns how to stop. */
  readonly onNews: (listener: (news: FaultNews) => void) => () => void
}

export const makeFaultNews = (): FaultNewsLine => {
  const listeners = new Set<(news: FaultNews) => void>()
  return {
    tell: (news) => {
      for (const listener of listeners) listener(news)
    },
    onNews: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    }
  }
}
