import * as Effect from "effect/Effect"
import type { Timeline } from "./timeline.ts"

/** How long one stretch of virtual time may keep the machine's other work waiting. */
const stretchMillis = 20

/**
 * Waits until something holds, asked only at instants where nothing is left to do. A virtual timeline is moved as far
 * as it must be, and no further; another is waited for. Answers false when the limit came first.
 */
export const waitUntil = (options: {
  readonly timeline: Timeline
  readonly holds: () => boolean
  readonly limitMillis: number
}): Effect.Effect<boolean> => {
  const { timeline, holds, limitMillis } = options
  return timeline.isVirtual ? drive(timeline, holds, limitMillis) : await_(timeline, holds, limitMillis)
}

const drive = ({ kernel }: Timeline, holds: () => boolean, limitMillis: number): Effect.Effect<boolean> =>
  Effect.callback((resume) => {
    let cancelled = false
    const stretch = (): void => {
      if (cancelled) return
      const until = performance.now() + stretchMillis
      let held = false
      const arrived = kernel.advanceTo(limitMillis, () => {
        held = holds()
        return held || performance.now() > until
      })
      if (held || arrived) resume(Effect.succeed(held || holds()))
      else setImmediate(stretch)
    }
    stretch()
    return Effect.sync(() => {
      cancelled = true
    })
  })

const await_ = (
  { kernel, catchUp }: Timeline,
  holds: () => boolean,
  limitMillis: number
): Effect.Effect<boolean> =>
  Effect.callback((resume) => {
    let over = false
    const finish = (outcome: boolean): void => {
      if (over) return
      over = true
      stop()
      kernel.cancel(limit)
      resume(Effect.succeed(outcome))
    }
    const stop = kernel.onQuiet(() => {
      if (holds()) finish(true)
    })
    const limit = kernel.after(limitMillis - kernel.nowMillis(), lastRank, () => finish(holds()))
    catchUp()
    return Effect.sync(() => finish(false))
  })

/** After everything else that is due at the limit. */
const lastRank = 10_000
