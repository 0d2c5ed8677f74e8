import * as Effect from "effect/Effect"
import { outsideRank } from "./kernel.ts"
import { ClusterClosed, stretchMillis } from "./timeline.ts"
import type { Timeline } from "./timeline.ts"

/** Runs an effect on a timeline, at its present instant; that it is closed meanwhile is a defect. */
export const runOn = <A, E>(timeline: Timeline, effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.callback((resume) => {
    const fiber = timeline.kernel.run(effect)
    const forget = timeline.onClose(() => resume(Effect.die(new ClusterClosed())))
    fiber.addObserver((exit) => {
      forget()
      resume(exit)
    })
    timeline.catchUp()
    return Effect.sync(() => {
      forget()
      fiber.interruptUnsafe()
    })
  })

interface Wait {
  readonly timeline: Timeline
  /** Is told before when nothing will happen, where time stands still. */
  readonly holds: (nextMillis: number) => boolean
  /** The moment at which waiting ends in any case. */
  readonly limitMillis: number
}

/**
 * Waits until something holds, asked only at instants where nothing is left to do. Time that stands still is moved as
 * far as it must be, and no further; other time is waited for. Answers false when the limit came first. A predicate
 * that throws, and a cluster that is closed meanwhile, end the waiting as defects.
 */
export const waitUntil = (wait: Wait): Effect.Effect<boolean> =>
  Effect.callback((resume) => {
    let over = false
    let stop = (): void => {}
    /** What is to be stopped in the end, which may have come already. */
    const onOver = (next: () => void): void => {
      stop = next
      if (over) stop()
    }
    const finish = (outcome: Effect.Effect<boolean>): void => {
      if (over) return
      over = true
      stop()
      forget()
      resume(outcome)
    }
    const forget = wait.timeline.onClose(() => finish(Effect.die(new ClusterClosed())))
    /** Whatever the user's predicate does, it does to this waiting alone. */
    const guarded = (step: () => void): void => {
      if (over) return
      try {
        step()
      } catch (error) {
        finish(Effect.die(error))
      }
    }
    const begin = wait.timeline.speed() === 0 ? drive : standBy
    begin(wait, { guarded, onOver, finish: (held) => finish(Effect.succeed(held)) })
    return Effect.sync(() => finish(Effect.succeed(false)))
  })

interface Waiting {
  readonly guarded: (step: () => void) => void
  readonly onOver: (stop: () => void) => void
  readonly finish: (held: boolean) => void
}

/** Moves time that stands still, a stretch at a time. Should it begin to go by itself meanwhile, that is enough. */
const drive = (wait: Wait, waiting: Waiting): void => {
  const { timeline, holds, limitMillis } = wait
  const { guarded, onOver, finish } = waiting
  const { kernel } = timeline
  let next: NodeJS.Immediate | undefined
  const stretch = (): void =>
    guarded(() => {
      if (timeline.speed() > 0) {
        standBy(wait, waiting)
        return
      }
      const until = performance.now() + stretchMillis
      let held = false
      const arrived = kernel.advanceTo(limitMillis, (nextMillis) => {
        held = holds(nextMillis)
        return held || performance.now() > until
      })
      if (held || arrived) finish(held || holds(kernel.nowMillis()))
      else next = setImmediate(stretch)
    })
  onOver(() => clearImmediate(next))
  stretch()
}

/** Looks whenever a timeline that moves by itself has come to rest. */
const standBy = (
  { timeline: { kernel, catchUp }, holds, limitMillis }: Wait,
  { guarded, onOver, finish }: Waiting
): void => {
  const look = (): void =>
    guarded(() => {
      if (holds(kernel.nowMillis())) finish(true)
    })
  const forget = kernel.onQuiet(look)
  const left = limitMillis - kernel.nowMillis()
  // After everything else that is due at the limit.
  const limit = kernel.after(left, outsideRank, () => guarded(() => finish(holds(kernel.nowMillis()))))
  onOver(() => {
    forget()
    kernel.cancel(limit)
  })
  catchUp()
}
