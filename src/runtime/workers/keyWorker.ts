import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Context from "effect/Context"
import type { Key } from "../../kubernetes/meta/objects.ts"

export type HandleKey = (key: Key) => Effect.Effect<void> | undefined

export interface KeySource {
  readonly take: () => Key | undefined
  readonly done: (key: Key) => void
  readonly waitForKey: (resume: () => void) => void
  readonly stopWaiting: (resume: () => void) => void
  /** Lets other fibers run before it calls back; undefined to take the next key at once. */
  readonly pause: ((resume: () => void) => void) | undefined
}

/** Callbacks are cheaper than steps of a fiber; only an Effect of `handle` runs in a fiber. */
export const runKeyWorker = (source: KeySource, handle: HandleKey): Effect.Effect<never> =>
  Effect.contextWith((context: Context.Context<never>) => {
    const fork = Effect.runForkWith(context)
    return Effect.callback<never>(() => {
      let isStopped = false
      let running: Fiber.Fiber<unknown, unknown> | undefined
      const runInFiber = (key: Key, effect: Effect.Effect<void>): boolean => {
        // Set before the fiber's first step: a write may stop the controller that makes it.
        const trackedEffect = Effect.withFiber((fiber) => {
          running = fiber
          return effect
        })
        const fiber = fork(trackedEffect)
        const hasEnded = fiber.pollUnsafe() !== undefined
        if (hasEnded) running = undefined
        else fiber.addObserver(() => finishKey(key))
        return hasEnded && !isStopped
      }
      const finishKey = (key: Key): void => {
        running = undefined
        if (isStopped) return
        source.done(key)
        handleNextKeys()
      }
      const handleKeys = (): void => {
        while (!isStopped) {
          const key = source.take()
          if (key === undefined) return source.waitForKey(handleKeys)
          const effect = handle(key)
          if (effect !== undefined && !runInFiber(key, effect)) return
          source.done(key)
          if (source.pause !== undefined) return source.pause(handleKeys)
        }
      }
      const handleNextKeys = (): void =>
        source.pause === undefined ? handleKeys() : source.pause(handleKeys)
      handleKeys()
      return Effect.suspend(() => {
        isStopped = true
        source.stopWaiting(handleKeys)
        return running === undefined ? Effect.void : Fiber.interrupt(running)
      })
    })
  })
