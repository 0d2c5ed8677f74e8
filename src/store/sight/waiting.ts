import * as Effect from "effect/Effect"
import type { Later } from "../later.ts"

/** Goes on after this time even if the view has not caught up. Source: pkg/controller/controller_utils.go. */
const expectationsTimeoutMillis = 5 * 60_000

/** Fibers that wait until a view holds a version. */
export interface Waiting {
  readonly caughtUp: (resourceVersion: string) => Effect.Effect<void>
  /** Resumes the fibers whose version has arrived. */
  readonly look: () => void
  readonly size: () => number
}

export const makeWaiting = (options: { readonly later: Later; readonly version: () => number }): Waiting => {
  const waiting = new Set<{ readonly version: number; readonly resume: () => void }>()
  return {
    caughtUp: (resourceVersion) =>
      Effect.callback<void>((resume) => {
        const version = Number(resourceVersion)
        if (version <= options.version()) return resume(Effect.void)
        const stop = (): void => {
          waiting.delete(wait)
          cancel()
        }
        const goOn = (): void => {
          stop()
          resume(Effect.void)
        }
        const wait = { version, resume: goOn }
        const { cancel } = options.later.after(expectationsTimeoutMillis, goOn)
        waiting.add(wait)
        return Effect.sync(stop)
      }),
    look: () => {
      for (const wait of waiting) if (wait.version <= options.version()) wait.resume()
    },
    size: () => waiting.size
  }
}
