import { InternalError, TooManyRequests } from "../store/storeErrors.ts"
import type { StoreError } from "../store/storeErrors.ts"

/** Decides whether the controller may write now. In doubt it may not. */
export interface WriteFence {
  /** Why nothing may be written; undefined if it may. */
  readonly closedBy: () => string | undefined
  /** Takes the error of a request. If the server asks to wait (429), the fence is closed for that time. */
  readonly noteFailure: (error: unknown) => void
}

interface FenceOptions {
  /** Each returns why nothing may be written, or undefined. */
  readonly conditions: ReadonlyArray<() => string | undefined>
  /** A clock that never goes back. */
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

/** The error of a write that the fence has stopped. */
export const heldBackError = (why: string): StoreError =>
  new InternalError({ why: `${heldBackText}: ${why}` })

const heldBackText = "not written"

export const isHeldBack = (error: { readonly message: string }): boolean =>
  error.message.includes(`${heldBackText}: `)
