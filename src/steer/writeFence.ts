import { InternalError, TooManyRequests } from "../store/storeErrors.ts"
import type { StoreError } from "../store/storeErrors.ts"

/** Holds back the controller's writes while one of its conditions gives a reason. */
export interface WriteFence {
  readonly whyClosed: () => string | undefined
  /** After a 429, closes the fence for the time that the server asks to wait. */
  readonly closeIfThrottled: (error: unknown) => void
}

interface FenceOptions {
  /** Each returns why writes are held back, or undefined. */
  readonly conditions: ReadonlyArray<() => string | undefined>
  /** A clock that never goes back. */
  readonly elapsedMillis: () => number
}

export const makeWriteFence = ({ conditions, elapsedMillis }: FenceOptions): WriteFence => {
  let waitsUntilMillis = 0
  return {
    whyClosed: () => {
      for (const condition of conditions) {
        const why = condition()
        if (why !== undefined) return why
      }
      return elapsedMillis() < waitsUntilMillis ? "the API server has asked to wait" : undefined
    },
    closeIfThrottled: (error) => {
      if (error instanceof TooManyRequests)
        waitsUntilMillis = Math.max(waitsUntilMillis, elapsedMillis() + error.retryAfterSeconds * 1000)
    }
  }
}

export const fenceClosedError = (why: string): StoreError =>
  new InternalError({ why: `${notWrittenText}: ${why}` })

const notWrittenText = "not written"

export const isFenceClosedError = (error: { readonly message: string }): boolean =>
  error.message.includes(`${notWrittenText}: `)
