import * as Effect from "effect/Effect"

interface OwnWrites {
  /** Changes count as own while the effect runs. Calls `again` if time has passed, since others may have written. */
  readonly during: <A, E>(effect: Effect.Effect<A, E>, again: () => void) => Effect.Effect<A, E>
  readonly isOwn: () => boolean
}

export const makeOwnWrites = (nowMillis: () => number): OwnWrites => {
  let isWriting = false
  return {
    during: (effect, again) =>
      Effect.suspend(() => {
        const beganMillis = nowMillis()
        isWriting = true
        const finish = Effect.sync(() => {
          isWriting = false
          if (nowMillis() > beganMillis) again()
        })
        return Effect.ensuring(effect, finish)
      }),
    isOwn: () => isWriting
  }
}
