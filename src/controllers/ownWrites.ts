import * as Effect from "effect/Effect"

/** Tells a controller's own writes from those of others. */
interface OwnWrites {
  /**
   * Changes delivered in the same instant are the controller's own. If the clock moves during the effect, another
   * client may have written, too: then `lookAgain` is called.
   */
  readonly during: <A, E>(effect: Effect.Effect<A, E>, lookAgain: () => void) => Effect.Effect<A, E>
  /** Whether a change that is delivered now is the controller's own. */
  readonly isOwn: () => boolean
}

export const makeOwnWrites = (nowMillis: () => number): OwnWrites => {
  let isWriting = false
  return {
    during: (effect, lookAgain) =>
      Effect.suspend(() => {
        const beganMillis = nowMillis()
        isWriting = true
        const finish = Effect.sync(() => {
          isWriting = false
          if (nowMillis() > beganMillis) lookAgain()
        })
        return Effect.ensuring(effect, finish)
      }),
    isOwn: () => isWriting
  }
}
