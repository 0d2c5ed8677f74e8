import { InternalError, TooManyRequests } from "../store/storeErrors.ts"
import type { StoreError } from "../store/storeErrors.ts"

/** Decides whether the controller may write now. In doubt it may not. */
export interface WriteFence {
  /** Undefined if writes are allowed. */
  readonly closedBy: () => string | undefined
  /** Closes the fence for the time that the server asks to wait (429). */
  readonly noteFailure: (error: unknown) => void
}

interface FenceOptions {
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
    noteFailure: (error) => {
      if (error instanceof TooManyRequests)
        waitsUntilMillis = Math.max(waitsUntilMillis, elapsedMillis() + error.retryAfterSeconds * 1000)
    }
  }
}

export const heldBackError = (why: string): StoreError =>
  new InternalError({ why: `${heldBackText}: ${why}` })

const heldBackText = "not written"

export const isHeldBack = (error: { readonly message: string }): boolean =>
  error.message.includes(`${heldBackText}: `)
