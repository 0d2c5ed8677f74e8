import { InternalError, TooManyRequests } from "../store/storeErrors.ts"
import type { StoreError } from "../store/storeErrors.ts"

/** Decides whether anything may be written now. On doubt nothing is. */
export interface WriteFence {
  /** Why nothing may be written; undefined if it may. */
  readonly closedBy: () => string | undefined
  /** Whether the server has asked to wait, and for how long; the writes of that time are held back. */
  readonly note: (error: unknown) => void
}

interface FenceOptions {
  /** Each says why nothing may be written, or undefined. */
  readonly conditions: ReadonlyArray<() => string | undefined>
  /** Never goes back. */
  readonly elapsedMillis: () => number
}

export const makeWriteFence = ({ conditions, elapsedMillis }: FenceOptions): WriteFence => {
  let waitsUntilMillis = 0
  return {
    closedBy: () => {
      for (const condition of conditions) {
        const why = condition()
        if (why !== undefined) return why
      }
      return elapsedMillis() < waitsUntilMillis ? "the API server has asked to wait" : undefined
    },
    note: (error) => {
      if (error instanceof TooManyRequests)
        waitsUntilMillis = Math.max(waitsUntilMillis, elapsedMillis() + error.retryAfterSeconds * 1000)
    }
  }
}

/** The refusal of a write that is not sent. */
export const heldBack = (why: string): StoreError => new InternalError({ why: `${heldBackText}: ${why}` })

const heldBackText = "not written"

export const isHeldBack = (error: { readonly message: string }): boolean =>
  error.message.includes(`${heldBackText}: `)
