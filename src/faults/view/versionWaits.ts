import * as Effect from "effect/Effect"
import type { Timers } from "../../runtime/timers.ts"

/** Source: pkg/controller/controller_utils.go. */
const expectationsTimeoutMillis = 5 * 60_000

export interface VersionWaits {
  readonly waitFor: (resourceVersion: string) => Effect.Effect<void>
  /** Resumes fibers that the view has caught up with. */
  readonly resumeCaughtUp: () => void
  readonly size: () => number
}

export const makeVersionWaits = (options: {
  readonly timers: Timers
  readonly version: () => number
}): VersionWaits => {
  const waits = new Set<{ readonly version: number; readonly resume: () => void }>()
  return {
    waitFor: (resourceVersion) =>
      Effect.callback<void>((resume) => {
        const version = Number(resourceVersion)
        if (version <= options.version()) return resume(Effect.void)
        const stop = (): void => {
          waits.delete(wait)
          cancel()
        }
        const finish = (): void => {
          stop()
          resume(Effect.void)
        }
        const wait = { version, resume: finish }
        const { cancel } = options.timers.after(expectationsTimeoutMillis, finish)
        waits.add(wait)
        return Effect.sync(stop)
      }),
    resumeCaughtUp: () => {
      for (const wait of waits) if (wait.version <= options.version()) wait.resume()
    },
    size: () => waits.size
  }
}
